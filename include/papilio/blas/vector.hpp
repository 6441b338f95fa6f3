#pragma once

#include <complex>
#include <cstddef>

#include "papilio/base/export.hpp"
#include "papilio/base/view.hpp"
#include "papilio/blas/element.hpp"

// Level 1: vectors of any stride, reversed and broadcast ones too, for float, double and both
// complex types. O(n), one thread, no allocation. shape_error where lengths differ or elements of
// an output share an address; invalid_argument where an output shares memory with an input.
namespace papilio {

namespace blas_detail {
template <class T>
PAPILIO_API void axpy(T alpha, view<const T, 1> x, view<T, 1> y);
template <class T>
PAPILIO_API void scal(T alpha, view<T, 1> x);
template <class T>
PAPILIO_API T dot(view<const T, 1> x, view<const T, 1> y, bool conjugated);
template <class T>
PAPILIO_API decltype(std::abs(T())) nrm2(view<const T, 1> x);
template <class T>
PAPILIO_API decltype(std::abs(T())) asum(view<const T, 1> x);
template <class T>
PAPILIO_API std::size_t iamax(view<const T, 1> x);

template <class X>
view<const element_of<X>, 1> as_vector(const X& x) {
  static_assert(is_element<element_of<X>>);
  return x;
}
}  // namespace blas_detail

/// y = alpha x + y.
template <class Y>
  requires(blas_detail::output<Y, 1>)
void axpy(blas_detail::element_of<Y> alpha, view<const blas_detail::element_of<Y>, 1> x, Y&& y) {
  using T = blas_detail::element_of<Y>;
  blas_detail::axpy<T>(alpha, x, view<T, 1>(y));
}

/// x = alpha x; alpha = 0 makes zeros of all that is finite.
template <class X>
  requires(blas_detail::output<X, 1>)
void scal(blas_detail::element_of<X> alpha, X&& x) {
  using T = blas_detail::element_of<X>;
  blas_detail::scal<T>(alpha, view<T, 1>(x));
}

/// Sum of x[i] y[i], without conjugation.
template <class X>
auto dot(const X& x, view<const blas_detail::element_of<X>, 1> y) {
  return blas_detail::dot(blas_detail::as_vector(x), y, false);
}

/// Sum of conj(x[i]) y[i].
template <class X>
auto dotc(const X& x, view<const blas_detail::element_of<X>, 1> y) {
  return blas_detail::dot(blas_detail::as_vector(x), y, true);
}

/// Euclidean norm, without overflow or underflow of squares.
template <class X>
auto nrm2(const X& x) {
  return blas_detail::nrm2(blas_detail::as_vector(x));
}

/// Sum of |re| + |im|.
template <class X>
auto asum(const X& x) {
  return blas_detail::asum(blas_detail::as_vector(x));
}

/// Index of the first element whose |re| + |im| is largest. Where one is no number the index is
/// some element's, as BLAS has it. shape_error if x is empty.
template <class X>
std::size_t iamax(const X& x) {
  return blas_detail::iamax(blas_detail::as_vector(x));
}

}  // namespace papilio
