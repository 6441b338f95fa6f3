#pragma once

#include "papilio/engine/isa/alu.hpp"
#include "papilio/engine/isa/instruction_base.hpp"
#include "papilio/engine/isa/scalar_operand.hpp"

namespace papilio::engine {

/// out[i] = (left[i] op0 out[i - 1]) op1 right[i] along each partition, in the order of the
/// pattern, with `initial` for out[-1]; `reverse0`: out[i - 1] op0 left[i]; `reverse1`: right[i]
/// op1 (...). What is carried on is fp32, before it is rounded to the type of out. No bitwise
/// operations. left and right may not both be in PSUM (ours, as tensor_tensor). Vector engine. Cost
/// max(64, 2N) [I:tensor_tensor_scan].
struct PAPILIO_API tensor_tensor_scan {
  static constexpr const char* opcode = "tensor_tensor_scan";
  tile_view out, left, right;
  scalar_operand initial = {};
  alu_op op0 = alu_op::multiply;
  alu_op op1 = alu_op::add;
  bool reverse0 = false;
  bool reverse1 = false;

  unit runs_on() const { return unit::vector; }
  void operands(engine_detail::operand_list& list) const;
  void validate(const engine_detail::checker& check) const;
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::execution& run) const;
};

}  // namespace papilio::engine
