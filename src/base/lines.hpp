#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "papilio/base/array.hpp"
#include "papilio/base/parallel_for.hpp"
#include "papilio/base/tensor.hpp"

namespace papilio::base_detail {

inline std::size_t product(std::span<const std::size_t> extents) {
  std::size_t count = 1;
  for (std::size_t e : extents) count *= e;
  return count;
}

/// Number of lines along `axis`.
inline std::size_t line_count(std::span<const std::size_t> extents, std::size_t axis) {
  std::size_t count = 1;
  for (std::size_t k = 0; k < extents.size(); ++k)
    if (k != axis) count *= extents[k];
  return count;
}

/// Returns where line `index` along `axis` begins, the other axes counted in row-major order.
inline std::ptrdiff_t line_offset(std::span<const std::size_t> extents,
                                  std::span<const std::ptrdiff_t> strides, std::size_t axis,
                                  std::size_t index) {
  std::ptrdiff_t offset = 0;
  for (std::size_t k = extents.size(); k-- > 0;) {
    if (k == axis) continue;
    offset += static_cast<std::ptrdiff_t>(index % extents[k]) * strides[k];
    index /= extents[k];
  }
  return offset;
}

/// Calls piece(first, last) for consecutive ranges of [0, count), one for each thread.
template <class Piece>
void for_pieces(std::size_t count, int threads, const Piece& piece) {
  const std::size_t pieces =
      std::min<std::size_t>(count, static_cast<std::size_t>(thread_count(threads)));
  papilio::parallel_for(pieces, threads, [&](std::size_t p) {
    // The product count * p is avoided, as it may overflow.
    const std::size_t each = count / pieces, rest = count % pieces;
    const std::size_t first = each * p + std::min(p, rest);
    piece(first, first + each + (p < rest ? 1 : 0));
  });
}

/// `in` to `out`, which have the same extents; no overlap.
template <class T>
void copy_strided(const untyped_view<const void>& in, const untyped_view<void>& out, int threads) {
  const std::size_t axis = in.rank() - 1, n = in.extents[axis];
  const std::ptrdiff_t from_step = in.strides[axis], to_step = out.strides[axis];
  for_pieces(line_count(in.extents, axis), threads, [&](std::size_t first, std::size_t last) {
    for (std::size_t line = first; line < last; ++line) {
      const T* from =
          static_cast<const T*>(in.data) + line_offset(in.extents, in.strides, axis, line);
      T* to = static_cast<T*>(out.data) + line_offset(out.extents, out.strides, axis, line);
      for (std::size_t i = 0; i < n; ++i, from += from_step, to += to_step) *to = *from;
    }
  });
}

/// Strides of a row-major array.
inline std::vector<std::ptrdiff_t> gapless_strides(std::span<const std::size_t> extents) {
  std::vector<std::ptrdiff_t> strides(extents.size());
  set_row_major(extents, strides);
  return strides;
}

inline bool is_gapless(std::span<const std::size_t> extents,
                       std::span<const std::ptrdiff_t> strides) {
  std::ptrdiff_t step = 1;
  for (std::size_t k = extents.size(); k-- > 0;) {
    if (extents[k] != 1 && strides[k] != step) return false;
    step *= static_cast<std::ptrdiff_t>(extents[k]);
  }
  return true;
}

}  // namespace papilio::base_detail
