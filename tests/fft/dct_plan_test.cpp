#include <gtest/gtest.h>

#include <numbers>

#include "papilio/base.hpp"
#include "papilio/fft.hpp"
#include "support/oracle.hpp"

namespace papilio {
namespace {

using namespace test;
using kind = trigonometric_kind;

template <class T>
class dct_plan_test : public testing::Test {};
using precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(dct_plan_test, precisions);

constexpr kind kinds[] = {kind::dct1, kind::dct2, kind::dct3, kind::dct4,
                          kind::dst1, kind::dst2, kind::dst3, kind::dst4};
constexpr normalization norms[] = {normalization::backward, normalization::orthonormal,
                                   normalization::forward, normalization::none};

std::vector<std::size_t> lengths(kind which) {
  std::vector<std::size_t> all;
  for (std::size_t n = which == kind::dct1 ? 2 : 1; n <= 40; ++n) all.push_back(n);
  for (const std::size_t n : {64, 97, 100, 127, 128, 129, 255, 256, 257, 441, 500})
    all.push_back(n);
  return all;
}

std::size_t period(kind which, std::size_t n) {
  return which == kind::dct1 ? 2 * (n - 1) : which == kind::dst1 ? 2 * (n + 1) : 2 * n;
}

kind inverse_of(kind which) {
  switch (which) {
    case kind::dct2:
      return kind::dct3;
    case kind::dct3:
      return kind::dct2;
    case kind::dst2:
      return kind::dst3;
    case kind::dst3:
      return kind::dst2;
    default:
      return which;
  }
}

// cos and sin of pi p / q.
long double cosine(std::size_t p, std::size_t q) {
  return std::cos(std::numbers::pi_v<long double> * static_cast<long double>(p % (2 * q)) /
                  static_cast<long double>(q));
}
long double sine(std::size_t p, std::size_t q) {
  return std::sin(std::numbers::pi_v<long double> * static_cast<long double>(p % (2 * q)) /
                  static_cast<long double>(q));
}

// The unscaled matrices as scipy.fft's documentation writes them.
long double entry(kind which, std::size_t n, std::size_t k, std::size_t j) {
  switch (which) {
    case kind::dct1:
      return (j == 0 || j == n - 1 ? 1 : 2) * cosine(j * k, n - 1);
    case kind::dct2:
      return 2 * cosine(k * (2 * j + 1), 2 * n);
    case kind::dct3:
      return (j == 0 ? 1 : 2) * cosine((2 * k + 1) * j, 2 * n);
    case kind::dct4:
      return 2 * cosine((2 * k + 1) * (2 * j + 1), 4 * n);
    case kind::dst1:
      return 2 * sine((k + 1) * (j + 1), n + 1);
    case kind::dst2:
      return 2 * sine((k + 1) * (2 * j + 1), 2 * n);
    case kind::dst3:
      return j == n - 1 ? (k % 2 == 0 ? 1 : -1) : 2 * sine((2 * k + 1) * (j + 1), 2 * n);
    case kind::dst4:
      return 2 * sine((2 * k + 1) * (2 * j + 1), 4 * n);
  }
  return NAN;
}

// Roots of two that make it orthogonal, of an input and of an output.
long double before(kind which, std::size_t n, std::size_t j) {
  const bool first = j == 0, last = j == n - 1;
  const bool has = (which == kind::dct1 && (first || last)) || (which == kind::dct3 && first) ||
                   (which == kind::dst3 && last);
  return has ? std::numbers::sqrt2_v<long double> : 1;
}
long double after(kind which, std::size_t n, std::size_t k) {
  const bool first = k == 0, last = k == n - 1;
  const bool has = (which == kind::dct1 && (first || last)) || (which == kind::dct2 && first) ||
                   (which == kind::dst2 && last);
  return has ? 1 / std::numbers::sqrt2_v<long double> : 1;
}

template <class T>
std::vector<exact> direct(kind which, bool orthogonal, long double scale, const std::vector<T>& x) {
  const std::size_t n = x.size();
  std::vector<exact> y(n);
  for (std::size_t k = 0; k < n; ++k) {
    long double sum = 0;
    for (std::size_t j = 0; j < n; ++j)
      sum += entry(which, n, k, j) * (orthogonal ? before(which, n, j) : 1) * x[j];
    y[k] = scale * sum * (orthogonal ? after(which, n, k) : 1);
  }
  return y;
}

long double scale(normalization norm, direction dir, std::size_t n) {
  const auto length = static_cast<long double>(n);
  if (norm == normalization::orthonormal) return 1 / std::sqrt(length);
  if (norm == normalization::backward && dir == direction::inverse) return 1 / length;
  if (norm == normalization::forward && dir == direction::forward) return 1 / length;
  return 1;
}

// One FFT of the period with twiddles before and behind it.
template <class T>
double tolerance(kind which, std::size_t n) {
  return 1.5 * fft_tolerance<T>(period(which, n));
}

TYPED_TEST(dct_plan_test, every_kind_and_norm_is_the_direct_sum) {
  using T = TypeParam;
  for (const kind which : kinds)
    for (const std::size_t n : lengths(which))
      for (const normalization norm : norms) {
        if (n > 128 && norm != normalization::orthonormal) continue;
        const dct_plan<T> plan(n, which, {.norm = norm});
        const bool orthogonal = norm == normalization::orthonormal;
        const auto x = random_real<T>(n, static_cast<unsigned>(n));
        const auto kept = x;
        std::vector<T> y(n, NAN), z(n, NAN);
        plan.forward(x, y);
        EXPECT_LT(relative_error(y, direct(which, orthogonal,
                                           scale(norm, direction::forward, period(which, n)), x)),
                  tolerance<T>(which, n))
            << to_string(plan.design());
        plan.inverse(x, z);
        EXPECT_LT(relative_error(z, direct(inverse_of(which), orthogonal,
                                           scale(norm, direction::inverse, period(which, n)), x)),
                  tolerance<T>(which, n))
            << to_string(plan.design());
        EXPECT_EQ(x, kept);
      }
}

TYPED_TEST(dct_plan_test, round_trips_in_place_and_with_scratch) {
  using T = TypeParam;
  for (const kind which : kinds)
    for (const std::size_t n : {2, 3, 8, 15, 1000, 1009, 4095})
      for (const normalization norm : norms) {
        const dct_plan<T> plan(n, which, {.norm = norm});
        const auto x = random_real<T>(n, 4);
        std::vector<T> y(n), scratch(plan.scratch_size(), NAN), memory = x;
        plan.forward(x, y);
        plan.forward(memory, memory, scratch);
        EXPECT_EQ(memory, y) << n;
        plan.inverse(memory, memory, scratch);
        std::vector<T> back(n);
        plan.inverse(y, back);
        EXPECT_EQ(memory, back);
        std::vector<exact> expected = widened<T>(std::span<const T>(x));
        if (norm == normalization::none)
          for (exact& v : expected) v *= static_cast<long double>(period(which, n));
        EXPECT_LT(relative_error(back, expected), 2 * tolerance<T>(which, n)) << n;
      }
}

TYPED_TEST(dct_plan_test, orthonormal_keeps_the_norm) {
  using T = TypeParam;
  for (const kind which : kinds)
    for (const std::size_t n : {2, 5, 12, 77}) {
      const auto x = random_real<T>(n, 4);
      std::vector<T> y(n);
      dct_plan<T>(n, which, {.norm = normalization::orthonormal}).forward(x, y);
      long double before_sum = 0, after_sum = 0;
      for (std::size_t i = 0; i < n; ++i) {
        before_sum += static_cast<long double>(x[i]) * x[i];
        after_sum += static_cast<long double>(y[i]) * y[i];
      }
      EXPECT_NEAR(static_cast<double>(after_sum / before_sum), 1, 4 * tolerance<T>(which, n));
    }
}

TYPED_TEST(dct_plan_test, lines_along_any_axis) {
  using T = TypeParam;
  const std::size_t n = 10, before = 3, behind = 21;
  const extents_type<3> extents{before, n, behind};
  for (const kind which : kinds) {
    const dct_plan<T> plan(n, which);
    const auto x = random_real<T>(before * n * behind, 1);
    std::vector<T> expected(x.size()), line(n), done(n);
    for (std::size_t a = 0; a < before; ++a)
      for (std::size_t b = 0; b < behind; ++b) {
        for (std::size_t j = 0; j < n; ++j) line[j] = x[(a * n + j) * behind + b];
        plan.forward(line, done);
        for (std::size_t j = 0; j < n; ++j) expected[(a * n + j) * behind + b] = done[j];
      }
    for (const int threads : {1, 2, 3}) {
      std::vector<T> y(x.size()), back(x.size());
      const view<T, 3> out(y.data(), extents);
      plan.forward_axis(view<const T, 3>(x.data(), extents), out, 1, threads);
      EXPECT_EQ(y, expected);
      plan.inverse_axis(out, view<T, 3>(back.data(), extents), 1, threads);
      EXPECT_LT(relative_error(back, widened<T>(std::span<const T>(x))),
                2 * tolerance<T>(which, n));
      plan.inverse_axis(out, out, 1, threads);
      EXPECT_EQ(y, back);
    }
  }
}

TYPED_TEST(dct_plan_test, refuses_what_it_cannot_do) {
  using T = TypeParam;
  for (const kind which : kinds) EXPECT_THROW(dct_plan<T>(0, which), invalid_argument);
  EXPECT_THROW(dct_plan<T>(1, kind::dct1), invalid_argument);
  EXPECT_THROW(dct_plan<T>(8, static_cast<kind>(77)), invalid_argument);
  EXPECT_THROW(dct_plan<T>(std::numeric_limits<std::size_t>::max() / 2), resource_error);
  const dct_plan<T> plan(8);
  EXPECT_EQ(plan.kind(), kind::dct2);
  EXPECT_EQ(plan.size(), 8u);
  std::vector<T> x(16), shorter(7), scratch(plan.scratch_size() - 1);
  const std::span<const T> in(x.data(), 8);
  const std::span<T> out(x.data() + 8, 8);
  EXPECT_THROW(plan.forward(shorter, out), shape_error);
  EXPECT_THROW(plan.forward(in, shorter), shape_error);
  EXPECT_THROW(plan.inverse(in, out, scratch), shape_error);
  EXPECT_THROW(plan.inverse(in, std::span<T>(x.data() + 1, 8)), invalid_argument);
  array<T, 2> a({8, 3}), b({3, 8});
  EXPECT_THROW(plan.forward_axis(a, b.view(), 0), shape_error);
  EXPECT_THROW(plan.forward_axis(a, a.view(), 2), invalid_argument);
  EXPECT_THROW(plan.inverse_axis(b, view<T, 2>(a.data(), {3, 8}, {0, 1}), 1), shape_error);
}

TEST(dct_plan, recipes) {
  const auto text = [](std::size_t n, kind which) {
    return to_string(dct_plan<float>(n, which).design());
  };
  EXPECT_EQ(text(1000, kind::dct2),
            "(dct2 1000 " + to_string(rfft_plan<float>(1000).design()) + ")");
  EXPECT_EQ(text(9, kind::dst3), "(dst3 9 " + to_string(rfft_plan<float>(9).design()) + ")");
  EXPECT_EQ(text(9, kind::dct1), "(dct1 9 " + to_string(rfft_plan<float>(16).design()) + ")");
  EXPECT_EQ(text(7, kind::dst1), "(dst1 7 " + to_string(rfft_plan<float>(16).design()) + ")");
  EXPECT_EQ(text(32, kind::dct4), "(dct4 32 " + to_string(fft_plan<float>(16).design()) + ")");
  EXPECT_EQ(text(15, kind::dst4), "(dst4 15 " + to_string(rfft_plan<float>(15).design()) + ")");
  EXPECT_EQ(text(15, kind::dct3).substr(0, 6), "(dct3 ");
  EXPECT_EQ(text(15, kind::dst2).substr(0, 6), "(dst2 ");
}

}  // namespace
}  // namespace papilio
