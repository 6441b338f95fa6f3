#include "papilio/engine/isa/synchronization.hpp"

#include "engine/checker.hpp"
#include "engine/instruction_run.hpp"

namespace papilio::engine {

using namespace engine_detail;

namespace {

instruction_cost on_registers(const machine_spec& machine) {
  return {.cycles = machine.sequencer.register_cycles};
}

}  // namespace

void register_move::validate(const checker& check) const {
  check.that(from.index < 0 || value == 0, "value", "is given as well as from: ", value);
}
instruction_cost register_move::cost(const machine_spec& machine) const {
  return on_registers(machine);
}
void register_move::execute(instruction_run& run) const {
  run.registers.set(out, from.index >= 0 ? run.registers.value(from) : value);
}

void register_load::validate(const checker& check) const {
  if (out.on == unit::tensor) check.in_sbuf("in", in);
}
instruction_cost register_load::cost(const machine_spec& machine) const {
  return on_registers(machine);
}
void register_load::execute(instruction_run& run) const {
  run.registers.set(out, *row_access(run).read_bits(0, in, 0));
}

void register_store::validate(const checker& check) const {
  if (in.on == unit::tensor) check.in_psum("out", out);
}
instruction_cost register_store::cost(const machine_spec& machine) const {
  return on_registers(machine);
}
void register_store::execute(instruction_run& run) const {
  const std::int32_t value = run.registers.value(in);
  row_access(run).commit_bits(out, 0, &value);
}

}  // namespace papilio::engine
