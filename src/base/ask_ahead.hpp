#pragma once

#include <cstddef>
#include <cstdint>

namespace papilio::base_detail {

/// What memory is asked for: to read it, in the second cache, or to write it, in the first. (On an AMD Zen 4,
/// reads that are asked into the first cache come too late.)
enum class soon { read, write };

/// Asks the caches for memory that is used soon, where the hardware sees no stream. The addresses may
/// lie behind an array: nothing is read there. Inlined, as GCC drops calls of functions that do no more.
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
