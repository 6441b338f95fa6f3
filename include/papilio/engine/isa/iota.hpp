#pragma once

#include "papilio/engine/isa/affine_pattern.hpp"
#include "papilio/engine/isa/instruction_base.hpp"

namespace papilio::engine {

/// out = the integers of a pattern, converted to out's type. Every one of them must fit int32, or
/// uint8 where that is out's type. gpsimd. Cost 150 + N [I:iota].
struct PAPILIO_API iota {
  static constexpr const char* opcode = "iota";
  tile_view out;
  affine_pattern pattern = {};

  unit runs_on() const { return unit::gpsimd; }
  void operands(engine_detail::operand_list& list) const;
  void validate(const engine_detail::checker& check) const;
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::execution& run) const;
};

}  // namespace papilio::engine
