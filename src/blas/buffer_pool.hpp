#pragma once

#include <cstddef>
#include <mutex>
#include <vector>

#include "papilio/base/array.hpp"

namespace papilio::blas_detail {

/// Work memory for a team of threads, had before any of them runs.
template <class T>
class buffer_pool {
 public:
  buffer_pool(std::size_t buffers, std::size_t elements) {
    for (std::size_t i = 0; i < buffers; ++i) free_.emplace_back(elements, uninitialized);
  }

  /// Use of one buffer, until the end of its life; as many live at once as there are buffers.
  class lease {
   public:
    explicit lease(buffer_pool& pool) : pool_(pool), memory_(pool.take()) {}
    lease(const lease&) = delete;
    lease& operator=(const lease&) = delete;
    ~lease() { pool_.give(std::move(memory_)); }
    T* data() { return memory_.data(); }

   private:
    buffer_pool& pool_;
    array<T, 1> memory_;
  };

 private:
  array<T, 1> take() {
    const std::scoped_lock lock(mutex_);
    array<T, 1> memory = std::move(free_.back());
    free_.pop_back();
    return memory;
  }
  void give(array<T, 1>&& memory) {
    const std::scoped_lock lock(mutex_);
    free_.push_back(std::move(memory));  // within the capacity it had
  }

  std::mutex mutex_;
  std::vector<array<T, 1>> free_;
};

}  // namespace papilio::blas_detail
