#pragma once

#include "papilio/engine/isa/instruction_base.hpp"

namespace papilio::engine {

/// out = in, converted to out's type. Vector, scalar or gpsimd engine; SBUF or PSUM on both sides
/// (gpsimd: SBUF). Cost max(64, N) [I:tensor_copy]; in trainium2's performance mode, on the vector
/// engine, a quarter with both in SBUF, 16 bits wide and of unit stride, half where one of the last
/// two fails [A2].
struct PAPILIO_API tensor_copy {
  static constexpr const char* opcode = "tensor_copy";
  tile_view out, in;
  unit on = unit::vector;

  unit runs_on() const { return on; }
  void operands(engine_detail::operand_list& list) const;
  void validate(const engine_detail::checker& check) const;
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::execution& run) const;
};

}  // namespace papilio::engine
