#include "result_memory.hpp"

#include <unistd.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "papilio/base/array.hpp"

namespace papilio::python {

result_memory::result_memory() {
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  limit_ = static_cast<std::size_t>(std::max(0L, pages)) * static_cast<std::size_t>(page) / 32;
}

void* result_memory::allocate(std::size_t bytes) {
  const std::scoped_lock lock(mutex_);
  try {
    used_.reserve(used_.size() + 1);
    kept_.reserve(used_.size() + kept_.size() + 1);  // release must not need memory
    // The smallest that is large enough, and not so large that much would lie idle.
    auto best = kept_.end();
    for (auto i = kept_.begin(); i != kept_.end(); ++i)
      if (i->bytes >= bytes && i->bytes <= bytes + bytes / 4 &&
          (best == kept_.end() || i->bytes < best->bytes))
        best = i;
    block b{nullptr, bytes};
    if (best != kept_.end()) {
      b = *best;
      kept_bytes_ -= b.bytes;
      kept_.erase(best);
    } else {
      b.memory = base_detail::allocate(bytes);
    }
    used_.push_back(b);
    return b.memory;
  } catch (const std::exception&) {
    return nullptr;
  }
}

void result_memory::release(void* memory) {
  const std::scoped_lock lock(mutex_);
  const auto found = used_block(memory);
  const block b = *found;
  *found = used_.back();
  used_.pop_back();
  if (b.bytes > limit_) {
    base_detail::release(memory);
    return;
  }
  free_down_to(limit_ - b.bytes);
  kept_.push_back(b);
  kept_bytes_ += b.bytes;
}

std::size_t result_memory::bytes_of(void* memory) {
  const std::scoped_lock lock(mutex_);
  return used_block(memory)->bytes;
}

std::vector<result_memory::block>::iterator result_memory::used_block(const void* memory) {
  return std::ranges::find(used_, memory, &block::memory);
}

std::size_t result_memory::set_limit(std::size_t bytes) {
  const std::scoped_lock lock(mutex_);
  free_down_to(bytes);
  return std::exchange(limit_, bytes);
}

void result_memory::free_down_to(std::size_t bytes) {
  std::size_t first = 0;
  while (kept_bytes_ > bytes) {
    kept_bytes_ -= kept_[first].bytes;
    base_detail::release(kept_[first++].memory);
  }
  kept_.erase(kept_.begin(), kept_.begin() + static_cast<std::ptrdiff_t>(first));
}

result_memory& results() {
  static result_memory* const memory = new result_memory;
  return *memory;
}

}  // namespace papilio::python
