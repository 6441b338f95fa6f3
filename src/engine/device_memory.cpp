#include "engine/device_memory.hpp"

#include <utility>

#include "papilio/base/error.hpp"

namespace papilio::engine_detail {

memory_claim::memory_claim(std::shared_ptr<device_memory> memory, std::int64_t bytes,
                           const char* function)
    : memory_(std::move(memory)), bytes_(bytes) {
  std::int64_t used = memory_->used_bytes.load();
  do {
    if (bytes > memory_->capacity_bytes - used) {
      const std::string reason = base_detail::message(
          function, ": ", bytes, " bytes asked for, ", memory_->capacity_bytes - used,
          " are free of the ", memory_->capacity_bytes, " of ", memory_->label);
      bytes_ = 0;
      throw device_error(reason);
    }
  } while (!memory_->used_bytes.compare_exchange_weak(used, used + bytes));
}

memory_claim::memory_claim(memory_claim&& other) noexcept
    : memory_(std::move(other.memory_)), bytes_(std::exchange(other.bytes_, 0)) {}

memory_claim& memory_claim::operator=(memory_claim&& other) noexcept {
  std::swap(memory_, other.memory_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

memory_claim::~memory_claim() {
  if (memory_ != nullptr) memory_->used_bytes -= bytes_;
}

std::byte* buffer_state::storage(bool poison) {
  if (data.empty()) {
    data = array<std::byte, 1>({std::size_t(claim.bytes())}, uninitialized);
    if (poison) engine::fill_poison(shape.type, data.data(), std::size_t(shape.elements()));
  }
  return data.data();
}

}  // namespace papilio::engine_detail

namespace papilio::engine {

const tensor_shape& device_buffer::shape() const {
  if (empty()) throw invalid_argument("device_buffer::shape: the buffer was never allocated");
  return state_->shape;
}

bool device_buffer::is_written() const { return !empty() && state_->written; }

}  // namespace papilio::engine
