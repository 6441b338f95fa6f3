#pragma once

#include <array>
#include <cstdint>

#include "papilio/engine/isa/operands.hpp"

namespace papilio::engine {

/// Names a counter that engines signal and wait for; core::make_semaphore() makes one.
struct semaphore {
  int index = -1;
  bool operator==(const semaphore&) const = default;
};

/// Adds 1 to a semaphore when everything issued to `on` (for DMA: to its queue `queue`) is done.
struct PAPILIO_API semaphore_signal {
  static constexpr const char* opcode = "semaphore_signal";
  static constexpr field fields[] = {{"which"}, {"on"}, {"queue"}};
  semaphore which;
  unit on = unit::vector;
  int queue = 0;

  unit runs_on() const { return on; }
  void validate(const engine_detail::checker& check) const;
};

/// Holds what is issued to `on` (for DMA: to its queue `queue`) from here on until the semaphore
/// has been signalled `value` times. The signals must have been issued before: otherwise the wait,
/// in a program issued in this order, could never end, and is refused.
struct PAPILIO_API semaphore_wait {
  static constexpr const char* opcode = "semaphore_wait";
  static constexpr field fields[] = {
      {"which"}, {"value", role::setting, {.least = 1}}, {"on"}, {"queue"}};
  semaphore which;
  int value = 1;
  unit on = unit::vector;
  int queue = 0;

  unit runs_on() const { return on; }
  void validate(const engine_detail::checker& check) const;
};

/// Waits for every engine and queue of this core, then for the other cores: nothing that is issued
/// later starts before its end. It orders the core's own accesses as semaphores do. The other
/// cores' arrival is device_group's; here it costs a round of messages without bytes for each
/// distance 1, 2, 4 ... below `cores` (link_model::shift_ns; that barriers go so is ours: no
/// document has a formula). From NeuronCore-v3 on, where documents allow two cores [K:core_barrier];
/// more are ours.
struct PAPILIO_API core_barrier {
  static constexpr const char* opcode = "core_barrier";
  static constexpr field fields[] = {
      {"cores", role::setting, {.least = 1, .most = group_cores_max}}};
  int cores = 2;

  unit runs_on() const { return unit::sync; }
  void validate(const engine_detail::checker& check) const;
  instruction_cost cost(const machine_spec& machine) const;
};

/// Names a 32-bit register of one engine's sequencer; core::make_register() makes one. Only
/// instructions of that engine use it, in their order. Its value is known when the program is
/// executed; a dry run has none, and no cost depends on it.
struct engine_register {
  int index = -1;
  unit on = unit::vector;
  bool operator==(const engine_register&) const = default;
};

/// Sets out = value, or the value of `from`, a register of the same engine. Cost
/// sequencer.register_cycles, as of all three (ours).
struct PAPILIO_API register_move {
  static constexpr const char* opcode = "register_move";
  static constexpr field fields[] = {
      {"out", role::write}, {"value"}, {"from", role::read, {.optional = true}}};
  engine_register out;
  std::int32_t value = 0;
  engine_register from = {};  ///< instead of `value`, where given

  unit runs_on() const { return out.on; }
  void validate(const engine_detail::checker& check) const;
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::instruction_run& run) const;
};

/// Loads out = the element of a (1, 1) tile of int32. The tensor engine reads SBUF only.
struct PAPILIO_API register_load {
  static constexpr const char* opcode = "register_load";
  static constexpr field fields[] = {
      {"out", role::write},
      {"in", role::read, {.rows = 1, .columns = 1, .elements = element_kind::int32}}};
  engine_register out;
  tile_view in;

  unit runs_on() const { return out.on; }
  void validate(const engine_detail::checker& check) const;
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::instruction_run& run) const;
};

/// Stores the element of a (1, 1) tile of int32 = in. The tensor engine writes PSUM only.
struct PAPILIO_API register_store {
  static constexpr const char* opcode = "register_store";
  static constexpr field fields[] = {
      {"out", role::write, {.rows = 1, .columns = 1, .elements = element_kind::int32}},
      {"in", role::read}};
  tile_view out;
  engine_register in;

  unit runs_on() const { return in.on; }
  void validate(const engine_detail::checker& check) const;
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::instruction_run& run) const;
};

}  // namespace papilio::engine
