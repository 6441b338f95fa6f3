#pragma once

#include "papilio/engine/isa/instruction_base.hpp"

namespace papilio::engine {

/// out[p] = (mean, variance) of everything that the statistics in[p] count: triples of (count,
/// mean, count * variance), as bn_stats gives them. The variance is that of the population.
/// fp32, in order: sum of counts, sum of count * mean over it, then the sum of
/// M2 + count * (mean - whole mean)^2 over it (the order is ours). Counts that sum to 0 give NaN.
/// out is (P, 2), in (P, 3 k). Vector engine. Cost max(64, 13 N / 3), N = 3 k [I:bn_aggr].
struct PAPILIO_API bn_aggr {
  static constexpr const char* opcode = "bn_aggr";
  tile_view out, in;

  unit runs_on() const { return unit::vector; }
  void operands(engine_detail::operand_list& list) const;
  void validate(const engine_detail::checker& check) const;
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::execution& run) const;
};

}  // namespace papilio::engine
