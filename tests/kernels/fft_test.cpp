// fft_kernel on the emulated device: values of all kinds of lengths, batches and axes.
//
// Error model: the kernel's own, expected_error, for random input; the factors between which an
// error must lie are stated where they are used.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>

#include "kernels/device_fft.hpp"

namespace papilio::kernels::test {
namespace {

using papilio::test::exact;
using papilio::test::random_complex;
using papilio::test::relative_error;

engine::device& device() {
  static engine::device dev(engine::trainium1(), engine::sdk_2_24(), {.threads = 2});
  return dev;
}

std::string describe(const fft_row& shape) {
  std::ostringstream text;
  text << (shape.inverse ? "inverse" : "forward");
  for (const std::int64_t e : shape.extents) text << " " << e;
  text << " axes";
  for (const int a : shape.axes) text << " " << a;
  return text.str();
}

std::int64_t points_of(const fft_row& shape) {
  if (shape.axes.empty()) return std::int64_t(count_of(shape));
  std::int64_t points = 1;
  for (const int a : shape.axes)
    points *= shape.extents[std::size_t(a < 0 ? a + int(shape.extents.size()) : a)];
  return points;
}

// At most half as much again as expected. Where many results average, no less than two fifths: a
// model that is far too large says nothing. Lengths of up to 8 have factors that are exact. Of
// single lines, at most three times the error of the host's transform in single precision.
void expect_values(const fft_row& shape) {
  SCOPED_TRACE(describe(shape));
  const complex_values x = random_complex<float>(count_of(shape), 7);
  const std::vector<exact> expected = host_fft(shape, x);
  const double error = relative_error(device_fft(device(), shape, x), expected);
  const double model = fft_kernel(shape, device().machine()).expected_error;
  EXPECT_LE(error, 1.5 * model);
  if (x.size() >= 512 && points_of(shape) > 8) {
    EXPECT_GE(error, 0.4 * model);
  }
  const bool is_line =
      shape.extents.size() == 1 || (shape.extents.size() == 2 && shape.axes == std::vector{-1});
  if (is_line) {
    EXPECT_LE(error, 3 * host_error(shape, x, expected));
  }
}

TEST(fft, all_short_lengths_one_line) {
  for (std::int64_t n = 1; n <= 130; ++n) expect_values({.extents = {n}, .inverse = n % 2 == 0});
}

TEST(fft, all_short_lengths_in_batches) {
  constexpr std::int64_t batches[] = {3, 127, 128, 129, 300};
  for (std::int64_t n = 1; n <= 130; ++n)
    expect_values({.extents = {batches[n % 5], n}, .axes = {-1}, .inverse = n % 2 == 1});
}

// Three and more stages, primes that are a stage by themselves, four-step.
TEST(fft, powers_and_their_like) {
  for (std::int64_t n = 256; n <= 65536; n *= 2) expect_values({.extents = {n}});
  for (const std::int64_t odd : {3, 5, 7, 9})
    for (std::int64_t n = odd * 64; n <= 40000; n *= 4) expect_values({.extents = {n}});
  for (const std::int64_t n :
       {254, 343, 1331, 2197, 2401, 127 * 127, 100000, 4095, 4096, 4100, 14641, 28561})
    expect_values({.extents = {n}, .inverse = n % 2 == 1});
}

TEST(fft, batches_of_longer_lines) {
  for (const auto& [batch, n] : {std::pair<std::int64_t, std::int64_t>{3, 1000},
                                 {127, 243},
                                 {128, 512},
                                 {65, 1024},
                                 {300, 150},
                                 {3, 4096},
                                 {2, 5000},
                                 {33, 889},
                                 {3, 8192},
                                 {5, 12100}})
    expect_values({.extents = {batch, n}, .axes = {-1}, .inverse = batch % 2 == 1});
}

TEST(fft, several_axes) {
  using extents = std::vector<std::int64_t>;
  const extents all[] = {{1, 1},       {1, 7},          {7, 1},       {256, 1, 3},    {8, 8},
                         {64, 64},     {128, 1},        {100, 130},   {33, 65},       {4, 8, 8},
                         {5, 7, 9},    {16, 1, 16},     {32, 64, 64}, {129, 3, 2},    {2, 300, 5},
                         {2, 2, 2},    {3, 4, 5, 6},    {1, 9, 1},    {2, 1, 3, 129}, {127, 127},
                         {11, 13, 17}, {2, 3, 5, 7, 4}, {256, 300},   {4, 5000},      {5000, 4}};
  for (const extents& e : all) expect_values({.extents = e, .inverse = e.size() % 2 == 0});
}

// Blocks that just fit, or just do not, with two in flight; digits in more levels than a view has;
// long axes of two large primes; matrices for some outer indices at a time.
TEST(fft, axes_that_are_awkward_on_chip) {
  for (const auto& [n, inner] : {std::pair<std::int64_t, std::int64_t>{741, 5},
                                 {3036, 3},
                                 {3726, 2},
                                 {5609, 2},
                                 {127 * 127, 3}})
    expect_values({.extents = {2, n, inner}, .axes = {1}, .inverse = n % 2 == 0});
  expect_values({.extents = {4991, 6}});
  expect_values({.extents = {8192, 16}});
}

// Every subset of the axes, positive and negative ones in turn.
TEST(fft, subsets_of_axes) {
  const std::vector<std::int64_t> all[] = {
      {8, 6, 10}, {3, 1, 150}, {130, 4, 3}, {1, 8, 8}, {4, 64, 5, 6}};
  for (const std::vector<std::int64_t>& e : all) {
    const int rank = int(e.size());
    for (int subset = 1; subset < 1 << rank; ++subset) {
      std::vector<int> axes;
      for (int a = 0; a < rank; ++a)
        if (subset >> a & 1) axes.push_back(a % 2 == subset % 2 ? a : a - rank);
      std::ranges::reverse(axes);
      expect_values({.extents = e, .axes = axes, .inverse = subset % 2 == 0});
    }
  }
}

}  // namespace
}  // namespace papilio::kernels::test
