#include "papilio/engine/isa/synchronization.hpp"

#include "engine/checker.hpp"

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

void semaphore_signal::validate(const checker& check) const {
  check_semaphore(check, which, on, queue);
}

void semaphore_wait::validate(const checker& check) const {
  check_semaphore(check, which, on, queue);
}

}  // namespace papilio::engine
