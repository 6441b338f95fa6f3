#pragma once

#include "papilio/engine/isa/alu.hpp"
#include "papilio/engine/isa/instruction_base.hpp"
#include "papilio/engine/isa/scalar_operand.hpp"

namespace papilio::engine {

/// out[i] = in[i] where (start + i) op0 bound0 and (start + i) op1 bound1, on_false elsewhere; i is
/// the index of the element in the pattern of its partition, the sum is in fp32. And, where a (P,
/// 1) tile `reduced` is given, the maximum of those, taken before rounding to the type of out; it
/// does not overlap out. op0 and op1 are comparisons. Vector engine; SBUF or PSUM. Cost max(64, N)
/// [I:range_select], with the maximum or without (ours).
struct PAPILIO_API range_select {
  static constexpr const char* opcode = "range_select";
  tile_view out;
  tile_view reduced = {};
  tile_view in;
  alu_op op0 = alu_op::greater_equal;
  scalar_operand bound0 = {};
  alu_op op1 = alu_op::less;
  scalar_operand bound1 = {};
  float start = 0;
  float on_false = -3.402823466e38f;  ///< the lowest finite

  unit runs_on() const { return unit::vector; }
  void operands(engine_detail::operand_list& list) const;
  void validate(const engine_detail::checker& check) const;
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::execution& run) const;
};

}  // namespace papilio::engine
