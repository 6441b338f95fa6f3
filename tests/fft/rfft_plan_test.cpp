#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "papilio/base.hpp"
#include "papilio/fft.hpp"
#include "support/oracle.hpp"

namespace papilio {
namespace {

using test::dft;
using test::exact;
using test::fft_tolerance;
using test::random_complex;
using test::random_real;
using test::relative_error;
using test::widened;

template <class T>
class rfft_plan_test : public testing::Test {};
using precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(rfft_plan_test, precisions);

std::vector<std::size_t> lengths() {
  std::vector<std::size_t> all;
  for (std::size_t n = 1; n <= 256; ++n) all.push_back(n);
  for (const std::size_t n : {360, 441, 997, 1000, 1023, 1024, 1994, 2048, 2205}) all.push_back(n);
  return all;
}

TYPED_TEST(rfft_plan_test, forward_is_half_of_the_dft) {
  using T = TypeParam;
  for (const std::size_t n : lengths()) {
    const auto x = random_real<T>(n, static_cast<unsigned>(n));
    const auto before = x;
    std::vector<std::complex<T>> bins(n / 2 + 1, {NAN, NAN});
    const rfft_plan<T> plan(n);
    plan.forward(x, bins);
    auto expected = dft(widened<T>(std::span<const T>(x)), -1);
    expected.resize(n / 2 + 1);
    EXPECT_LT(relative_error(bins, expected), fft_tolerance<T>(n)) << to_string(plan.design());
    EXPECT_EQ(bins[0].imag(), 0);
    if (n % 2 == 0) {
      EXPECT_EQ(bins[n / 2].imag(), 0);
    }
    EXPECT_EQ(x, before);
  }
}

TYPED_TEST(rfft_plan_test, inverse_takes_any_half_spectrum) {
  using T = TypeParam;
  for (const std::size_t n : lengths()) {
    const auto bins = random_complex<T>(n / 2 + 1, static_cast<unsigned>(n));
    const auto before = bins;
    std::vector<T> x(n, NAN);
    rfft_plan<T>(n, {.norm = normalization::none}).inverse(bins, x);
    // The Hermitian spectrum that the half stands for: the ends are real.
    std::vector<exact> whole(n);
    for (std::size_t k = 0; k <= n / 2; ++k) {
      whole[k] = exact(bins[k]);
      whole[(n - k) % n] = std::conj(exact(bins[k]));
    }
    whole[0] = whole[0].real();
    if (n % 2 == 0) whole[n / 2] = whole[n / 2].real();
    EXPECT_LT(relative_error(x, dft(whole, +1)), fft_tolerance<T>(n)) << n;
    EXPECT_EQ(bins, before);
  }
}

TYPED_TEST(rfft_plan_test, round_trips_in_place_and_with_scratch) {
  using T = TypeParam;
  for (const std::size_t n : {1, 2, 3, 4, 6, 15, 16, 34, 66, 134, 254, 1000, 1001, 65536, 100003})
    for (const normalization norm :
         {normalization::backward, normalization::orthonormal, normalization::forward}) {
      const rfft_plan<T> plan(n, {.norm = norm});
      const auto x = random_real<T>(n, 4);
      std::vector<std::complex<T>> bins(plan.bins()), memory(plan.bins()),
          scratch(plan.scratch_size(), {NAN, NAN});
      plan.forward(x, bins);

      T* const reals = reinterpret_cast<T*>(memory.data());
      std::copy(x.begin(), x.end(), reals);
      plan.forward(std::span<const T>(reals, n), memory, scratch);
      EXPECT_EQ(memory, bins) << n;

      plan.inverse(memory, std::span<T>(reals, n), scratch);
      EXPECT_LT(relative_error(std::span<const T>(reals, n), widened<T>(std::span<const T>(x))),
                2 * fft_tolerance<T>(n))
          << n;
      std::vector<T> back(n);
      plan.inverse(bins, back);
      EXPECT_EQ(0, std::memcmp(back.data(), reals, n * sizeof(T))) << n;
    }
}

TYPED_TEST(rfft_plan_test, batches_are_rows) {
  using T = TypeParam;
  for (const std::size_t n : {9, 64}) {
    const std::size_t batch = 6;
    const rfft_plan<T> plan(n);
    const auto data = random_real<T>(n * batch, 3);
    for (const int threads : {1, 4}) {
      array<std::complex<T>, 2> bins({batch, plan.bins()}), from_columns({batch, plan.bins()});
      plan.forward_batch(view<const T, 2>(data.data(), {batch, n}), bins, threads);
      for (std::size_t b = 0; b < batch; ++b) {
        std::vector<std::complex<T>> row(plan.bins());
        plan.forward(std::span<const T>(data).subspan(b * n, n), row);
        for (std::size_t k = 0; k < row.size(); ++k) ASSERT_EQ(bins(b, k), row[k]);
      }
      array<T, 2> columns({n, batch});
      for (std::size_t b = 0; b < batch; ++b)
        for (std::size_t i = 0; i < n; ++i) columns(i, b) = data[b * n + i];
      plan.forward_batch(view<const T, 2>(columns.data(), {batch, n}, {1, batch}), from_columns,
                         threads);
      EXPECT_TRUE(std::ranges::equal(bins, from_columns));
      array<T, 2> back({batch, n}), single({1, n});
      plan.inverse_batch(bins, back, threads);
      for (std::size_t b = 0; b < batch; ++b) {
        plan.inverse(bins[b].data() ? std::span<const std::complex<T>>(&bins(b, 0), plan.bins())
                                    : std::span<const std::complex<T>>(),
                     single.flat());
        for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(back(b, i), single(0, i));
      }
    }
  }
}

TYPED_TEST(rfft_plan_test, refuses_what_it_cannot_do) {
  using T = TypeParam;
  EXPECT_THROW(rfft_plan<T>(0), invalid_argument);
  const rfft_plan<T> plan(100);
  std::vector<T> x(100), shorter(99);
  std::vector<std::complex<T>> bins(51), fewer(50), scratch(plan.scratch_size() - 1);
  EXPECT_THROW(plan.forward(shorter, bins), shape_error);
  EXPECT_THROW(plan.forward(x, fewer), shape_error);
  EXPECT_THROW(plan.forward(x, bins, scratch), shape_error);
  EXPECT_THROW(plan.inverse(fewer, x), shape_error);
  EXPECT_THROW(plan.inverse(bins, shorter), shape_error);
  T* const inside = reinterpret_cast<T*>(bins.data()) + 1;
  EXPECT_THROW(plan.forward(std::span<const T>(inside, 100), bins), invalid_argument);
}

}  // namespace
}  // namespace papilio
