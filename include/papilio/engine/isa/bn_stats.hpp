#pragma once

#include "papilio/engine/isa/instruction_base.hpp"

namespace papilio::engine {

/// out[p] = (count, mean, count * variance) of the elements of in[p] with even index, then the same
/// of those with odd index; zeros where there is none. fp32: the mean is a reduced sum (in the
/// order of every reduction along the free axis) over the count, the third the reduced sum of
/// squared differences from it (both ours). out is (P, 6). Vector engine.
/// Cost max(64, N), N at most 512 [I:bn_stats].
struct PAPILIO_API bn_stats {
  static constexpr const char* opcode = "bn_stats";
  tile_view out, in;

  unit runs_on() const { return unit::vector; }
  void operands(engine_detail::operand_list& list) const;
  void validate(const engine_detail::checker& check) const;
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::execution& run) const;
};

}  // namespace papilio::engine
