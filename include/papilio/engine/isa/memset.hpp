#pragma once

#include "papilio/engine/isa/instruction_base.hpp"

namespace papilio::engine {

/// out = value, rounded to fp32 and to the type of out; integer types take it as it is, which must
/// be an integer that they hold. Vector or gpsimd engine; SBUF or PSUM (gpsimd: SBUF). Cost max(64,
/// N); max(64, N/2) for zeros in 16 bits [I:memset; on gpsimd ours].
struct PAPILIO_API memset {
  static constexpr const char* opcode = "memset";
  tile_view out;
  double value = 0;
  unit on = unit::vector;

  unit runs_on() const { return on; }
  void operands(engine_detail::operand_list& list) const;
  void validate(const engine_detail::checker& check) const;
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::execution& run) const;
};

}  // namespace papilio::engine
