#include "papilio/engine/isa/synchronization.hpp"

#include "engine/checker.hpp"
#include "engine/operand_list.hpp"

namespace papilio::engine {

using namespace engine_detail;

namespace {

void check_semaphore(const checker& check, const semaphore& which, unit on, int queue) {
  check.that(which.index >= 0, "which", "is no semaphore: core::make_semaphore() gives one");
  if (on != unit::dma) return;
  check.that(queue >= 0 && queue < check.machine().dma.queues_per_engine, "queue",
             "must be in [0, ", check.machine().dma.queues_per_engine, "), got ", queue);
}

}  // namespace

void semaphore_signal::operands(operand_list&) const {}
void semaphore_signal::validate(const checker& check) const {
  check_semaphore(check, which, on, queue);
}
instruction_cost semaphore_signal::cost(const machine_spec&) const { return {}; }
void semaphore_signal::execute(instruction_run&) const {}

void semaphore_wait::operands(operand_list&) const {}
void semaphore_wait::validate(const checker& check) const {
  check.that(value >= 1, "value", "must be at least 1, got ", value);
  check_semaphore(check, which, on, queue);
}
instruction_cost semaphore_wait::cost(const machine_spec&) const { return {}; }
void semaphore_wait::execute(instruction_run&) const {}

}  // namespace papilio::engine
