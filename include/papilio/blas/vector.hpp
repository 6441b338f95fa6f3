#pragma once

#include <complex>
#include <cstddef>

#include "papilio/base/array.hpp"
#include "papilio/base/export.hpp"
#include "papilio/blas/element.hpp"

// Level 1: vectors of any stride, reversed and broadcast ones too, for float, double and both
// complex types. O(n), one thread, no allocation. Each function throws shape_error if lengths
// differ or elements of an output share an address, invalid_argument if an output shares memory
// with an input.
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

/// Computes y = alpha x + y.
template <class Y>
  requires(blas_detail::output<Y, 1>)
void axpy(blas_detail::element_of<Y> alpha, view<const blas_detail::element_of<Y>, 1> x, Y&& y) {
  using T = blas_detail::element_of<Y>;
  blas_detail::axpy<T>(alpha, x, view<T, 1>(y));
}

/// Computes x = alpha x; alpha = 0 gives 0 for every finite element.
template <class X>
  requires(blas_detail::output<X, 1>)
void scal(blas_detail::element_of<X> alpha, X&& x) {
  using T = blas_detail::element_of<X>;
  blas_detail::scal<T>(alpha, view<T, 1>(x));
}

/// Returns the sum of x[i] y[i], without conjugation.
template <class X>
auto dot(const X& x, view<const blas_detail::element_of<X>, 1> y) {
  return blas_detail::dot(blas_detail::as_vector(x), y, false);
}

/// Returns the sum of conj(x[i]) y[i].
template <class X>
auto dotc(const X& x, view<const blas_detail::element_of<X>, 1> y) {
  return blas_detail::dot(blas_detail::as_vector(x), y, true);
}

/// Returns the Euclidean norm; squares neither overflow nor underflow.
template <class X>
auto nrm2(const X& x) {
  return blas_detail::nrm2(blas_detail::as_vector(x));
}

/// Returns the sum of |re| + |im|.
template <class X>
auto asum(const X& x) {
  return blas_detail::asum(blas_detail::as_vector(x));
}

/// Returns the index of the first element with the largest |re| + |im|. With a NaN among them, it
/// is the index of some element, as in BLAS. Throws shape_error if x is empty.
template <class X>
std::size_t iamax(const X& x) {
  return blas_detail::iamax(blas_detail::as_vector(x));
}

}  // namespace papilio

// Copies, exchanges and rotations of vectors of any stride, for float, double and both complex
// types. O(n), one thread. Each function throws shape_error if lengths differ or elements of an
// output share an address, invalid_argument if an output shares memory with another operand.
namespace papilio {

/// Holds the rotation [r; 0] = [c s; -conj(s) c] [a; b], c real, c^2 + |s|^2 = 1.
template <class T>
struct plane_rotation {
  decltype(std::abs(T())) c = 1;
  T s = T(0);
  T r = T(0);
};

/// Holds the modified rotation [h11 h12; h21 h22] of BLAS, without square roots; real types only.
template <class T>
struct modified_rotation {
  T h11 = 1, h12 = 0, h21 = 0, h22 = 1;
};

namespace blas_detail {
template <class T>
PAPILIO_API void copy(view<const T, 1> x, view<T, 1> y);
template <class T>
PAPILIO_API void swap_elements(view<T, 1> x, view<T, 1> y);
template <class T>
PAPILIO_API void rot(view<T, 1> x, view<T, 1> y, decltype(std::abs(T())) c, T s);
template <class T>
PAPILIO_API void rotm(view<T, 1> x, view<T, 1> y, const modified_rotation<T>& h);
}  // namespace blas_detail

/// Copies y = x.
template <class Y>
  requires(blas_detail::output<Y, 1>)
void copy(view<const blas_detail::element_of<Y>, 1> x, Y&& y) {
  using T = blas_detail::element_of<Y>;
  blas_detail::copy<T>(x, view<T, 1>(y));
}

/// Exchanges the elements of x and y, as BLAS's swap. The name differs so that algorithms of the
/// standard library do not take it for an exchange of the views themselves.
template <class Y>
  requires(blas_detail::output<Y, 1>)
void swap_elements(view<blas_detail::element_of<Y>, 1> x, Y&& y) {
  using T = blas_detail::element_of<Y>;
  blas_detail::swap_elements<T>(x, view<T, 1>(y));
}

/// Returns the rotation that takes (a, b) to (r, 0); squares do not overflow.
/// - Real: r has the sign of the larger of a and b, as in BLAS.
/// - Complex: r has the direction of a; if a = 0, r = |b|.
/// - b = 0: c = 1, r = a.
template <class T>
PAPILIO_API plane_rotation<T> rotg(T a, T b);

/// Computes x = c x + s y and y = c y - conj(s) x, both from the old x and y.
template <class Y>
  requires(blas_detail::output<Y, 1>)
void rot(view<blas_detail::element_of<Y>, 1> x, Y&& y,
         decltype(std::abs(blas_detail::element_of<Y>())) c, blas_detail::element_of<Y> s) {
  using T = blas_detail::element_of<Y>;
  blas_detail::rot<T>(x, view<T, 1>(y), c, s);
}

/// Computes x = h11 x + h12 y and y = h21 x + h22 y, both from the old x and y.
template <class Y>
  requires(blas_detail::output<Y, 1> && std::is_floating_point_v<blas_detail::element_of<Y>>)
void rotm(view<blas_detail::element_of<Y>, 1> x, Y&& y,
          const modified_rotation<blas_detail::element_of<Y>>& h) {
  using T = blas_detail::element_of<Y>;
  blas_detail::rotm<T>(x, view<T, 1>(y), h);
}

/// Returns the modified rotation H for which H [sqrt(d1) x1; sqrt(d2) y1] has a second component of
/// 0. d1, d2 and x1 are replaced by those of the rotated vector.
template <class T>
  requires(std::is_floating_point_v<T>)
PAPILIO_API modified_rotation<T> rotmg(T& d1, T& d2, T& x1, T y1);

}  // namespace papilio
