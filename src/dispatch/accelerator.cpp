#include "papilio/dispatch/accelerator.hpp"

#include "dispatch/program_store.hpp"

namespace papilio {

accelerator::accelerator()
    : life_(std::make_shared<int>()),
      programs_(std::make_unique<dispatch_detail::program_store>()) {}
accelerator::~accelerator() = default;

}  // namespace papilio
