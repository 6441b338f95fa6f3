#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "papilio/base.hpp"
#include "papilio/signal.hpp"

namespace papilio {
namespace {

TEST(window, hann_is_its_definition) {
  for (const std::size_t n : {2, 3, 8, 9, 400, 2048})
    for (const auto symmetry : {window_symmetry::periodic, window_symmetry::symmetric}) {
      const auto w = make_window(window_kind::hann, n, symmetry);
      const long double period =
          static_cast<long double>(symmetry == window_symmetry::periodic ? n : n - 1);
      for (std::size_t k = 0; k < n; ++k) {
        const long double expected =
            0.5L - 0.5L * std::cos(2 * std::numbers::pi_v<long double> * k / period);
        // sin(x)^2: twice the relative error of x and of sin, each within two units.
        EXPECT_NEAR(w[k], static_cast<double>(expected), 8e-16);
        const std::size_t mirror = static_cast<std::size_t>(period) - k;
        if (mirror < n) {
          EXPECT_EQ(w[k], w[mirror]);
        }
      }
    }
}

TEST(window, periodic_hann_overlaps_to_a_constant) {
  const auto w = make_window<float>(window_kind::hann, 8);
  for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(w[k] + w[k + 4], 1.0f, 1e-6f);
  EXPECT_DOUBLE_EQ(window_sum(std::span<const double>(make_window(window_kind::hann, 64).flat())),
                   32.0);
}

TEST(window, edge_cases) {
  EXPECT_THROW(make_window(window_kind::hann, 0), invalid_argument);
  EXPECT_EQ(make_window(window_kind::hann, 1)[0], 1);
  EXPECT_EQ(make_window(window_kind::hann, 1, window_symmetry::symmetric)[0], 1);
  for (const double w : make_window(window_kind::rectangular, 5)) EXPECT_EQ(w, 1);
}

TEST(window, names) {
  for (const auto kind : {window_kind::hann, window_kind::rectangular})
    EXPECT_EQ(parse_window_kind(to_string(kind)), kind);
  EXPECT_THROW(parse_window_kind("Hann"), invalid_argument);
}

}  // namespace
}  // namespace papilio
