#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstddef>
#include <span>
#include <type_traits>

namespace papilio::test {

/// Expects `gradient` to be that of the real function loss() by the numbers of x, which it reads:
/// dL/dRe + i dL/dIm by central differences with the step h, whose error is h^2 L''' / 6 and
/// epsilon L / h; `tolerance` is for both.
template <class V, class Loss>
void expect_gradient(const Loss& loss, std::span<V> x, std::span<const V> gradient,
                     double tolerance = 1e-7, double h = 1e-5) {
  ASSERT_EQ(x.size(), gradient.size());
  const auto difference = [&](std::size_t i, V step) {
    const V at = x[i];
    x[i] = at + step;
    const double above = static_cast<double>(loss());
    x[i] = at - step;
    const double below = static_cast<double>(loss());
    x[i] = at;
    return (above - below) / (2 * h);
  };
  for (std::size_t i = 0; i < x.size(); ++i) {
    if constexpr (std::is_floating_point_v<V>) {
      EXPECT_NEAR(difference(i, V(h)), gradient[i], tolerance) << "element " << i;
    } else {
      using T = typename V::value_type;
      EXPECT_NEAR(difference(i, V(T(h), 0)), gradient[i].real(), tolerance) << "element " << i;
      EXPECT_NEAR(difference(i, V(0, T(h))), gradient[i].imag(), tolerance) << "element " << i;
    }
  }
}

}  // namespace papilio::test
