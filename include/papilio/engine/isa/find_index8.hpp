#pragma once

#include "papilio/engine/isa/instruction_base.hpp"

namespace papilio::engine {

/// out[p, k] = where in[p] holds values[p, k], as max8 finds them: the first place, or for a value
/// that stands j times before k among the eight, the place after j others; -1 where there is none.
/// NaN equals NaN. out is (P, 8) of int32 (ours), values (P, 8). Vector engine.
/// Cost N [I:nc_find_index8].
struct PAPILIO_API find_index8 {
  static constexpr const char* opcode = "find_index8";
  tile_view out, in, values;

  unit runs_on() const { return unit::vector; }
  void operands(engine_detail::operand_list& list) const;
  void validate(const engine_detail::checker& check) const;
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::execution& run) const;
};

}  // namespace papilio::engine
