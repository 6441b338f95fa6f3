#pragma once

#include <cstddef>

#include "papilio/base/array.hpp"
#include "papilio/base/error.hpp"

namespace papilio::base_detail {

/// Memory that a thread keeps between calls; each library of papilio has its own.
struct kept_memory {
  array<std::byte, 1> block;
  bool in_use = false;
};
inline kept_memory& kept_by_this_thread() {
  thread_local kept_memory kept;
  return kept;
}

/// Memory of one call, aligned to a cache line. A thread keeps the memory of its last call, up to a
/// few MiB: memory that is freed and allocated again and again may cost a page fault for each of
/// its pages.
class call_memory {
 public:
  explicit call_memory(std::size_t bytes) {
    constexpr std::size_t most_kept_bytes = std::size_t{4} << 20;
    if (bytes == 0) return;
    kept_memory& kept = kept_by_this_thread();
    if (kept.in_use || bytes > most_kept_bytes) {
      own_ = array<std::byte, 1>(bytes, uninitialized);
      data_ = own_.data();
      return;
    }
    if (kept.block.size() < bytes) kept.block = array<std::byte, 1>(bytes, uninitialized);
    kept.in_use = true;
    data_ = kept.block.data();
  }
  ~call_memory() {
    if (data_ != nullptr && own_.size() == 0) kept_by_this_thread().in_use = false;
  }
  call_memory(const call_memory&) = delete;
  call_memory& operator=(const call_memory&) = delete;
  std::byte* data() { return data_; }

 private:
  array<std::byte, 1> own_;  // empty: the memory is the thread's
  std::byte* data_ = nullptr;
};

/// Work memory of the threads of a team, allocated before the first of them runs, so that nothing
/// has been written yet where there is too little. Uninitialised.
template <class T>
class team_memory {
 public:
  /// Allocates `count` elements for each worker. Throws resource_error if there is too little
  /// memory.
  team_memory(std::size_t workers, std::size_t count)
      : pitch_(workers == 1 ? count : apart(count)),
        memory_(checked_multiply(checked_multiply(workers, pitch_, what), sizeof(T), what)) {}
  /// Returns the memory of a worker, which begins on a cache line.
  T* of(std::size_t worker) { return reinterpret_cast<T*>(memory_.data()) + worker * pitch_; }

 private:
  static constexpr const char* what = "work memory of threads";

  // Rounds up to whole cache lines and adds one, since the prefetcher takes lines in pairs.
  static std::size_t apart(std::size_t count) {
    constexpr std::size_t line = array_alignment_bytes / sizeof(T);
    static_assert(line * sizeof(T) == array_alignment_bytes);
    if (count == 0) return 0;
    return checked_add(count, 2 * line - 1, what) / line * line;
  }

  std::size_t pitch_;
  call_memory memory_;
};

}  // namespace papilio::base_detail
