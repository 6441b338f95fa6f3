#pragma once

#include "papilio/engine/isa/instruction_base.hpp"

namespace papilio::engine {

/// For each element of a row of segment numbers, where its segment (the run of equal neighbours
/// that it is in) begins and where it ends, one past the last: out[p, i] and out[p, N + i].
/// Elements of segment 0 are padding: N and -1. in is (P, N), out (P, 2 N); int32 or fp32 each.
/// gpsimd. Cost 150 + N (ours: no document has a formula).
struct PAPILIO_API sequence_bounds {
  static constexpr const char* opcode = "sequence_bounds";
  tile_view out, in;

  unit runs_on() const { return unit::gpsimd; }
  void operands(engine_detail::operand_list& list) const;
  void validate(const engine_detail::checker& check) const;
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::execution& run) const;
};

}  // namespace papilio::engine
