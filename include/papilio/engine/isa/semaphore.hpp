#pragma once

#include "papilio/engine/isa/instruction_base.hpp"

namespace papilio::engine {

/// A counter that engines signal and wait for; core::make_semaphore() gives one.
struct semaphore {
  int index = -1;
};

/// Adds 1 to a semaphore when everything issued to `on` (for DMA: to its queue `queue`) is done.
struct PAPILIO_API semaphore_signal {
  static constexpr const char* opcode = "semaphore_signal";
  semaphore which;
  unit on = unit::vector;
  int queue = 0;

  unit runs_on() const { return on; }
  void operands(engine_detail::operand_list& list) const;
  void validate(const engine_detail::checker& check) const;
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::execution& run) const;
};

/// Holds what is issued to `on` (for DMA: to its queue `queue`) from here on until the semaphore
/// has been signalled `value` times. The signals must have been issued before, else nothing could
/// ever end the wait in a program that is issued in this order: refused.
struct PAPILIO_API semaphore_wait {
  static constexpr const char* opcode = "semaphore_wait";
  semaphore which;
  int value = 1;
  unit on = unit::vector;
  int queue = 0;

  unit runs_on() const { return on; }
  void operands(engine_detail::operand_list& list) const;
  void validate(const engine_detail::checker& check) const;
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::execution& run) const;
};

}  // namespace papilio::engine
