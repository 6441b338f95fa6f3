#pragma once

#include <complex>

#include "papilio/base/array.hpp"
#include "papilio/base/export.hpp"
#include "papilio/blas/element.hpp"

namespace papilio {

namespace blas_detail {
template <class T>
PAPILIO_API void gemv(T alpha, view<const T, 2> a, view<const T, 1> x, T beta, view<T, 1> y,
                      matrix_op op, int threads);
template <class T>
PAPILIO_API void ger(T alpha, view<const T, 1> x, view<const T, 1> y, view<T, 2> a,
                     bool conjugated);
}  // namespace blas_detail

/// Computes y = alpha op(A) x + beta y; op(A) is [m, n], any strides.
/// - beta = 0 never reads y; alpha = 0 reads neither A nor x.
/// - Operands are copied only where BLAS cannot express their strides.
/// - Large products are cut by shape, along y or along the sum, among at most `threads` threads (0:
///   every core). The result does not depend on their number.
///
/// O(m n).
/// Throws shape_error if extents do not fit or elements of y share an address, invalid_argument if
/// y shares memory with A or x or threads are negative, resource_error if an extent is above
/// 2^31 - 1 or there is no memory for partial sums.
template <class Y>
  requires(blas_detail::output<Y, 1>)
void gemv(blas_detail::element_of<Y> alpha, view<const blas_detail::element_of<Y>, 2> a,
          view<const blas_detail::element_of<Y>, 1> x, blas_detail::element_of<Y> beta, Y&& y,
          matrix_op op = matrix_op::none, int threads = 0) {
  using T = blas_detail::element_of<Y>;
  blas_detail::gemv<T>(alpha, a, x, beta, view<T, 1>(y), op, threads);
}

/// Computes A = alpha x y^T + A; A is [m, n]. One thread. Throws as `gemv`.
template <class A>
  requires(blas_detail::output<A, 2>)
void ger(blas_detail::element_of<A> alpha, view<const blas_detail::element_of<A>, 1> x,
         view<const blas_detail::element_of<A>, 1> y, A&& a) {
  using T = blas_detail::element_of<A>;
  blas_detail::ger<T>(alpha, x, y, view<T, 2>(a), false);
}

/// Computes A = alpha x y^H + A; A is [m, n]. One thread. Throws as `gemv`.
template <class A>
  requires(blas_detail::output<A, 2>)
void gerc(blas_detail::element_of<A> alpha, view<const blas_detail::element_of<A>, 1> x,
          view<const blas_detail::element_of<A>, 1> y, A&& a) {
  using T = blas_detail::element_of<A>;
  blas_detail::ger<T>(alpha, x, y, view<T, 2>(a), true);
}

}  // namespace papilio

// Updates of rank one and two of one triangle of a square matrix [n, n] of any strides; the other
// triangle is neither read nor written. One thread, O(n^2); the vectors are copied. Each function
// throws shape_error if extents do not fit or elements of A share an address, invalid_argument if A
// shares memory with a vector, resource_error if an extent is above 2^31 - 1.
namespace papilio {

namespace blas_detail {
template <class T>
PAPILIO_API void syr(T alpha, view<const T, 1> x, view<T, 2> a, matrix_triangle triangle,
                     bool hermitian);
template <class T>
PAPILIO_API void syr2(T alpha, view<const T, 1> x, view<const T, 1> y, view<T, 2> a,
                      matrix_triangle triangle, bool hermitian);
}  // namespace blas_detail

/// Computes A = alpha x x^T + A in one triangle.
template <class A>
  requires(blas_detail::output<A, 2>)
void syr(blas_detail::element_of<A> alpha, view<const blas_detail::element_of<A>, 1> x, A&& a,
         matrix_triangle triangle = matrix_triangle::upper) {
  using T = blas_detail::element_of<A>;
  blas_detail::syr<T>(alpha, x, view<T, 2>(a), triangle, false);
}

/// Computes A = alpha x x^H + A in one triangle, with a real alpha. The diagonal's imaginary parts
/// become 0.
template <class A>
  requires(blas_detail::output<A, 2>)
void her(decltype(std::abs(blas_detail::element_of<A>())) alpha,
         view<const blas_detail::element_of<A>, 1> x, A&& a,
         matrix_triangle triangle = matrix_triangle::upper) {
  using T = blas_detail::element_of<A>;
  blas_detail::syr<T>(T(alpha), x, view<T, 2>(a), triangle, true);
}

/// Computes A = alpha x y^T + alpha y x^T + A in one triangle.
template <class A>
  requires(blas_detail::output<A, 2>)
void syr2(blas_detail::element_of<A> alpha, view<const blas_detail::element_of<A>, 1> x,
          view<const blas_detail::element_of<A>, 1> y, A&& a,
          matrix_triangle triangle = matrix_triangle::upper) {
  using T = blas_detail::element_of<A>;
  blas_detail::syr2<T>(alpha, x, y, view<T, 2>(a), triangle, false);
}

/// Computes A = alpha x y^H + conj(alpha) y x^H + A in one triangle. The diagonal's imaginary parts
/// become 0.
template <class A>
  requires(blas_detail::output<A, 2>)
void her2(blas_detail::element_of<A> alpha, view<const blas_detail::element_of<A>, 1> x,
          view<const blas_detail::element_of<A>, 1> y, A&& a,
          matrix_triangle triangle = matrix_triangle::upper) {
  using T = blas_detail::element_of<A>;
  blas_detail::syr2<T>(alpha, x, y, view<T, 2>(a), triangle, true);
}

}  // namespace papilio
