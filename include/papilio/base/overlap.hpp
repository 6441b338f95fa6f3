#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "papilio/base/array.hpp"
#include "papilio/base/export.hpp"
#include "papilio/base/tensor.hpp"

namespace papilio::base_detail {

/// Addresses from the first byte to one past the last.
struct byte_range {
  std::uintptr_t first = 0, last = 0;
  bool overlaps(const byte_range& other) const { return first < other.last && other.first < last; }
};

PAPILIO_API byte_range reach(const void* data, std::size_t element_bytes,
                             std::span<const std::size_t> extents,
                             std::span<const std::ptrdiff_t> strides);
PAPILIO_API void require_distinct(const char* function, std::span<const std::size_t> extents,
                                  std::span<const std::ptrdiff_t> strides);

/// Addresses of the bytes from the first to the last element of an operand in memory.
/// Throws resource_error if they are more than a pointer difference can hold.
template <class T>
byte_range reach(const strided<T>& v) {
  return reach(v.data, sizeof(T), v.extents, v.strides);
}
template <class T, std::size_t Rank>
byte_range reach(view<T, Rank> v) {
  return reach(v.data(), sizeof(T), v.extents(), v.strides());
}

/// Checks that no two elements of an output can share an address: each axis, in order of the
/// magnitude of its stride, steps over the whole of the smaller ones.
/// Throws shape_error unless that holds.
template <class T>
void require_distinct(const char* function, const strided<T>& out) {
  require_distinct(function, out.extents, out.strides);
}
template <class T, std::size_t Rank>
void require_distinct(const char* function, view<T, Rank> out) {
  require_distinct(function, out.extents(), out.strides());
}

}  // namespace papilio::base_detail
