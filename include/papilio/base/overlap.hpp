#pragma once

#include <cstddef>
#include <cstdint>

#include "papilio/base/error.hpp"
#include "papilio/base/view.hpp"

namespace papilio::base_detail {

/// From the first byte to one past the last.
struct byte_range {
  std::uintptr_t first = 0, last = 0;
  bool overlaps(const byte_range& other) const { return first < other.last && other.first < last; }
};

/// The bytes between the outermost elements of a view.
template <class T, std::size_t Rank>
byte_range reach(view<T, Rank> v) {
  if (v.empty()) return {};
  std::ptrdiff_t low = 0, high = 0;
  for (std::size_t axis = 0; axis < Rank; ++axis) {
    const std::ptrdiff_t span = v.stride(axis) * static_cast<std::ptrdiff_t>(v.extent(axis) - 1);
    (span < 0 ? low : high) += span;
  }
  const auto base = reinterpret_cast<std::uintptr_t>(v.data());
  return {base + static_cast<std::uintptr_t>(low) * sizeof(T),
          base + static_cast<std::uintptr_t>(high + 1) * sizeof(T)};
}

/// shape_error unless one axis of an output steps over the whole of the other, so that no two of
/// its elements can share an address.
template <class T>
void require_distinct(const char* function, view<T, 2> out) {
  if (out.empty()) return;
  const auto magnitude = [&](std::size_t axis) {
    return static_cast<std::size_t>(out.stride(axis) < 0 ? -out.stride(axis) : out.stride(axis));
  };
  const std::size_t inner = magnitude(0) < magnitude(1) ? 0 : 1, outer = 1 - inner;
  const bool inner_moves = out.extent(inner) == 1 || magnitude(inner) > 0;
  const bool outer_moves =
      out.extent(outer) == 1 || magnitude(outer) > magnitude(inner) * (out.extent(inner) - 1);
  if (!inner_moves || !outer_moves)
    throw shape_error(message(function, ": one axis of out must step over the whole of the other; ",
                              "extents are ", out.extent(0), " x ", out.extent(1), ", strides ",
                              out.stride(0), ", ", out.stride(1)));
}

}  // namespace papilio::base_detail
