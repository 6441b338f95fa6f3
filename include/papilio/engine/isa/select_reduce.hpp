#pragma once

#include "papilio/engine/isa/alu.hpp"
#include "papilio/engine/isa/instruction_base.hpp"
#include "papilio/engine/isa/scalar_operand.hpp"

namespace papilio::engine {

/// out = on_true where predicate is not 0 (with `reverse`: is 0), on_false elsewhere; and, where a
/// (P, 1) tile `reduced` is given, its reduction by `reduce_op` in the order of tensor_reduce,
/// taken before rounding to the type of out. reduced does not overlap out; reduce_op as for
/// tensor_scalar_reduce.
/// predicate is int32 or uint8. on_true and predicate may not both be in PSUM (ours, as
/// tensor_tensor). Vector engine. No cost is documented; ours: max(64, 2N), with a reduction + 64
/// as tensor_scalar_reduce.
struct PAPILIO_API select_reduce {
  static constexpr const char* opcode = "select_reduce";
  tile_view out;
  tile_view reduced = {};
  tile_view predicate, on_true;
  scalar_operand on_false = {};
  bool reverse = false;
  alu_op reduce_op = alu_op::maximum;

  unit runs_on() const { return unit::vector; }
  void operands(engine_detail::operand_list& list) const;
  void validate(const engine_detail::checker& check) const;
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::execution& run) const;
};

}  // namespace papilio::engine
