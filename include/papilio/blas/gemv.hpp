#pragma once

#include "papilio/base/export.hpp"
#include "papilio/base/view.hpp"
#include "papilio/blas/element.hpp"
#include "papilio/blas/matrix_flags.hpp"

namespace papilio {

namespace blas_detail {
template <class T>
PAPILIO_API void gemv(T alpha, view<const T, 2> a, view<const T, 1> x, T beta, view<T, 1> y,
                      matrix_op op, int threads);
template <class T>
PAPILIO_API void ger(T alpha, view<const T, 1> x, view<const T, 1> y, view<T, 2> a,
                     bool conjugated);
}  // namespace blas_detail

/// y = alpha op(A) x + beta y; op(A) is [m, n]. beta = 0 never reads y, alpha = 0 neither A nor x.
/// Any strides; copies only where BLAS cannot express them. Large products are cut by shape, along
/// y or along the sum, among at most `threads` threads (0: every core), on which the result does
/// not depend. shape_error, invalid_argument (y shares memory with A or x; negative threads),
/// resource_error (an extent above 2^31 - 1; no memory for partial sums). O(m n).
template <class Y>
  requires(blas_detail::output<Y, 1>)
void gemv(blas_detail::element_of<Y> alpha, view<const blas_detail::element_of<Y>, 2> a,
          view<const blas_detail::element_of<Y>, 1> x, blas_detail::element_of<Y> beta, Y&& y,
          matrix_op op = matrix_op::none, int threads = 0) {
  using T = blas_detail::element_of<Y>;
  blas_detail::gemv<T>(alpha, a, x, beta, view<T, 1>(y), op, threads);
}

/// A = alpha x y^T + A; A is [m, n]. One thread. Errors as `gemv`'s.
template <class A>
  requires(blas_detail::output<A, 2>)
void ger(blas_detail::element_of<A> alpha, view<const blas_detail::element_of<A>, 1> x,
         view<const blas_detail::element_of<A>, 1> y, A&& a) {
  using T = blas_detail::element_of<A>;
  blas_detail::ger<T>(alpha, x, y, view<T, 2>(a), false);
}

/// A = alpha x y^H + A; A is [m, n]. Errors as `gemv`'s.
template <class A>
  requires(blas_detail::output<A, 2>)
void gerc(blas_detail::element_of<A> alpha, view<const blas_detail::element_of<A>, 1> x,
          view<const blas_detail::element_of<A>, 1> y, A&& a) {
  using T = blas_detail::element_of<A>;
  blas_detail::ger<T>(alpha, x, y, view<T, 2>(a), true);
}

}  // namespace papilio
