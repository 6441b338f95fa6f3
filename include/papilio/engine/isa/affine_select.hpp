#pragma once

#include "papilio/engine/isa/affine_pattern.hpp"
#include "papilio/engine/isa/alu.hpp"
#include "papilio/engine/isa/instruction_base.hpp"

namespace papilio::engine {

/// out = (pattern compare 0) ? in : otherwise, element by element: triangles, bands and checks of
/// bounds without a mask in memory. `compare` is one of the six comparisons. gpsimd. The bits of
/// `in` are kept where both types are integers, `otherwise` is rounded to out's type.
/// Cost 150 + N [I:affine_select].
struct PAPILIO_API affine_select {
  static constexpr const char* opcode = "affine_select";
  tile_view out, in;
  affine_pattern pattern = {};
  alu_op compare = alu_op::greater_equal;
  float otherwise = 0;

  unit runs_on() const { return unit::gpsimd; }
  void operands(engine_detail::operand_list& list) const;
  void validate(const engine_detail::checker& check) const;
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::execution& run) const;
};

}  // namespace papilio::engine
