#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "base/internal.hpp"

namespace papilio::base_detail {

/// Roots of unity W_n^k = exp(-2 pi i k / n), within 0.51 ulp of float and double and 1 ulp of long
/// double for every k.
///
/// The angle never appears in working precision: k is reduced to the first octant in integers,
/// where W is the product of two table entries, exp(-2 pi i a m / n) exp(-2 pi i b / n) with
/// index a m + b, m about the root of an octant. The tables, O(sqrt n) sines and cosines, and their
/// product are held in a wider type (double for float, long double for double), so that only the
/// last rounding counts. For long double there is no wider type: its octant is taken root by root
/// from the sine and cosine of an angle in two parts, so that only theirs are the rounding errors.
template <class T>
class PAPILIO_INTERNAL roots_of_unity {
 public:
  explicit roots_of_unity(std::size_t n);

  /// W_n^k, k taken modulo n.
  std::complex<T> operator()(std::size_t k) const {
    const auto w = root(k);
    return {static_cast<T>(w.real()), static_cast<T>(w.imag())};
  }

 private:
  using wide = std::conditional_t<std::is_same_v<T, float>, double, long double>;
  // Two doubles are returned in registers, two floats by way of memory.
  using returned = std::conditional_t<std::is_same_v<T, float>, double, T>;
  std::complex<returned> root(std::size_t k) const;
  std::complex<wide> first_octant(std::size_t q) const;

  std::size_t n_;
  std::size_t step_ = 0;
  std::uint64_t reciprocal_ = 0;  // 2^64 / step
  std::vector<std::complex<wide>> coarse_, fine_;
};

extern template class roots_of_unity<float>;
extern template class roots_of_unity<double>;
extern template class roots_of_unity<long double>;

}  // namespace papilio::base_detail
