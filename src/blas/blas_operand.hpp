#pragma once

#include <cblas.h>

#include <cstddef>
#include <cstdlib>

#include "blas/matrix_copy.hpp"
#include "blas/strided_matrix.hpp"
#include "papilio/base/array.hpp"
#include "papilio/base/error.hpp"

namespace papilio::blas_detail {

/// An operand as a row-major call of BLAS takes it: what is stored is the operand or its transpose.
template <class T>
struct blas_operand {
  T* data = nullptr;
  int pitch = 0;
  CBLAS_TRANSPOSE op = CblasNoTrans;
  std::ptrdiff_t batch_stride = 0;

  bool is_transposed() const { return op == CblasTrans || op == CblasConjTrans; }
  /// Returns the first element of the block that begins at (row, column).
  T* at(std::size_t item, std::size_t row, std::size_t column) const {
    const std::size_t line = is_transposed() ? column : row, along = is_transposed() ? row : column;
    return data + static_cast<std::ptrdiff_t>(item) * batch_stride +
           static_cast<std::ptrdiff_t>(line) * pitch + static_cast<std::ptrdiff_t>(along);
  }
};

inline CBLAS_TRANSPOSE blas_op(bool transposed, bool conjugated) {
  if (transposed) return conjugated ? CblasConjTrans : CblasTrans;
  return conjugated ? CblasConjNoTrans : CblasNoTrans;
}

/// Whether BLAS can take the matrix without a copy.
template <class T>
bool is_expressible(const strided_matrix<T>& m) {
  return row_major_pitch(m) != 0 || column_major_pitch(m) != 0;
}

/// `m`, which is_expressible.
template <class T>
blas_operand<T> expressed(const strided_matrix<T>& m) {
  if (const int pitch = row_major_pitch(m))
    return {m.data, pitch, blas_op(false, m.conjugated), m.batch_stride};
  return {m.data, column_major_pitch(m), blas_op(true, m.conjugated), m.batch_stride};
}

/// Whether a copy is to be column-major: along the smaller stride, if BLAS can be told of it.
template <class T>
bool is_better_by_columns(const strided_matrix<T>& m) {
  const bool is_smaller = std::abs(m.row_stride) < std::abs(m.column_stride);
  return (is_smaller || m.columns > blas_limit) && m.rows <= blas_limit;
}

/// The layout of a gapless copy of `m`. No memory yet.
template <class T>
strided_matrix<std::remove_const_t<T>> copy_layout(const strided_matrix<T>& m, bool is_shared,
                                                   bool by_columns) {
  strided_matrix<std::remove_const_t<T>> copy;
  copy.rows = m.rows;
  copy.columns = m.columns;
  copy.conjugated = m.conjugated;
  copy.row_stride = by_columns ? 1 : static_cast<std::ptrdiff_t>(m.columns);
  copy.column_stride = by_columns ? static_cast<std::ptrdiff_t>(m.rows) : 1;
  if (!is_shared)
    copy.batch_stride = static_cast<std::ptrdiff_t>(
        checked_multiply(m.rows, m.columns, "gemm: elements of an operand"));
  return copy;
}

/// A gapless copy of a batch of matrices, or nothing.
template <class T>
class operand_copy {
 public:
  /// Has memory for a copy of `batch` items of `m`; one where they are all the same.
  void reserve(const strided_matrix<const T>& m, std::size_t batch) {
    reserve(m, batch, is_better_by_columns(m));
  }
  /// The same, column-major or row-major as asked.
  void reserve(const strided_matrix<const T>& m, std::size_t batch, bool by_columns) {
    const bool is_shared = batch <= 1 || m.batch_stride == 0;
    items_ = is_shared ? 1 : batch;
    layout_ = copy_layout(m, is_shared, by_columns);
    const std::size_t item = checked_multiply(m.rows, m.columns, "gemm: elements of an operand");
    memory_ =
        array<T, 1>(checked_multiply(item, items_, "gemm: elements of an operand"), uninitialized);
    layout_.data = memory_.data();
  }
  bool is_there() const { return items_ != 0; }
  const strided_matrix<T>& matrix() const { return layout_; }

  void fill(const strided_matrix<const T>& m, int threads) const { copy(m, layout_, threads); }
  /// The copy to where it came from.
  void put_back(const strided_matrix<T>& m, int threads) const {
    copy(as_const(layout_), m, threads);
  }
  static strided_matrix<const T> as_const(const strided_matrix<T>& m) {
    strided_matrix<const T> result;
    result.data = m.data;
    result.rows = m.rows;
    result.columns = m.columns;
    result.row_stride = m.row_stride;
    result.column_stride = m.column_stride;
    result.batch_stride = m.batch_stride;
    result.conjugated = m.conjugated;
    return result;
  }

 private:
  // The inner loop along the copy's unit stride.
  void copy(const strided_matrix<const T>& from, const strided_matrix<T>& to, int threads) const {
    if (layout_.column_stride == 1)
      copy_matrices(from, to, items_, threads);
    else
      copy_matrices(from.transposed(), to.transposed(), items_, threads);
  }

  strided_matrix<T> layout_;
  array<T, 1> memory_;
  std::size_t items_ = 0;
};

}  // namespace papilio::blas_detail
