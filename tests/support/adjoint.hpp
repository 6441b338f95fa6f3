#pragma once

#include <cmath>
#include <complex>
#include <cstddef>
#include <iterator>
#include <type_traits>

namespace papilio::test {

/// Real part of the inner product of two ranges of reals or complex numbers, and the product of
/// their norms, which its rounding errors are relative to.
struct inner_product {
  long double value = 0, scale = 0;
};
inner_product inner(const auto& a, const auto& b) {
  using exact = std::complex<long double>;
  inner_product p;
  long double left = 0, right = 0;
  auto at = std::begin(b);
  for (const auto& v : a) {
    const exact x(v), y(*at++);
    p.value += (x * std::conj(y)).real();
    left += std::norm(x);
    right += std::norm(y);
  }
  p.scale = std::sqrt(left) * std::sqrt(right);
  return p;
}

/// |<a, y> - <x, b>| of a = A x and b = A* y, relative to the products of the norms.
double adjoint_error(const auto& a, const auto& y, const auto& x, const auto& b) {
  const inner_product left = inner(a, y), right = inner(x, b);
  const long double scale = left.scale + right.scale;
  const long double error = std::abs(left.value - right.value);
  return static_cast<double>(scale == 0 ? error : error / scale);
}

}  // namespace papilio::test
