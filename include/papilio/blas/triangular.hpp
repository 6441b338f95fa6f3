#pragma once

#include "papilio/base/array.hpp"
#include "papilio/base/export.hpp"
#include "papilio/blas/element.hpp"
#include "papilio/blas/matrix_flags.hpp"

namespace papilio {

/// What op(A) of a triangular matrix is; the triangle is that of A as it is given.
struct triangular_options {
  matrix_triangle triangle = matrix_triangle::upper;
  matrix_op op = matrix_op::none;
  matrix_diagonal diagonal = matrix_diagonal::stored;

  bool operator==(const triangular_options&) const = default;
};

namespace blas_detail {
enum class triangular_use { product, solution };
template <class T>
PAPILIO_API void triangular(triangular_use use, T alpha, view<const T, 2> a, view<T, 2> b,
                            matrix_side side, const triangular_options& options, int threads);
template <class T>
PAPILIO_API void triangular(triangular_use use, view<const T, 2> a, view<T, 1> x,
                            const triangular_options& options);
}  // namespace blas_detail

/// B = alpha op(A) B (left) or alpha B op(A) (right), A triangular. Any strides; copies only where
/// BLAS cannot express them. Threads over columns (left) or rows (right) of B, cut by shape.
/// shape_error, invalid_argument (B shares memory with A), resource_error (an extent above
/// 2^31 - 1).
template <class B>
  requires(blas_detail::output<B, 2>)
void trmm(matrix_side side, blas_detail::element_of<B> alpha,
          view<const blas_detail::element_of<B>, 2> a, B&& b,
          const triangular_options& options = {}, int threads = 0) {
  using T = blas_detail::element_of<B>;
  blas_detail::triangular<T>(blas_detail::triangular_use::product, alpha, a, view<T, 2>(b), side,
                             options, threads);
}

/// B = X of op(A) X = alpha B (left) or X op(A) = alpha B (right). A zero on the diagonal makes
/// infinities. Otherwise as `trmm`.
template <class B>
  requires(blas_detail::output<B, 2>)
void trsm(matrix_side side, blas_detail::element_of<B> alpha,
          view<const blas_detail::element_of<B>, 2> a, B&& b,
          const triangular_options& options = {}, int threads = 0) {
  using T = blas_detail::element_of<B>;
  blas_detail::triangular<T>(blas_detail::triangular_use::solution, alpha, a, view<T, 2>(b), side,
                             options, threads);
}

/// x = op(A) x, A triangular. One thread. Errors as `trmm`'s.
template <class X>
  requires(blas_detail::output<X, 1>)
void trmv(view<const blas_detail::element_of<X>, 2> a, X&& x,
          const triangular_options& options = {}) {
  using T = blas_detail::element_of<X>;
  blas_detail::triangular<T>(blas_detail::triangular_use::product, a, view<T, 1>(x), options);
}

/// x = y of op(A) y = x, A triangular. One thread. Errors as `trmm`'s.
template <class X>
  requires(blas_detail::output<X, 1>)
void trsv(view<const blas_detail::element_of<X>, 2> a, X&& x,
          const triangular_options& options = {}) {
  using T = blas_detail::element_of<X>;
  blas_detail::triangular<T>(blas_detail::triangular_use::solution, a, view<T, 1>(x), options);
}

}  // namespace papilio
