#pragma once

#include <complex>

#include "papilio/base/export.hpp"
#include "papilio/base/view.hpp"
#include "papilio/blas/element.hpp"
#include "papilio/blas/matrix_flags.hpp"

// Updates of rank one and two of one half of a square matrix of any strides; the other half is left
// as it is. One thread, O(n^2); the vectors are copied. shape_error, invalid_argument (A shares
// memory with a vector), resource_error (an extent above 2^31 - 1).
namespace papilio {

namespace blas_detail {
template <class T>
PAPILIO_API void syr(T alpha, view<const T, 1> x, view<T, 2> a, matrix_triangle triangle,
                     bool hermitian);
template <class T>
PAPILIO_API void syr2(T alpha, view<const T, 1> x, view<const T, 1> y, view<T, 2> a,
                      matrix_triangle triangle, bool hermitian);
}  // namespace blas_detail

/// A = alpha x x^T + A.
template <class A>
  requires(blas_detail::output<A, 2>)
void syr(blas_detail::element_of<A> alpha, view<const blas_detail::element_of<A>, 1> x, A&& a,
         matrix_triangle triangle = matrix_triangle::upper) {
  using T = blas_detail::element_of<A>;
  blas_detail::syr<T>(alpha, x, view<T, 2>(a), triangle, false);
}

/// A = alpha x x^H + A with a real alpha; the diagonal's imaginary parts become 0.
template <class A>
  requires(blas_detail::output<A, 2>)
void her(decltype(std::abs(blas_detail::element_of<A>())) alpha,
         view<const blas_detail::element_of<A>, 1> x, A&& a,
         matrix_triangle triangle = matrix_triangle::upper) {
  using T = blas_detail::element_of<A>;
  blas_detail::syr<T>(T(alpha), x, view<T, 2>(a), triangle, true);
}

/// A = alpha x y^T + alpha y x^T + A.
template <class A>
  requires(blas_detail::output<A, 2>)
void syr2(blas_detail::element_of<A> alpha, view<const blas_detail::element_of<A>, 1> x,
          view<const blas_detail::element_of<A>, 1> y, A&& a,
          matrix_triangle triangle = matrix_triangle::upper) {
  using T = blas_detail::element_of<A>;
  blas_detail::syr2<T>(alpha, x, y, view<T, 2>(a), triangle, false);
}

/// A = alpha x y^H + conj(alpha) y x^H + A; the diagonal's imaginary parts become 0.
template <class A>
  requires(blas_detail::output<A, 2>)
void her2(blas_detail::element_of<A> alpha, view<const blas_detail::element_of<A>, 1> x,
          view<const blas_detail::element_of<A>, 1> y, A&& a,
          matrix_triangle triangle = matrix_triangle::upper) {
  using T = blas_detail::element_of<A>;
  blas_detail::syr2<T>(alpha, x, y, view<T, 2>(a), triangle, true);
}

}  // namespace papilio
