#pragma once

#include <cblas.h>

#include <algorithm>
#include <cstddef>

#include "blas/blas_operand.hpp"
#include "papilio/base/error.hpp"
#include "papilio/blas/element.hpp"

// Operands of those routines of BLAS whose matrices must all be row-major or all column-major.
namespace papilio::blas_detail {

template <class T>
int pitch_in(const strided_matrix<T>& m, CBLAS_ORDER order) {
  return order == CblasRowMajor ? row_major_pitch(m) : column_major_pitch(m);
}

/// The storage order of an output: row-major if it is neither.
template <class T>
CBLAS_ORDER order_of(const strided_matrix<T>& m) {
  return row_major_pitch(m) == 0 && column_major_pitch(m) != 0 ? CblasColMajor : CblasRowMajor;
}

inline CBLAS_UPLO blas_triangle(matrix_triangle triangle, bool turned) {
  return (triangle == matrix_triangle::upper) != turned ? CblasUpper : CblasLower;
}
inline CBLAS_DIAG blas_diagonal(matrix_diagonal d) {
  return d == matrix_diagonal::unit ? CblasUnit : CblasNonUnit;
}
inline CBLAS_SIDE blas_side(matrix_side side) {
  return side == matrix_side::left ? CblasLeft : CblasRight;
}
/// op of what is stored, or of its transpose where BLAS sees that.
template <class T>
CBLAS_TRANSPOSE blas_op(matrix_op op, bool turned) {
  return blas_op(transposes(op) != turned, conjugates<T>(op));
}

/// Extent as BLAS counts; resource_error beyond.
inline int blas_extent(std::size_t extent) {
  return checked_cast<int>(extent, "extent of a matrix for BLAS");
}

template <class T>
struct placed_matrix {
  T* data = nullptr;
  int pitch = 1;
  CBLAS_ORDER order = CblasRowMajor;
  bool is_turned = false;  ///< BLAS sees the transpose

  T* at(std::size_t row, std::size_t column) const {
    const bool by_rows = (order == CblasRowMajor) != is_turned;
    return data + static_cast<std::ptrdiff_t>(by_rows ? row : column) * pitch +
           static_cast<std::ptrdiff_t>(by_rows ? column : row);
  }
};

/// An input in the order of the output: as it is, as its transpose if `may_turn`, or a copy.
template <class T>
class ordered_input {
 public:
  ordered_input(const strided_matrix<const T>& m, CBLAS_ORDER order, bool may_turn) {
    const CBLAS_ORDER other = order == CblasRowMajor ? CblasColMajor : CblasRowMajor;
    if (const int pitch = pitch_in(m, order)) {
      placed_ = {m.data, pitch, order, false};
    } else if (const int turned = may_turn ? pitch_in(m, other) : 0) {
      placed_ = {m.data, turned, order, true};
    } else {
      copy_.reserve(m, 1, order == CblasColMajor);
      placed_ = {copy_.matrix().data, pitch_in(copy_.matrix(), order), order, false};
      source_ = m;
    }
  }
  void gather(int threads) const {
    if (copy_.is_there()) copy_.fill(source_, threads);
  }
  const placed_matrix<const T>& placed() const { return placed_; }

 private:
  operand_copy<T> copy_;
  placed_matrix<const T> placed_;
  strided_matrix<const T> source_;
};

/// An output as BLAS takes it: in place, or a row-major copy.
template <class T>
class ordered_output {
 public:
  explicit ordered_output(const strided_matrix<T>& m) : target_(m) {
    const CBLAS_ORDER order = order_of(m);
    if (const int pitch = pitch_in(m, order)) {
      placed_ = {m.data, pitch, order, false};
    } else {
      copy_.reserve(operand_copy<T>::as_const(m), 1, false);
      placed_ = {copy_.matrix().data, pitch_in(copy_.matrix(), order), order, false};
    }
  }
  void gather(int threads) const {
    if (copy_.is_there()) copy_.fill(operand_copy<T>::as_const(target_), threads);
  }
  void scatter(int threads) const {
    if (copy_.is_there()) copy_.put_back(target_, threads);
  }
  const placed_matrix<T>& placed() const { return placed_; }

 private:
  operand_copy<T> copy_;
  placed_matrix<T> placed_;
  strided_matrix<T> target_;
};

}  // namespace papilio::blas_detail
