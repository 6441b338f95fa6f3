#include "papilio/dispatch/accelerator.hpp"

#include <mutex>

#include "dispatch/program_store.hpp"
#include "papilio/base/error.hpp"

namespace papilio {

accelerator::accelerator()
    : life_(std::make_shared<int>()),
      programs_(std::make_unique<dispatch_detail::program_store>()) {}
accelerator::~accelerator() = default;

void accelerator::synchronize() {
  const std::lock_guard lock(programs_->mutex());
  wait_for_all();
}

void accelerator::set_asynchronous(bool asynchronous) {
  const std::lock_guard lock(programs_->mutex());
  take_asynchronous(asynchronous);
  programs_->is_asynchronous = asynchronous;
  if (!asynchronous) wait_for_all();
}

bool accelerator::is_asynchronous() const {
  const std::lock_guard lock(programs_->mutex());
  return programs_->is_asynchronous;
}

void accelerator::take_asynchronous(bool asynchronous) {
  if (asynchronous)
    throw device_error(base_detail::message("accelerator::set_asynchronous: ", name(),
                                            " has no asynchronous calls"));
}

}  // namespace papilio
