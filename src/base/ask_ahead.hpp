#pragma once

#include <cstddef>
#include <cstdint>

namespace papilio::base_detail {

/// Use for which memory is prefetched: to read it, into the second cache, or to write it, into the
/// first. (On an AMD Zen 4, reads that are prefetched into the first cache come too late.)
enum class soon { read, write };

/// Prefetches memory that is used soon, where the hardware sees no stream. Addresses may lie behind
/// an array, as a prefetch reads nothing there. The function is always inlined: GCC drops calls of
/// functions that do no more than prefetch.
template <soon Use>
[[gnu::always_inline]] inline void ask_ahead(std::uintptr_t begin, std::size_t bytes) {
  constexpr std::size_t line = 64;
  for (std::size_t at = 0; at < bytes; at += line)
    __builtin_prefetch(reinterpret_cast<const void*>(begin + at), Use == soon::write,
                       Use == soon::write ? 3 : 2);
}

template <class T>
[[gnu::always_inline]] inline void ask_ahead(const T* from, std::size_t count) {
  ask_ahead<soon::read>(reinterpret_cast<std::uintptr_t>(from), count * sizeof(T));
}

}  // namespace papilio::base_detail
