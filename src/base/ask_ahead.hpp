#pragma once

#include <cstddef>
#include <cstdint>

namespace papilio::base_detail {

/// Asks the second cache for what is read soon, but not in order, where the hardware sees no stream.
/// The addresses may lie behind an array: nothing is read there.
template <class T>
void ask_ahead(const T* from, std::size_t count) {
  constexpr std::size_t line = 64;
  const auto start = reinterpret_cast<std::uintptr_t>(from);
  for (std::size_t at = 0; at < count * sizeof(T); at += line)
    __builtin_prefetch(reinterpret_cast<const void*>(start + at), 0, 2);
}

}  // namespace papilio::base_detail
