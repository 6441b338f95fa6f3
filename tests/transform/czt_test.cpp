// The chirp z-transform against its definition.
#include <gtest/gtest.h>

#include <algorithm>
#include <numbers>

#include "papilio/base.hpp"
#include "papilio/transform.hpp"
#include "support/oracle.hpp"

namespace papilio {
namespace {

using test::exact;

template <class T>
std::vector<exact> definition(const std::vector<std::complex<T>>& x, std::size_t m, exact w,
                              exact a) {
  std::vector<exact> result(m);
  for (std::size_t k = 0; k < m; ++k) {
    const exact z = a * std::pow(w, -static_cast<long double>(k));
    exact power = 1;
    for (const auto& v : x) {
      result[k] += exact(v) * power;
      power /= z;
    }
  }
  return result;
}

template <class T>
class czt_test : public testing::Test {};
using precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(czt_test, precisions);

TYPED_TEST(czt_test, by_default_is_the_dft) {
  using T = TypeParam;
  for (const std::size_t n : {1, 2, 7, 64, 100, 1009}) {
    const auto x = test::random_complex<T>(n, 1);
    EXPECT_LT(test::relative_error(czt(x), test::dft(test::widened<T>(std::span(x)), -1)),
              2 * test::fft_tolerance<T>(n))
        << n;
  }
}

TYPED_TEST(czt_test, more_and_fewer_points_spirals_and_zooms) {
  using T = TypeParam;
  const auto on_circle = [](double turns) {
    return std::polar(1.0, -2 * std::numbers::pi * turns);
  };
  const struct {
    std::size_t n, m;
    std::complex<double> w, a;
  } rows[] = {{10, 25, on_circle(1.0 / 25), 1},
              {25, 10, on_circle(1.0 / 10), 1},
              {40, 30, on_circle(0.001), on_circle(-0.1)},
              {20, 33, 0.99 * on_circle(0.013), 1.01 * on_circle(0.3)},
              {1, 5, {0, 1}, 2},
              {5, 1, {0, 1}, {0, 2}}};
  for (const auto& row : rows) {
    const auto x = test::random_complex<T>(row.n, 2);
    const auto expected = definition(x, row.m, exact(row.w), exact(row.a));
    const auto got = czt(x, {.m = static_cast<std::ptrdiff_t>(row.m), .w = row.w, .a = row.a});
    // The factors of a spiral make the convolution's terms larger than its result.
    const double growth = std::pow(std::abs(row.w), -0.5 * 33 * 33);
    EXPECT_LT(test::relative_error(got, expected), growth * 4 * test::fft_tolerance<T>(64))
        << row.n << ' ' << row.m;
  }
  // The default w belongs to m, not to n.
  const auto x = test::random_complex<T>(12, 3);
  const auto padded = fft(x, {.n = 30});
  EXPECT_LT(
      test::relative_error(czt(x, {.m = 30}), std::vector<exact>(padded.begin(), padded.end())),
      4 * test::fft_tolerance<T>(64));
}

TYPED_TEST(czt_test, any_axis_of_reals_and_integers) {
  using T = TypeParam;
  array<T, 2> x({4, 6});
  std::ranges::copy(test::random_real<T>(24, 4), x.begin());
  for (const std::ptrdiff_t axis : {0, 1}) {
    const auto got = czt(x, {.m = 9, .axis = axis});
    const auto expected = fft(x, {.n = 9, .axis = axis});
    // Nine points of the whole circle are the DFT of the padded line.
    ASSERT_EQ(got.extents(), expected.extents());
    for (std::size_t i = 0; i < got.size(); ++i)
      EXPECT_LT(std::abs(got.data()[i] - expected.data()[i]),
                T(64) * std::numeric_limits<T>::epsilon());
  }
  EXPECT_NEAR(std::abs(czt(std::vector<int>{1, 2, 3})[0] - 6.0), 0, 1e-14);
}

TEST(czt, angles_of_the_default_w_are_exact) {
  // A chirp whose phase were not reduced would be off by 1e-5 here.
  const std::size_t n = 100003;
  std::vector<std::complex<double>> x(n);
  x[n - 1] = 1;
  const auto got = czt(x);
  for (const std::size_t k : {1, 2, 50001, 100002}) {
    const long double angle = 2 * std::numbers::pi_v<long double> * static_cast<long double>(k) /
                              static_cast<long double>(n);
    EXPECT_LT(std::abs(exact(got[k]) - exact(std::cos(angle), std::sin(angle))), 1e-13L) << k;
  }
}

// A narrow band of a long line, where the rounding of a complex w would count k^2 / 2 times. Factors
// and the convolution of the padded length have errors of some epsilon each.
TYPED_TEST(czt_test, narrow_bands_by_turns_are_exact) {
  using T = TypeParam;
  for (const std::size_t n : {1000, 20011}) {
    const auto x = test::random_complex<T>(n, 5);
    const long double first = 0.05L, step = 0.05L / static_cast<long double>(n);
    const auto got = czt(x, {.step_turns = step, .first_turns = first});
    ASSERT_EQ(got.size(), n);
    std::vector<exact> some, expected;
    for (std::size_t k = 0; k < n; k += n / 7) {
      exact sum;
      for (std::size_t j = 0; j < n; ++j) {
        const auto jj = static_cast<long double>(j), kk = static_cast<long double>(k);
        const long double turns = jj * first + jj * kk * step;
        const long double angle =
            -2 * std::numbers::pi_v<long double> * (turns - std::nearbyint(turns));
        sum += exact(x[j]) * exact(std::cos(angle), std::sin(angle));
      }
      expected.push_back(sum);
      some.push_back(exact(got[k]));
    }
    EXPECT_LT(test::relative_error(some, expected), 4 * test::fft_tolerance<T>(4 * n)) << n;
  }
}

// Turns beyond the whole are no other points.
TEST(czt, turns_are_those_of_w_and_a) {
  const auto x = test::random_complex<double>(9, 6);
  const auto on_circle = [](double turns) { return std::polar(1.0, 2 * std::numbers::pi * turns); };
  const auto expected = czt(x, {.m = 11, .w = on_circle(-0.125), .a = on_circle(0.25)});
  for (const long double whole : {-3.0L, 0.0L, 2.0L}) {
    const auto got = czt(x, {.m = 11, .step_turns = 0.125L + whole, .first_turns = 0.25L - whole});
    for (std::size_t k = 0; k < 11; ++k) EXPECT_LT(std::abs(got[k] - expected[k]), 1e-13) << k;
  }
}

TEST(czt, errors) {
  const std::vector<double> x(4), none;
  EXPECT_THROW(czt(none), invalid_argument);
  EXPECT_THROW(czt(x, {.m = 0}), invalid_argument);
  EXPECT_THROW(czt(x, {.m = -2}), invalid_argument);
  EXPECT_THROW(czt(x, {.axis = 1}), invalid_argument);
  EXPECT_THROW(czt(x, {.w = 0.0}), invalid_argument);
  EXPECT_THROW(czt(x, {.a = 0.0}), invalid_argument);
  EXPECT_THROW(czt(x, {.w = std::complex<double>(NAN, 0)}), invalid_argument);
  EXPECT_THROW(czt(x, {.step_turns = INFINITY}), invalid_argument);
  EXPECT_THROW(czt(x, {.first_turns = NAN}), invalid_argument);
  EXPECT_THROW(czt(x, {.w = 1.0, .step_turns = 0.1L}), invalid_argument);
  EXPECT_THROW(czt(x, {.a = 2.0, .first_turns = 0.1L}), invalid_argument);
  EXPECT_THROW(czt(x, {.m = std::numeric_limits<std::ptrdiff_t>::max()}), resource_error);
  EXPECT_EQ(czt(array<double, 2>({0, 4})).extents(), (extents_type<2>{0, 4}));
}

}  // namespace
}  // namespace papilio
