// Every form of a real transform (codelet, Stockham, four-step, a pass of its own, odd length),
// from each of its entry points.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "papilio/base.hpp"
#include "papilio/fft.hpp"
#include "support/oracle.hpp"

namespace papilio::test {
namespace {

template <class T>
class real_forms : public testing::Test {};
using precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(real_forms, precisions);

// Codelets; Stockham with last passes of every radix and blocks that overlap; what runs narrow;
// four-step; Rader, Bluestein and direct sums at half length; odd lengths.
constexpr std::size_t lengths[] = {1,    2,    3,    15,   16,   32,   48,   64,   66,
                                   128,  226,  256,  480,  512,  720,  1000, 1024, 1056,
                                   1210, 1500, 1536, 1690, 2018, 2048, 2187, 2310, 2646,
                                   2888, 3000, 4096, 4608, 6000, 8192};

template <class T>
std::vector<T> product(std::span<const T> x, std::span<const T> w) {
  std::vector<T> y(x.size());
  for (std::size_t j = 0; j < y.size(); ++j) y[j] = x[j] * w[j];
  return y;
}

TYPED_TEST(real_forms, windowed_spectra_are_those_of_the_products) {
  using T = TypeParam;
  for (const std::size_t n : lengths) {
    const auto x = random_real<T>(n, static_cast<unsigned>(n));
    const auto w = random_real<T>(n, static_cast<unsigned>(n + 1));
    const auto xw = product<T>(x, w);
    auto unscaled = dft(widened<T>(std::span<const T>(xw)), -1);
    unscaled.resize(n / 2 + 1);
    for (const normalization norm : {normalization::none, normalization::orthonormal}) {
      const rfft_plan<T> plan(n, {.norm = norm});
      SCOPED_TRACE(to_string(plan.design()));
      auto expected = unscaled;
      if (norm == normalization::orthonormal)
        for (exact& v : expected) v /= std::sqrt(static_cast<long double>(n));
      std::vector<std::complex<T>> bins(n / 2 + 1), scratch(plan.spectrum_scratch_size());
      plan.forward_windowed(x, w, bins, scratch);
      EXPECT_LT(relative_error(bins, expected), fft_tolerance<T>(n));
      std::vector<exact> magnitude(n / 2 + 1), power(n / 2 + 1);
      for (std::size_t k = 0; k <= n / 2; ++k) {
        magnitude[k] = std::abs(expected[k]);
        power[k] = std::norm(expected[k]);
      }
      std::vector<T> got(n / 2 + 1);
      plan.forward_magnitude(x, w, got, scratch);
      EXPECT_LT(relative_error(got, magnitude), fft_tolerance<T>(n));
      // The square of a value with relative error e has 2 e; large bins weigh more.
      plan.forward_power(x, w, got);
      EXPECT_LT(relative_error(got, power), 4 * fft_tolerance<T>(n));
    }
  }
}

TYPED_TEST(real_forms, inverse_ignores_what_a_real_signal_cannot_have) {
  using T = TypeParam;
  for (const std::size_t n : lengths) {
    const rfft_plan<T> plan(n);
    SCOPED_TRACE(to_string(plan.design()));
    auto bins = random_complex<T>(n / 2 + 1, static_cast<unsigned>(n));
    bins[0].imag(0);
    if (n % 2 == 0) bins[n / 2].imag(0);
    std::vector<T> x(n), y(n);
    plan.inverse(bins, x);
    bins[0].imag(1e6f);
    if (n % 2 == 0) bins[n / 2].imag(-3e7f);
    plan.inverse(bins, y);
    EXPECT_EQ(x, y);
    bins[0].imag(std::numeric_limits<T>::quiet_NaN());
    plan.inverse(bins, y);
    EXPECT_EQ(x, y);
  }
}

TYPED_TEST(real_forms, round_trip_in_place_wherever_the_memory_begins) {
  using T = TypeParam;
  for (const std::size_t n : lengths)
    for (const std::size_t offset : {0, 1, 7}) {
      const rfft_plan<T> plan(n);
      SCOPED_TRACE(to_string(plan.design()));
      const auto x = random_real<T>(n, static_cast<unsigned>(n));
      std::vector<std::complex<T>> apart(n / 2 + 1);
      plan.forward(x, apart);
      std::vector<T> memory(n + 2 + offset);
      T* const line = memory.data() + offset;
      std::ranges::copy(x, line);
      const std::span<std::complex<T>> bins(reinterpret_cast<std::complex<T>*>(line), n / 2 + 1);
      plan.forward({line, n}, bins);
      EXPECT_TRUE(std::ranges::equal(bins, apart));
      plan.inverse(bins, {line, n});
      const auto expected = widened<T>(std::span<const T>(x));
      EXPECT_LT(relative_error(std::span<const T>(line, n), expected), 2 * fft_tolerance<T>(n));
    }
}

// A long line alone in an array is shared; the half length is a four-step.
TYPED_TEST(real_forms, threads_do_not_change_the_bits) {
  using T = TypeParam;
  for (const std::size_t n : {std::size_t{1} << 18, std::size_t{2} * 384 * 400}) {
    const rfft_plan<T> plan(n);
    ASSERT_EQ(plan.design().parts[0].kind, recipe_kind::four_step) << to_string(plan.design());
    const auto x = random_real<T>(n, 1);
    std::vector<std::complex<T>> expected(n / 2 + 1), bins(n / 2 + 1);
    std::vector<T> back(n), other(n);
    plan.forward(x, expected);
    plan.inverse(expected, back);
    double error = 0;
    for (std::size_t j = 0; j < n; ++j)
      error = std::max(error, std::abs(static_cast<double>(back[j]) - static_cast<double>(x[j])));
    // The largest of n errors, each normal with the tolerance as its deviation.
    EXPECT_LT(error, 6 * fft_tolerance<T>(n));
    for (const int threads : {2, 3, 5}) {
      plan.forward_batch(view<const T, 2>(x.data(), {1, n}),
                         view<std::complex<T>, 2>(bins.data(), {1, n / 2 + 1}), threads);
      EXPECT_EQ(bins, expected) << threads;
      plan.inverse_batch(view<const std::complex<T>, 2>(bins.data(), {1, n / 2 + 1}),
                         view<T, 2>(other.data(), {1, n}), threads);
      EXPECT_EQ(other, back) << threads;
    }
  }
}

TEST(real_forms_refuse, spans_that_do_not_fit) {
  const rfft_plan<float> plan(8);
  std::vector<float> x(8), w(8), out(5);
  EXPECT_THROW(plan.forward_power(std::span(x).first(7), w, out), shape_error);
  EXPECT_THROW(plan.forward_power(x, std::span(w).first(7), out), shape_error);
  EXPECT_THROW(plan.forward_power(x, w, std::span(out).first(4)), shape_error);
  EXPECT_THROW(plan.forward_power(x, w, std::span(x).first(5)), invalid_argument);
  EXPECT_THROW(plan.forward_magnitude(x, w, std::span(w).subspan(3)), invalid_argument);
  const rfft_plan<float> long_plan(3000);
  std::vector<float> line(3000), power(1501);
  std::vector<std::complex<float>> scratch(long_plan.spectrum_scratch_size() - 1);
  EXPECT_THROW(long_plan.forward_power(line, line, power, scratch), shape_error);
}

}  // namespace
}  // namespace papilio::test
