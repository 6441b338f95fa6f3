// Frequencies, shifts and fast lengths.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "papilio/base.hpp"
#include "papilio/transform.hpp"
#include "transform/smooth_length.hpp"

namespace papilio {
namespace {

template <class X>
auto listed(const X& x) {
  return std::vector(x.begin(), x.end());
}

TEST(frequencies, as_numpy) {
  using list = std::vector<double>;
  EXPECT_EQ(listed(fftfreq(1)), list({0}));
  EXPECT_EQ(listed(fftfreq(4)), list({0, 0.25, -0.5, -0.25}));
  EXPECT_EQ(listed(fftfreq(5, 0.1)), list({0, 2, 4, -4, -2}));
  EXPECT_EQ(listed(rfftfreq(1)), list({0}));
  EXPECT_EQ(listed(rfftfreq(4, 0.5)), list({0, 0.5, 1}));
  EXPECT_EQ(listed(rfftfreq(5, 0.2)), list({0, 1, 2}));
  EXPECT_EQ(listed(fftfreq<float>(4, -1)), std::vector<float>({0, -0.25f, 0.5f, 0.25f}));
  static_assert(std::is_same_v<decltype(rfftfreq<float>(3)), array<float, 1>>);
}

TEST(frequencies, errors) {
  for (const std::ptrdiff_t n : {0, -4}) {
    EXPECT_THROW(fftfreq(n), invalid_argument);
    EXPECT_THROW(rfftfreq(n), invalid_argument);
  }
  EXPECT_THROW(fftfreq(4, 0), invalid_argument);
  EXPECT_THROW(rfftfreq(4, 0), invalid_argument);
}

TEST(shift, puts_bin_0_into_the_middle_and_back) {
  using list = std::vector<int>;
  EXPECT_EQ(listed(fftshift(list{0, 1, 2, 3, 4})), list({3, 4, 0, 1, 2}));
  EXPECT_EQ(listed(fftshift(list{0, 1, 2, 3})), list({2, 3, 0, 1}));
  EXPECT_EQ(listed(ifftshift(list{0, 1, 2, 3, 4})), list({2, 3, 4, 0, 1}));
  EXPECT_EQ(listed(fftshift(list{7})), list({7}));
  EXPECT_TRUE(fftshift(list{}).empty());
  for (std::size_t n = 1; n < 9; ++n) {
    list x(n);
    std::iota(x.begin(), x.end(), 0);
    EXPECT_EQ(fftshift(x)[n / 2], 0) << n;
    EXPECT_EQ(listed(ifftshift(fftshift(x))), x) << n;
  }
  EXPECT_EQ(listed(fftshift(fftfreq(4))), std::vector<double>({-0.5, -0.25, 0, 0.25}));
}

TEST(shift, along_axes) {
  array<int, 2> x({2, 3});
  std::iota(x.begin(), x.end(), 0);  // 0 1 2 / 3 4 5
  using list = std::vector<int>;
  EXPECT_EQ(listed(fftshift(x)), list({5, 3, 4, 2, 0, 1}));
  EXPECT_EQ(listed(fftshift(x, {.axes = {0}})), list({3, 4, 5, 0, 1, 2}));
  EXPECT_EQ(listed(fftshift(x, {.axes = {-1}})), list({2, 0, 1, 5, 3, 4}));
  EXPECT_EQ(listed(ifftshift(x, {.axes = {1}})), list({1, 2, 0, 4, 5, 3}));
  EXPECT_EQ(listed(fftshift(x, {.axes = {1, 1}})), list({1, 2, 0, 4, 5, 3}));
  EXPECT_EQ(listed(fftshift(x, {.axes = list()})), listed(x));
  EXPECT_THROW(fftshift(x, {.axes = {2}}), invalid_argument);
  EXPECT_THROW(ifftshift(x, {.axes = {-3}}), invalid_argument);
  // Any strides, any type of number.
  const view<const int, 1> backwards(x.data() + 5, {6}, {-1});
  EXPECT_EQ(listed(fftshift(backwards)), list({2, 1, 0, 5, 4, 3}));
}

bool is_fast(std::size_t n) {
  for (const std::size_t p : {2, 3, 5, 7})
    while (n % p == 0) n /= p;
  return n == 1 || n == 11 || n == 13;
}

TEST(fast_length, is_the_least_fast_one) {
  std::size_t next = 1, next_half = 1;
  for (std::size_t n = 1; n <= 5000; ++n) {
    next = std::max(next, n);
    while (!is_fast(next)) ++next;
    EXPECT_EQ(next_fast_len(static_cast<std::ptrdiff_t>(n)), next);
    next_half = std::max(next_half, (n + 1) / 2);
    while (!is_fast(next_half)) ++next_half;
    EXPECT_EQ(next_fast_len(static_cast<std::ptrdiff_t>(n), true), n == 1 ? 1 : 2 * next_half);
  }
}

// Whether n has no prime factor beyond `most`.
bool is_smooth(std::size_t n, unsigned most) {
  for (std::size_t p = 2; p <= most; ++p)
    while (n % p == 0) n /= p;
  return n == 1;
}

TEST(fast_length, smooth_neighbours) {
  constexpr std::size_t largest = std::numeric_limits<std::size_t>::max();
  for (const unsigned prime : {2u, 3u, 5u, 7u, 11u}) {
    std::size_t next = 1, previous = 1;
    for (std::size_t n = 1; n <= 3000; ++n) {
      next = std::max(next, n);
      while (!is_smooth(next, prime)) ++next;
      if (is_smooth(n, prime)) previous = n;
      EXPECT_EQ(transform_detail::next_smooth(n, prime), next) << n;
      EXPECT_EQ(transform_detail::prev_smooth(n, prime), previous) << n;
    }
    EXPECT_EQ(transform_detail::next_smooth(largest, prime), 0);
    const std::size_t last = transform_detail::prev_smooth(largest, prime);
    EXPECT_TRUE(is_smooth(last, prime) && last >= largest / 2 + 1) << last;
    EXPECT_EQ(transform_detail::next_smooth(last, prime), last);
    EXPECT_EQ(transform_detail::next_smooth(last + 1, prime), 0);
  }
}

TEST(fast_length, large_and_refused) {
  const std::ptrdiff_t power = std::ptrdiff_t{1} << 62;
  EXPECT_EQ(next_fast_len(power), static_cast<std::size_t>(power));
  const std::size_t found = next_fast_len(1000000007);
  EXPECT_TRUE(found >= 1000000007 && found < 1002000000 && is_fast(found)) << found;
  EXPECT_THROW(next_fast_len(0), invalid_argument);
  EXPECT_THROW(next_fast_len(-5, true), invalid_argument);
}

}  // namespace
}  // namespace papilio
