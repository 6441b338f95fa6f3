#pragma once

#include <cstddef>

#include "papilio/base/array.hpp"
#include "papilio/base/error.hpp"

namespace papilio::base_detail {

/// Work memory of the threads of a team, allocated before the first of them runs, so that nothing
/// has been written yet where there is too little. Uninitialised.
template <class T>
class team_memory {
 public:
  /// `count` elements for each worker; resource_error where they cannot be had.
  team_memory(std::size_t workers, std::size_t count)
      : pitch_(workers == 1 ? count : apart(count)),
        memory_(checked_multiply(workers, pitch_, "work memory of threads"), uninitialized) {}
  /// Begins on a cache line.
  T* of(std::size_t worker) { return memory_.data() + worker * pitch_; }

 private:
  // Whole cache lines, and one between: the prefetcher takes them in pairs.
  static std::size_t apart(std::size_t count) {
    constexpr std::size_t line = array_alignment_bytes / sizeof(T);
    static_assert(line * sizeof(T) == array_alignment_bytes);
    if (count == 0) return 0;
    return checked_add(count, 2 * line - 1, "work memory of threads") / line * line;
  }

  std::size_t pitch_;
  array<T, 1> memory_;
};

}  // namespace papilio::base_detail
