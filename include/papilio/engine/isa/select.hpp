#pragma once

#include "papilio/engine/isa/instruction_base.hpp"

namespace papilio::engine {

/// out = on_true where predicate is not 0, on_false where it is.
/// predicate is int32 or uint8, the others are of one type. on_true and predicate may not both be
/// in PSUM (ours, as tensor_tensor). Vector engine. No cost is documented; ours: a tensor_copy of
/// on_false, and a tensor_copy_predicated of on_true over it, in one instruction.
struct PAPILIO_API select {
  static constexpr const char* opcode = "select";
  tile_view out, predicate, on_true, on_false;

  unit runs_on() const { return unit::vector; }
  void operands(engine_detail::operand_list& list) const;
  void validate(const engine_detail::checker& check) const;
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::execution& run) const;
};

}  // namespace papilio::engine
