#pragma once

#include "papilio/engine/isa/instruction_base.hpp"

namespace papilio::engine {

/// out = in where predicate is not 0 (with `reverse`: is 0); the other elements of out stay.
/// predicate is int32 or uint8, in and out are of one type. in and predicate may not both be in
/// PSUM (ours, as tensor_tensor). Vector engine. Cost max(64, N) with in and predicate split
/// between SBUF and PSUM, max(64, 2N) with both in SBUF [I:tensor_copy_predicated].
struct PAPILIO_API tensor_copy_predicated {
  static constexpr const char* opcode = "tensor_copy_predicated";
  tile_view out, in, predicate;
  bool reverse = false;

  unit runs_on() const { return unit::vector; }
  void operands(engine_detail::operand_list& list) const;
  void validate(const engine_detail::checker& check) const;
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::execution& run) const;
};

}  // namespace papilio::engine
