#pragma once

#include <cstddef>

#include "blas/blas_operand.hpp"
#include "papilio/base/array.hpp"

namespace papilio::chem_detail {

/// Some occupied orbitals of B with some (or, of several occupied ones, all) virtual ones.
struct orbital_range {
  std::size_t i = 0, occupied = 1, a = 0, virtuals = 0;

  std::size_t rows() const { return occupied * virtuals; }
};

/// The rows of b [nocc, nvir, naux] in a range as one matrix [rows, naux] in place, where strides
/// have it; BLAS may not be able to take that.
template <class T>
blas_detail::strided_matrix<const T> rows_in_place(const view<const T, 3>& b,
                                                   const orbital_range& range) {
  const std::ptrdiff_t step = range.virtuals > 1 ? b.stride(1) : b.stride(0);
  const T* const first = b.data() + static_cast<std::ptrdiff_t>(range.i) * b.stride(0) +
                         static_cast<std::ptrdiff_t>(range.a) * b.stride(1);
  return view<const T, 2>(first, {range.rows(), b.extent(2)}, {step, b.stride(2)});
}

/// Whether all ranges of whole orbitals can be multiplied in place.
template <class T>
bool has_rows_in_place(const view<const T, 3>& b) {
  const auto virtuals = static_cast<std::ptrdiff_t>(b.extent(1));
  const bool is_even =
      b.extent(0) <= 1 || b.extent(1) <= 1 || b.stride(0) == virtuals * b.stride(1);
  return is_even && blas_detail::is_expressible(rows_in_place(
                        b, {.i = 0, .occupied = b.extent(0), .a = 0, .virtuals = b.extent(1)}));
}

/// The rows of a range, copied to `copy` [rows, naux] if that is not null.
template <class T>
blas_detail::strided_matrix<const T> rows_of_range(const view<const T, 3>& b,
                                                   const orbital_range& range, T* copy) {
  if (copy == nullptr) return rows_in_place(b, range);
  const std::size_t naux = b.extent(2);
  for (std::size_t i = 0; i < range.occupied; ++i) {
    const view<const T, 2> from = b[range.i + i].slice(0, range.a, range.virtuals);
    const view<T, 2> to(copy + i * range.virtuals * naux, {range.virtuals, naux});
    blas_detail::copy_matrix(blas_detail::strided_matrix<const T>(from),
                             blas_detail::strided_matrix<T>(to));
  }
  return view<const T, 2>(copy, {range.rows(), naux});
}

}  // namespace papilio::chem_detail
