#include "papilio/blas/vector.hpp"

#include <cmath>
#include <complex>
#include <utility>

#include "blas/cblas_calls.hpp"
#include "blas/serial_blas.hpp"
#include "blas/vector_pieces.hpp"

namespace papilio {
namespace blas_detail {
namespace {

template <class T>
void check_pair(const char* who, view<T, 1> x, view<T, 1> y) {
  check_lengths(who, view<const T, 1>(x), y.extent(0));
  base_detail::require_distinct(who, x);
  base_detail::require_distinct(who, y);
  check_apart(who, "x", view<const T, 1>(x), "y", y);
}

float conjugate(float x) { return x; }
double conjugate(double x) { return x; }
template <class R>
std::complex<R> conjugate(std::complex<R> x) {
  return std::conj(x);
}

void call_rotmg(float& d1, float& d2, float& x1, float y1, float* p) {
  cblas_srotmg(&d1, &d2, &x1, y1, p);
}
void call_rotmg(double& d1, double& d2, double& x1, double y1, double* p) {
  cblas_drotmg(&d1, &d2, &x1, y1, p);
}

// Calls step(x[i], y[i]) for all i.
template <class T, class Step>
void for_pairs(view<T, 1> x, view<T, 1> y, const Step& step) {
  if (x.stride(0) == 1 && y.stride(0) == 1) {  // a loop of its own, which becomes one of vectors
    T *const p = x.data(), *const q = y.data();
    for (std::size_t i = 0; i < x.extent(0); ++i) step(p[i], q[i]);
    return;
  }
  for (std::size_t i = 0; i < x.extent(0); ++i) step(x[i], y[i]);
}

}  // namespace

template <class T>
void copy(view<const T, 1> x, view<T, 1> y) {
  check_lengths("copy", x, y.extent(0));
  base_detail::require_distinct("copy", y);
  check_apart("copy", "x", x, "y", y);
  for (std::size_t i = 0; i < y.extent(0); ++i) y[i] = x[i];
}

template <class T>
void swap_elements(view<T, 1> x, view<T, 1> y) {
  check_pair("swap_elements", x, y);
  for_pairs(x, y, [](T& p, T& q) { std::swap(p, q); });
}

template <class T>
void rot(view<T, 1> x, view<T, 1> y, decltype(std::abs(T())) c, T s) {
  check_pair("rot", x, y);
  const T back = conjugate(s);
  for_pairs(x, y, [&](T& p, T& q) {
    const T old = p;
    p = c * old + s * q;
    q = c * q - back * old;
  });
}

template <class T>
void rotm(view<T, 1> x, view<T, 1> y, const modified_rotation<T>& h) {
  check_pair("rotm", x, y);
  for_pairs(x, y, [&](T& p, T& q) {
    const T old = p;
    p = h.h11 * old + h.h12 * q;
    q = h.h21 * old + h.h22 * q;
  });
}

#define PAPILIO_INSTANTIATE(T)                                     \
  template PAPILIO_API void copy(view<const T, 1>, view<T, 1>);    \
  template PAPILIO_API void swap_elements(view<T, 1>, view<T, 1>); \
  template PAPILIO_API void rot<T>(view<T, 1>, view<T, 1>, decltype(std::abs(T())), T)
PAPILIO_INSTANTIATE(float);
PAPILIO_INSTANTIATE(double);
PAPILIO_INSTANTIATE(std::complex<float>);
PAPILIO_INSTANTIATE(std::complex<double>);
#undef PAPILIO_INSTANTIATE
template PAPILIO_API void rotm(view<float, 1>, view<float, 1>, const modified_rotation<float>&);
template PAPILIO_API void rotm(view<double, 1>, view<double, 1>, const modified_rotation<double>&);

}  // namespace blas_detail

template <class T>
plane_rotation<T> rotg(T a, T b) {
  using Real = decltype(std::abs(T()));
  if (b == T(0)) return {Real(1), T(0), a};
  if (a == T(0)) {
    if constexpr (std::is_floating_point_v<T>)
      return {Real(0), T(1), b};
    else
      return {Real(0), std::conj(b) / std::abs(b), T(std::abs(b))};
  }
  const Real size_a = std::abs(a), size_b = std::abs(b), size = std::hypot(size_a, size_b);
  if constexpr (std::is_floating_point_v<T>) {
    const T r = std::copysign(size, size_a > size_b ? a : b);
    return {a / r, b / r, r};
  } else {
    const T direction = a / size_a;
    return {size_a / size, direction * (std::conj(b) / size), direction * size};
  }
}

template <class T>
  requires(std::is_floating_point_v<T>)
modified_rotation<T> rotmg(T& d1, T& d2, T& x1, T y1) {
  blas_detail::use_serial_blas();
  T p[5] = {};  // flag, h11, h21, h12, h22
  blas_detail::call_rotmg(d1, d2, x1, y1, p);
  if (p[0] == T(-2)) return {};
  if (p[0] == T(0)) return {T(1), p[3], p[2], T(1)};
  if (p[0] == T(1)) return {p[1], T(1), T(-1), p[4]};
  return {p[1], p[3], p[2], p[4]};
}

template PAPILIO_API plane_rotation<float> rotg(float, float);
template PAPILIO_API plane_rotation<double> rotg(double, double);
template PAPILIO_API plane_rotation<std::complex<float>> rotg(std::complex<float>,
                                                              std::complex<float>);
template PAPILIO_API plane_rotation<std::complex<double>> rotg(std::complex<double>,
                                                               std::complex<double>);
template PAPILIO_API modified_rotation<float> rotmg(float&, float&, float&, float);
template PAPILIO_API modified_rotation<double> rotmg(double&, double&, double&, double);

}  // namespace papilio
