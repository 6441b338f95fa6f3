#pragma once

#include "papilio/engine/isa/alu.hpp"
#include "papilio/engine/isa/instruction_base.hpp"

namespace papilio::engine {

/// out = in, reduced over the last `levels` levels of its pattern; out has one element for each
/// index of the levels before them, in their order. `negate`: times -1.
/// op: add, multiply, maximum, minimum, absolute_maximum, logical_and, logical_or, logical_xor; or
/// bits_and, bits_or, bits_xor of integer tiles, without negate. fp32 otherwise: element i goes
/// into partial result i mod 16, and those are combined pairwise, j with j + 8, + 4, + 2, + 1
/// (ours; the order of the hardware is not documented). Vector engine; SBUF or PSUM. Cost N,
/// elements of in; N/2 if bf16 in and out with add or maximum [I:tensor_reduce].
struct PAPILIO_API tensor_reduce {
  static constexpr const char* opcode = "tensor_reduce";
  tile_view out, in;
  alu_op op = alu_op::add;
  int levels = 1;
  bool negate = false;

  unit runs_on() const { return unit::vector; }
  void operands(engine_detail::operand_list& list) const;
  void validate(const engine_detail::checker& check) const;
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::execution& run) const;
};

}  // namespace papilio::engine
