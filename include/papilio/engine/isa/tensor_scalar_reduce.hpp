#pragma once

#include "papilio/engine/isa/alu.hpp"
#include "papilio/engine/isa/instruction_base.hpp"
#include "papilio/engine/isa/scalar_operand.hpp"

namespace papilio::engine {

/// out = in op operand, element by element, and reduced[p] = the reduction of those by `reduce_op`,
/// taken before they are rounded to the type of out, in the order of tensor_reduce.
/// op is not bitwise. reduced is a (P, 1) tile that does not overlap out; reduce_op is one that
/// tensor_reduce has, but not bitwise. Vector engine; SBUF or PSUM. Cost max(64, N) + 64
/// [I:tensor_scalar_reduce].
struct PAPILIO_API tensor_scalar_reduce {
  static constexpr const char* opcode = "tensor_scalar_reduce";
  tile_view out, reduced, in;
  alu_op op = alu_op::bypass;
  scalar_operand operand = {};
  bool reverse = false;  ///< operand op in
  alu_op reduce_op = alu_op::add;

  unit runs_on() const { return unit::vector; }
  void operands(engine_detail::operand_list& list) const;
  void validate(const engine_detail::checker& check) const;
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::execution& run) const;
};

}  // namespace papilio::engine
