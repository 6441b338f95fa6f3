#pragma once

#include <cmath>
#include <complex>
#include <cstddef>

#include "blas/matrix_copy.hpp"
#include "blas/ordered_operand.hpp"
#include "papilio/base/array.hpp"
#include "papilio/base/error.hpp"

namespace papilio::blas_detail {

template <class T>
T conjugated(T x) {
  if constexpr (is_complex<T>) return std::conj(x);
  return x;
}

template <class T>
bool is_finite(T x) {
  return std::isfinite(std::real(x)) && std::isfinite(std::imag(x));
}

/// Returns a leading dimension, which LAPACK requires to be at least 1.
inline int pitch_of(std::size_t extent) { return std::max(1, blas_extent(extent)); }

/// Returns a row-major copy of `a`, which column-major LAPACK reads as its transpose. Elements for
/// which is_read(i, j) holds must be finite, else invalid_argument is thrown; the others become 0.
template <class T, class IsRead>
array<T, 2> finite_copy(const char* who, view<const T, 2> a, const IsRead& is_read) {
  blas_extent(a.extent(0)), blas_extent(a.extent(1));
  array<T, 2> copy(a.extents(), uninitialized);
  strided_matrix<T> to{copy.view()};
  copy_matrix(strided_matrix<const T>(a), to);
  for (std::size_t i = 0; i < a.extent(0); ++i)
    for (std::size_t j = 0; j < a.extent(1); ++j) {
      T& x = copy.data()[i * a.extent(1) + j];
      if (!is_read(i, j))
        x = T(0);
      else if (!is_finite(x))
        throw invalid_argument(
            base_detail::message(who, ": a(", i, ", ", j, ") is not finite: ", x));
    }
  return copy;
}
template <class T>
array<T, 2> finite_copy(const char* who, view<const T, 2> a) {
  return finite_copy(who, a, [](std::size_t, std::size_t) { return true; });
}

template <class T>
std::size_t square_extent(const char* who, const view<const T, 2>& a) {
  if (a.extent(0) != a.extent(1))
    throw shape_error(
        base_detail::message(who, ": a is ", a.extent(0), " x ", a.extent(1), "; must be square"));
  return a.extent(0);
}

/// Throws for a negative `info` of LAPACKE: there is no memory, or papilio passed a wrong argument.
inline void check_info(const char* who, int info) {
  if (info == -1010 || info == -1011)
    throw resource_error(base_detail::message(who, ": LAPACK has no memory to work in"));
  if (info < 0) throw error(base_detail::message(who, ": LAPACK refuses argument ", -info));
}

}  // namespace papilio::blas_detail
