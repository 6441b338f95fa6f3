#pragma once

#include "papilio/base/export.hpp"
#include "papilio/base/view.hpp"
#include "papilio/blas/element.hpp"
#include "papilio/blas/matrix_flags.hpp"

namespace papilio {

struct symm_options {
  matrix_side side = matrix_side::left;               ///< of the symmetric matrix
  matrix_triangle triangle = matrix_triangle::upper;  ///< the half of it that is read
  int threads = 0;  ///< 0: every core. The result does not depend on it.

  bool operator==(const symm_options&) const = default;
};

namespace blas_detail {
template <class T>
PAPILIO_API void symm(T alpha, view<const T, 2> a, view<const T, 2> b, T beta, view<T, 2> c,
                      const symm_options& options, bool hermitian);
template <class T>
PAPILIO_API void symv(T alpha, view<const T, 2> a, view<const T, 1> x, T beta, view<T, 1> y,
                      matrix_triangle triangle, bool hermitian);
}  // namespace blas_detail

/// C = alpha A B + beta C (left) or alpha B A + beta C (right), A symmetric and one half of it
/// read. Any strides; copies only where BLAS cannot express them. beta = 0 never reads C.
/// shape_error, invalid_argument (C shares memory with A or B), resource_error (an extent above
/// 2^31 - 1).
template <class C>
  requires(blas_detail::output<C, 2>)
void symm(blas_detail::element_of<C> alpha, view<const blas_detail::element_of<C>, 2> a,
          view<const blas_detail::element_of<C>, 2> b, blas_detail::element_of<C> beta, C&& c,
          const symm_options& options = {}) {
  using T = blas_detail::element_of<C>;
  blas_detail::symm<T>(alpha, a, b, beta, view<T, 2>(c), options, false);
}

/// `symm` with a Hermitian A; the imaginary parts of its diagonal are not read.
template <class C>
  requires(blas_detail::output<C, 2>)
void hemm(blas_detail::element_of<C> alpha, view<const blas_detail::element_of<C>, 2> a,
          view<const blas_detail::element_of<C>, 2> b, blas_detail::element_of<C> beta, C&& c,
          const symm_options& options = {}) {
  using T = blas_detail::element_of<C>;
  blas_detail::symm<T>(alpha, a, b, beta, view<T, 2>(c), options, true);
}

/// y = alpha A x + beta y, A symmetric. One thread. Errors as `symm`'s.
template <class Y>
  requires(blas_detail::output<Y, 1>)
void symv(blas_detail::element_of<Y> alpha, view<const blas_detail::element_of<Y>, 2> a,
          view<const blas_detail::element_of<Y>, 1> x, blas_detail::element_of<Y> beta, Y&& y,
          matrix_triangle triangle = matrix_triangle::upper) {
  using T = blas_detail::element_of<Y>;
  blas_detail::symv<T>(alpha, a, x, beta, view<T, 1>(y), triangle, false);
}

/// y = alpha A x + beta y, A Hermitian. One thread. Errors as `symm`'s.
template <class Y>
  requires(blas_detail::output<Y, 1>)
void hemv(blas_detail::element_of<Y> alpha, view<const blas_detail::element_of<Y>, 2> a,
          view<const blas_detail::element_of<Y>, 1> x, blas_detail::element_of<Y> beta, Y&& y,
          matrix_triangle triangle = matrix_triangle::upper) {
  using T = blas_detail::element_of<Y>;
  blas_detail::symv<T>(alpha, a, x, beta, view<T, 1>(y), triangle, true);
}

}  // namespace papilio
