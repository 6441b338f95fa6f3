#pragma once

#include <cstdint>

#include "papilio/engine/isa/instruction_base.hpp"

namespace papilio::engine {

/// A register of 32 bits of one engine's sequencer; core::make_register() gives one. Only
/// instructions of that engine use it, in their order. Its value is known when the program is
/// executed; a dry run has none, and no cost depends on it.
struct engine_register {
  int index = -1;
  unit on = unit::vector;
};

/// out = value, or what `from`, a register of the same engine, holds. Cost
/// sequencer.register_cycles, as of all three (ours).
struct PAPILIO_API register_move {
  static constexpr const char* opcode = "register_move";
  engine_register out;
  std::int32_t value = 0;
  engine_register from = {};  ///< instead of `value`, where given

  unit runs_on() const { return out.on; }
  void operands(engine_detail::operand_list& list) const;
  void validate(const engine_detail::checker& check) const;
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::execution& run) const;
};

/// out = the element of a (1, 1) tile of int32. The tensor engine reads SBUF only.
struct PAPILIO_API register_load {
  static constexpr const char* opcode = "register_load";
  engine_register out;
  tile_view in;

  unit runs_on() const { return out.on; }
  void operands(engine_detail::operand_list& list) const;
  void validate(const engine_detail::checker& check) const;
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::execution& run) const;
};

/// The element of a (1, 1) tile of int32 = in. The tensor engine writes PSUM only.
struct PAPILIO_API register_store {
  static constexpr const char* opcode = "register_store";
  tile_view out;
  engine_register in;

  unit runs_on() const { return in.on; }
  void operands(engine_detail::operand_list& list) const;
  void validate(const engine_detail::checker& check) const;
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::execution& run) const;
};

}  // namespace papilio::engine
