// How transforms are cut into sweeps and stages: the designs of fft_kernel, and their tables.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "kernels/fft_designs.hpp"
#include "kernels/runs.hpp"
#include "kernels/transform/lines.hpp"

namespace papilio::kernels::test {
namespace {

sized_kernel sized(const fft_row& shape) { return fft_kernel(shape, engine::trainium1()); }

sized_kernel design(std::vector<std::int64_t> extents, std::vector<int> axes = {}) {
  return sized({.extents = std::move(extents), .axes = std::move(axes)});
}

bool has_small_primes(std::int64_t n) {
  for (std::int64_t p = 2; p <= 127; ++p)
    while (n % p == 0) n /= p;
  return n == 1;
}

TEST(fft_design, sweeps) {
  EXPECT_EQ(design({4096, 1024}, {-1}).recipe(),
            "precision: native\n"
            "lines of 1024 = 32 x 32, 1 to a partition, 4096 lines\n");
  EXPECT_EQ(design({1024, 1024}).recipe(),
            "precision: native\n"
            "lines of 1024 = 32 x 32, 1 to a partition, 1024 lines\n"
            "lines of 1024 = 32 x 32, points to points on partitions, blocks of 512 lanes, 1024 "
            "lanes\n");
}

// Few digits of up to 128; up to 48 points a single one, for accuracy.
TEST(fft_design, digits) {
  const auto digits_of = [](std::int64_t n) {
    std::vector<std::int64_t> digits =
        steps_like<kernels_detail::lines_design>(design({300, n}, {-1})).at(0).formula.radices;
    std::int64_t points = 1;
    for (const std::int64_t r : digits) points *= r;
    EXPECT_EQ(points, n);
    return digits.size();
  };
  for (const std::int64_t n : {1, 2, 47, 48, 53, 67, 127}) EXPECT_EQ(digits_of(n), 1U) << n;
  for (const std::int64_t n :
       {49, 60, 64, 100, 128, 254, 426, 441, 600, 1000, 1331, 1920, 3000, 4096})
    EXPECT_EQ(digits_of(n), 2U) << n;
  for (const std::int64_t n : {101 * 3 * 13, 2 * 31 * 61}) EXPECT_LE(digits_of(n), 3U) << n;
}

// Every length up to the longest of one sweep has a plan whose blocks fit, by rows and by columns,
// for any number of lanes.
TEST(fft_design, blocks_fit) {
  engine::device dev;
  const auto run = [&](const fft_row& shape) {
    const sized_kernel one = sized(shape);
    prepared_kernel(dev, one, engine::run_mode::dry_run).launch({one.inputs[0]}, {one.outputs[0]});
  };
  constexpr std::int64_t lanes[] = {1, 5, 128, 200, 600};
  bool by_rows = true;
  for (std::int64_t n = 1; n <= 4096; ++n) {
    if (!has_small_primes(n)) continue;
    by_rows = !by_rows;
    if (by_rows || n % 64 == 0) {
      ASSERT_NO_THROW(run({.extents = {lanes[n % 5], n}, .axes = {1}})) << n;
    }
    if (!by_rows || n % 64 == 0) {
      ASSERT_NO_THROW(run({.extents = {2, n, lanes[n % 7 % 5]}, .axes = {1}})) << n;
    }
  }
}

// All axes at once in two sweeps, where one after the other would take three.
TEST(fft_design, trailing_axes_share_sweeps) {
  EXPECT_EQ(steps_of(design({256, 256, 256})).size(), 2u);
  EXPECT_EQ(steps_of(design({32, 64, 64})).size(), 2u);
  EXPECT_EQ(steps_of(design({3, 64, 64, 64}, {1, 2, 3})).size(), 2u);
  EXPECT_EQ(steps_of(design({64, 64, 64}, {0, 1})).size(), 2u);
  EXPECT_EQ(steps_of(design({1 << 15})).size(), 1u);
  EXPECT_EQ(steps_of(design({1 << 21})).size(), 2u);
  EXPECT_LE(steps_of(design({1 << 24})).size(), 3u);
}

// Any length without a prime above 128 has sweeps; where the matrices of one exceed SBUF it comes
// in parts.
TEST(fft_design, long_lengths) {
  for (const std::int64_t n :
       {std::int64_t(67 * 67 * 67), std::int64_t(127 * 127 * 127), std::int64_t(1) << 26,
        std::int64_t(531441), std::int64_t(113) * 127 * 64 * 61}) {
    const sized_kernel k = sized({.extents = {n}});
    engine::device dev;
    EXPECT_NO_THROW(
        prepared_kernel(dev, k, engine::run_mode::dry_run).launch({k.inputs[0]}, {k.outputs[0]}))
        << n;
  }
}

TEST(fft_design, an_identity_is_a_copy) {
  const sized_kernel k = sized({.extents = {1, 8}, .axes = {0}});
  EXPECT_EQ(steps_like<kernels_detail::lines_design>(k).at(0).formula.n(), 1);
}

TEST(fft_design, is_a_value) {
  const sized_kernel one = design({64, 1000}, {-1}), again = design({64, 1000}, {-1}),
                     more = design({1024, 1000}, {-1});
  EXPECT_EQ(one.design, again.design);
  EXPECT_EQ(one.design.key(), again.design.key());
  EXPECT_EQ(one.design.hash(), again.design.hash());
  EXPECT_NE(one.design, more.design);
  EXPECT_NE(one.design.key(), more.design.key());
  EXPECT_TRUE(same_design(more.design, design({2048, 1000}, {-1}).design));
  for (const fft_row& other :
       {fft_row{.extents = {64, 1000}, .axes = {-1}, .inverse = true},
        fft_row{.extents = {64, 1000}, .axes = {-1}, .scale = 2},
        fft_row{.extents = {64, 1000}, .axes = {-1}, .precision = {.mode = precision::bf16}},
        fft_row{.extents = {64, 1000}, .axes = {0}}}) {
    EXPECT_NE(sized(other).design, one.design);
    EXPECT_FALSE(same_design(sized(other).design, one.design));
  }
}

TEST(fft_design, error_grows_with_the_points_of_stages) {
  EXPECT_LT(sized({.extents = {32}}).expected_error, sized({.extents = {1024}}).expected_error);
  EXPECT_LT(sized({.extents = {1024}}).expected_error, sized({.extents = {4096}}).expected_error);
  EXPECT_LT(sized({.extents = {1 << 20}}).expected_error, 4e-7);
}

}  // namespace
}  // namespace papilio::kernels::test
