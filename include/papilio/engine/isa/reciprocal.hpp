#pragma once

#include "papilio/engine/isa/instruction_base.hpp"

namespace papilio::engine {

/// out = 1 / in, correctly rounded to fp32 and then to the type of out. Vector engine; SBUF or
/// PSUM. Cost max(64, 8N) [I:reciprocal].
struct PAPILIO_API reciprocal {
  static constexpr const char* opcode = "reciprocal";
  tile_view out, in;

  unit runs_on() const { return unit::vector; }
  void operands(engine_detail::operand_list& list) const;
  void validate(const engine_detail::checker& check) const;
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::execution& run) const;
};

}  // namespace papilio::engine
