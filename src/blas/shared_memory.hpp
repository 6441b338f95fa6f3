#pragma once

#include <cstddef>
#include <span>

#include "papilio/base/tensor.hpp"

namespace papilio::blas_detail {

struct element_set {
  const void* data = nullptr;
  std::size_t element_bytes = 0;
  std::span<const std::size_t> extents;
  std::span<const std::ptrdiff_t> strides;
};

/// Whether an element of one shares memory with one of the other. Exact for views of the strides of
/// common arrays, as blocks of one matrix are, whose outer bounds overlap although they have no
/// element in common; where exactness would cost too much, true. resource_error if either spans
/// more bytes than a pointer difference holds.
bool shares_memory(const element_set& a, const element_set& b);

template <class T>
element_set elements_of(const base_detail::strided<T>& v) {
  return {v.data, sizeof(T), v.extents, v.strides};
}

}  // namespace papilio::blas_detail
