#pragma once

#include "papilio/engine/isa/alu.hpp"
#include "papilio/engine/isa/instruction_base.hpp"
#include "papilio/engine/isa/scalar_operand.hpp"

namespace papilio::engine {

/// out = (in op0 operand0) op1 right, element by element; with `reverse0` the scalar, and with
/// `reverse1` the tile `right`, is the left operand of its operation. Each rounds to fp32, and the
/// result to the type of out. No bitwise operations.
/// in and right may not both be in PSUM (ours, as tensor_tensor). Vector engine. Cost 2N; N if all
/// tiles are bf16, N is even, op0 is subtract and op1 multiply [I:scalar_tensor_tensor].
struct PAPILIO_API scalar_tensor_tensor {
  static constexpr const char* opcode = "scalar_tensor_tensor";
  tile_view out, in, right;
  alu_op op0 = alu_op::bypass;
  scalar_operand operand0 = {};
  bool reverse0 = false;
  alu_op op1 = alu_op::bypass;
  bool reverse1 = false;

  unit runs_on() const { return unit::vector; }
  void operands(engine_detail::operand_list& list) const;
  void validate(const engine_detail::checker& check) const;
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::execution& run) const;
};

}  // namespace papilio::engine
