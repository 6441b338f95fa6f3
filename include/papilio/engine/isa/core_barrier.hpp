#pragma once

#include "papilio/engine/isa/instruction_base.hpp"

namespace papilio::engine {

/// Waits for every engine and queue of this core, then for the other cores: nothing that is issued
/// later starts before its end. It orders the core's own accesses as semaphores do. The other
/// cores' arrival is device_group's; here it costs a round of messages without bytes for each
/// distance 1, 2, 4 ... below `cores` (link_model::shift_ns; that barriers go so is ours: no
/// document has a formula).
struct PAPILIO_API core_barrier {
  static constexpr const char* opcode = "core_barrier";
  int cores = 2;

  unit runs_on() const { return unit::sync; }
  void operands(engine_detail::operand_list& list) const;
  void validate(const engine_detail::checker& check) const;
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::execution& run) const;
};

}  // namespace papilio::engine
