#pragma once

#include <algorithm>
#include <complex>
#include <cstddef>
#include <limits>
#include <type_traits>
#include <utility>

#include "papilio/base/array.hpp"
#include "papilio/blas/element.hpp"

namespace papilio::blas_detail {

template <class T>
inline constexpr bool is_complex = !std::is_floating_point_v<std::remove_cv_t<T>>;

inline bool transposes(matrix_op op) {
  return op == matrix_op::transpose || op == matrix_op::conjugate_transpose;
}
template <class T>
bool conjugates(matrix_op op) {
  return is_complex<T> && (op == matrix_op::conjugate || op == matrix_op::conjugate_transpose);
}

/// [rows, columns] of a batch of matrices, with their strides in elements.
template <class T>
struct strided_matrix {
  T* data = nullptr;
  std::size_t rows = 0, columns = 0;
  std::ptrdiff_t row_stride = 0, column_stride = 0, batch_stride = 0;
  bool conjugated = false;  ///< stands for the conjugate of what is stored

  strided_matrix() = default;
  strided_matrix(view<T, 2> v, matrix_op op = matrix_op::none)
      : data(v.data()),
        rows(v.extent(0)),
        columns(v.extent(1)),
        row_stride(v.stride(0)),
        column_stride(v.stride(1)),
        conjugated(conjugates<T>(op)) {
    if (transposes(op)) *this = transposed();
  }
  strided_matrix(view<T, 3> v, matrix_op op = matrix_op::none)
      : data(v.data()),
        rows(v.extent(1)),
        columns(v.extent(2)),
        row_stride(v.stride(1)),
        column_stride(v.stride(2)),
        batch_stride(v.stride(0)),
        conjugated(conjugates<T>(op)) {
    if (transposes(op)) *this = transposed();
  }

  strided_matrix transposed() const {
    strided_matrix result = *this;
    std::swap(result.rows, result.columns);
    std::swap(result.row_stride, result.column_stride);
    return result;
  }
};

/// Largest size or leading dimension that BLAS can be told.
inline constexpr std::size_t blas_limit = std::numeric_limits<int>::max();

/// Leading dimension of [rows, columns] with these strides as a row-major matrix of BLAS; 0 if it
/// is none. Strides along extents of 1 do not matter.
inline int row_major_pitch(std::size_t rows, std::size_t columns, std::ptrdiff_t row_stride,
                           std::ptrdiff_t column_stride) {
  const std::size_t least = std::max<std::size_t>(columns, 1);
  if (least > blas_limit || (columns > 1 && column_stride != 1)) return 0;
  if (rows <= 1) return static_cast<int>(least);
  if (row_stride < static_cast<std::ptrdiff_t>(least) ||
      row_stride > static_cast<std::ptrdiff_t>(blas_limit))
    return 0;
  return static_cast<int>(row_stride);
}
template <class T>
int row_major_pitch(const strided_matrix<T>& m) {
  return row_major_pitch(m.rows, m.columns, m.row_stride, m.column_stride);
}
template <class T>
int column_major_pitch(const strided_matrix<T>& m) {
  return row_major_pitch(m.columns, m.rows, m.column_stride, m.row_stride);
}

}  // namespace papilio::blas_detail
