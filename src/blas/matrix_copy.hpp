#pragma once

#include <algorithm>
#include <cstddef>

#include "blas/strided_matrix.hpp"
#include "papilio/base/error.hpp"
#include "papilio/base/parallel_for.hpp"

namespace papilio::blas_detail {

/// `from` to `to`, matrices of equal size, elements as they are stored. Tiles, so that neither side
/// walks through more lines than a cache holds.
template <class T>
void copy_matrix(const strided_matrix<const T>& from, const strided_matrix<T>& to) {
  constexpr std::size_t tile = 32;
  // The inner loop goes along the columns' stride of `to`, which our own copies have as 1.
  for (std::size_t r = 0; r < from.rows; r += tile)
    for (std::size_t c = 0; c < from.columns; c += tile) {
      const std::size_t r_end = std::min(from.rows, r + tile);
      const std::size_t c_end = std::min(from.columns, c + tile);
      for (std::size_t i = r; i < r_end; ++i) {
        const T* x = from.data + static_cast<std::ptrdiff_t>(i) * from.row_stride +
                     static_cast<std::ptrdiff_t>(c) * from.column_stride;
        T* y = to.data + static_cast<std::ptrdiff_t>(i) * to.row_stride +
               static_cast<std::ptrdiff_t>(c) * to.column_stride;
        for (std::size_t j = c; j < c_end; ++j, x += from.column_stride, y += to.column_stride)
          *y = *x;
      }
    }
}

/// Rows [first, first + count) of a matrix.
template <class T>
strided_matrix<T> rows_of(strided_matrix<T> m, std::size_t first, std::size_t count) {
  m.data += static_cast<std::ptrdiff_t>(first) * m.row_stride;
  m.rows = count;
  return m;
}

/// The item `index` of a batch.
template <class T>
strided_matrix<T> item_of(strided_matrix<T> m, std::size_t index) {
  m.data += static_cast<std::ptrdiff_t>(index) * m.batch_stride;
  return m;
}

/// copy_matrix of `batch` matrices, large ones by panels of rows over at most `threads` threads.
template <class T>
void copy_matrices(const strided_matrix<const T>& from, const strided_matrix<T>& to,
                   std::size_t batch, int threads) {
  constexpr std::size_t panel_elements = std::size_t{1} << 16;
  const std::size_t rows = from.rows, columns = std::max<std::size_t>(from.columns, 1);
  const std::size_t panel = std::clamp<std::size_t>(panel_elements / columns, 1, rows);
  const std::size_t panels = (rows + panel - 1) / panel;
  const std::size_t count = checked_multiply(panels, batch, "gemm: batch of copies");
  papilio::parallel_for(count, count == 1 ? 1 : threads, [&](std::size_t index) {
    const std::size_t first = index % panels * panel;
    const std::size_t here = std::min(panel, rows - first);
    copy_matrix(rows_of(item_of(from, index / panels), first, here),
                rows_of(item_of(to, index / panels), first, here));
  });
}

}  // namespace papilio::blas_detail
