#pragma once

#include "papilio/engine/isa/instruction_base.hpp"

namespace papilio::engine {

/// values[p] = the K largest of in[p], descending, and indices[p] where they are; of equal ones the
/// earlier first, NaN above everything (both ours). values is (P, K), indices (P, K) of int32.
/// gpsimd. Cost 150 + 4 N + K (the SDK's stub has 4 N + K; the start is every gpsimd
/// instruction's).
struct PAPILIO_API topk {
  static constexpr const char* opcode = "topk";
  tile_view values, indices, in;

  unit runs_on() const { return unit::gpsimd; }
  void operands(engine_detail::operand_list& list) const;
  void validate(const engine_detail::checker& check) const;
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::execution& run) const;
};

}  // namespace papilio::engine
