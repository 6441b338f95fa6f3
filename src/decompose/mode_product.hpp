#pragma once

#include <cstddef>

#include "decompose/mode_split.hpp"
#include "papilio/base/array.hpp"

namespace papilio::decompose_detail {

template <class T>
view<const T, 2> transposed(const view<const T, 2>& m) {
  return {m.data(), {m.extent(1), m.extent(0)}, {m.stride(1), m.stride(0)}};
}

/// A row-major array [left, extent, right] multiplied along its mode by m [rows, extent], of any
/// strides: [left, rows, right], row-major. No copies. O(size rows).
template <class T>
array<T, 1> mode_product(const T* x, const mode_split& split, view<const T, 2> m, int threads);

}  // namespace papilio::decompose_detail
