#pragma once

#include "papilio/engine/isa/alu.hpp"
#include "papilio/engine/isa/instruction_base.hpp"

namespace papilio::engine {

/// out = left op right, element by element.
/// Both inputs may not be in PSUM; partitions and elements per partition of all three are equal.
/// Vector or gpsimd engine. Cost max(64, N) with one input in PSUM and one in SBUF, or all bf16 in
/// SBUF with unit strides and add, subtract or multiply; else max(64, 2N) [I:tensor_tensor].
struct PAPILIO_API tensor_tensor {
  static constexpr const char* opcode = "tensor_tensor";
  tile_view out, left, right;
  alu_op op = alu_op::add;
  unit on = unit::vector;

  unit runs_on() const { return on; }
  void operands(engine_detail::operand_list& list) const;
  void validate(const engine_detail::checker& check) const;
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::execution& run) const;
};

}  // namespace papilio::engine
