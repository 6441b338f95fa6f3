#pragma once

#include <complex>
#include <cstddef>
#include <type_traits>

namespace papilio::contract_detail {

template <class T>
inline constexpr bool is_complex_element = !std::is_floating_point_v<T>;

template <class T>
T conjugated(T x) {
  if constexpr (is_complex_element<T>)
    return T(x.real(), -x.imag());
  else
    return x;
}

/// Returns x y, or conj(x) y if Conjugate, without the standard library's recovery of infinities,
/// which no BLAS has.
template <bool Conjugate = false, class T>
T product_of(T x, T y) {
  if constexpr (is_complex_element<T>) {
    const auto a = x.real(), b = Conjugate ? -x.imag() : x.imag();
    return T(a * y.real() - b * y.imag(), a * y.imag() + b * y.real());
  } else {
    return x * y;
  }
}

/// Last step of a sum: out = alpha op(sum) + beta out; beta = 0 does not read out.
template <class T>
struct finish {
  T alpha = T(1), beta = T(0);
  bool conjugates = false;

  bool is_plain() const { return alpha == T(1) && beta == T(0) && !conjugates; }
  T value(T sum) const {
    const T x = conjugates ? conjugated(sum) : sum;
    return alpha == T(1) ? x : product_of(alpha, x);
  }
  void put(const T* sums, std::size_t count, T* out, std::ptrdiff_t step) const {
    if (is_plain()) {
      for (std::size_t i = 0; i < count; ++i, out += step) *out = sums[i];
    } else if (beta == T(0)) {
      for (std::size_t i = 0; i < count; ++i, out += step) *out = value(sums[i]);
    } else {
      for (std::size_t i = 0; i < count; ++i, out += step)
        *out = value(sums[i]) + product_of(beta, *out);
    }
  }
};

}  // namespace papilio::contract_detail
