#pragma once

#include <cstddef>

#include "papilio/base/export.hpp"
#include "papilio/base/view.hpp"
#include "papilio/blas/element.hpp"
#include "papilio/blas/factorization.hpp"
#include "papilio/blas/matrix_flags.hpp"

namespace papilio {

namespace blas_detail {
template <class T>
PAPILIO_API eigh_factors<T> eigh_leading(view<const T, 2> a, std::size_t count,
                                         matrix_triangle triangle);
}

/// The `count` largest eigenvalues of a symmetric real matrix, descending, and their vectors
/// [n, count]: by multiple relatively robust representations, which is faster than `eigh` where few
/// are wanted. Only one triangle is read. One thread. Errors as `eigh`'s, and invalid_argument for
/// a count above n. O(n^3).
template <class A>
auto eigh_leading(const A& a, std::size_t count,
                  matrix_triangle triangle = matrix_triangle::lower) {
  return blas_detail::eigh_leading(blas_detail::as_matrix(a), count, triangle);
}

}  // namespace papilio
