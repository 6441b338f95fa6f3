// Results so long that they are written past the caches.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "fft/recipe_checks.hpp"

namespace papilio::test {
namespace {

constexpr std::size_t n = std::size_t{1} << 23;

// An output that begins on a cache line may be streamed, another and the input never are.
TEST(streamed_line, the_bits_are_those_of_any_other_store) {
  using complex = std::complex<float>;
  array<complex, 1> x(n + 1), y(n), other(n + 1);
  std::uint32_t state = 1;
  for (complex& v : x) {
    const auto next = [&] {
      return static_cast<float>((state = state * 1664525 + 1013904223) >> 8);
    };
    v = {next(), next()};
  }
  const auto in = x.flat().first(n);
  for (const direction dir : {direction::forward, direction::inverse}) {
    const fft_plan<float> plan(n, dir);
    plan.execute(in, y.flat());
    plan.execute(in, other.flat().subspan(1));
    EXPECT_TRUE(std::ranges::equal(y, other.flat().subspan(1)));
    plan.execute_parallel(in, other.flat().first(n), 2);
    EXPECT_TRUE(std::ranges::equal(y, other.flat().first(n)));
  }
  fft_plan<float>(n, direction::inverse).execute(in, in);
  EXPECT_TRUE(std::ranges::equal(y, in));
}

// x = delta_p: X[k] = exp(-2 pi i p k / n).
TEST(streamed_line, an_impulse_becomes_a_wave) {
  using complex = std::complex<float>;
  constexpr std::size_t p = 1234567;
  array<complex, 1> x(n), y(n);
  x[p] = 1;
  fft_plan<float>(n).execute(x.flat(), y.flat());
  for (std::size_t k = 0; k < n; k += 997) {
    const auto angle = -2 * std::numbers::pi * static_cast<double>(p * k % n) / n;
    ASSERT_LT(std::abs(std::complex<double>(y[k]) - std::polar(1.0, angle)), 1e-6) << k;
  }
}

}  // namespace
}  // namespace papilio::test
