// Sizes at which Fourier kernels are compared with the definition: each design of lines, columns,
// own digits, sweeps and chirps has some.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "kernels/transform_values.hpp"

namespace papilio::kernels::test {
namespace {

using extents = std::vector<std::int64_t>;

// Lines in the order of memory.
fft_row lines(std::int64_t batch, std::int64_t n, double scale = 1) {
  return {.extents = {batch, n}, .axes = {-1}, .scale = scale};
}

// Lines of each length in batches.
void expect_lines(const std::vector<std::int64_t>& batches, const extents& lengths,
                  void (*expect)(fft_row, const engine::machine_spec&),
                  const engine::machine_spec& machine = engine::trainium1()) {
  for (const std::int64_t n : lengths)
    for (const std::int64_t batch : batches) expect(lines(batch, n), machine);
}
void real(fft_row shape, const engine::machine_spec& machine) { expect_real(shape, machine); }
constexpr auto complex = expect_complex;

extents all_up_to(std::int64_t most) {
  extents all(static_cast<std::size_t>(most));
  std::ranges::generate(all, [n = std::int64_t(0)]() mutable { return ++n; });
  return all;
}

TEST(complex_values, short_lines) {
  constexpr std::int64_t batches[] = {1, 3, 127, 129, 300};
  for (std::int64_t n = 1; n <= 140; ++n) {
    expect_values(n % 2 == 0 ? transform_way::inverse : transform_way::forward, lines(1, n));
    expect_values(n % 2 == 0 ? transform_way::forward : transform_way::inverse,
                  lines(batches[n % 5], n, -0.5));
  }
}

TEST(complex_values, lines_by_their_digits) {
  expect_lines({1}, {256, 254, 343, 1024, 1331, 2197, 2401, 4095, 4100, 14641, 28561, 32768},
               complex);
  expect_lines({3}, {1000, 4096, 8192, 5000}, complex);
  expect_lines({64, 130}, {96, 127, 243, 889, 1031, 4410, 4107}, complex);
  // Blocks that fill the chip to the last bytes; factors above 64, where planes are two vectors.
  for (const fft_row& row :
       {lines(10, 1864), lines(5, 12100), lines(70, 8192), lines(1, 127 * 127), lines(1, 113 * 107),
        lines(1, 127 * 31), lines(1, 100000), lines(1, 300763)})
    expect_complex(row);
}

// Few lines are the array's columns: a few to a tile, the last tile not full, of two digits and three.
TEST(complex_values, own_digits) {
  expect_lines({1, 2, 7}, {512, 1001, 2048, 4096}, complex);
  for (const fft_row& row :
       {lines(4, 16384), lines(16, 16384), lines(64, 4096), lines(1, 65536), lines(2, 65536)})
    expect_complex(row);
}

TEST(complex_values, chirps) {
  expect_lines({1, 5, 130}, {131, 262, 298}, complex);
  for (const fft_row& row : {lines(8, 1009), lines(130, 1009), lines(70, 2053), lines(6, 4099),
                             lines(1, 8191), lines(1, 65537)})
    expect_complex(row);
}

TEST(complex_values, columns) {
  for (const std::int64_t n : {1, 5, 64, 67, 131, 149, 250})
    for (const std::int64_t inner : {2, 31, 64, 130, 513})
      expect_values(n % 2 == 0 ? transform_way::inverse : transform_way::forward,
                    {.extents = {inner < 10 ? 2 : 1, n, inner}, .axes = {1}});
  for (const extents& e :
       {extents{130, 7, 3}, extents{3, 4500, 5}, extents{1, 4489, 70}, extents{1, 7, 520},
        extents{1, 1000, 520}, extents{1, 1009, 130}, extents{2, 741, 5}, extents{2, 3036, 3},
        extents{2, 5609, 2}, extents{1, 127 * 127, 3}, extents{1, 32768, 70}, extents{7, 1, 300},
        extents{2, 274, 200}})
    expect_complex({.extents = e, .axes = {1}});
}

TEST(complex_values, several_axes) {
  const extents all[] = {{1, 1},          {7, 1},       {256, 1, 3},    {64, 64},    {100, 130},
                         {33, 65},        {4, 8, 8},    {5, 7, 9},      {16, 1, 16}, {129, 3, 2},
                         {2, 300, 5},     {3, 4, 5, 6}, {2, 1, 3, 129}, {127, 127},  {11, 13, 17},
                         {2, 3, 5, 7, 4}, {4, 5000},    {5000, 4},      {4991, 6},   {8192, 16},
                         {131, 140}};
  for (const extents& e : all) expect_complex({.extents = e});
}

TEST(complex_values, subsets_of_axes) {
  for (const extents& e : {extents{8, 6, 10}, extents{3, 1, 150}, extents{130, 4, 3},
                           extents{1, 8, 8}, extents{4, 64, 5, 6}}) {
    const int rank = int(e.size());
    for (int subset = 1; subset < 1 << rank; ++subset) {
      std::vector<int> axes;
      for (int a = 0; a < rank; ++a)
        if (subset >> a & 1) axes.push_back(a % 2 == subset % 2 ? a : a - rank);
      std::ranges::reverse(axes);
      expect_values(subset % 2 == 0 ? transform_way::inverse : transform_way::forward,
                    {.extents = e, .axes = axes});
    }
  }
}

// Extents of all magnitudes up to 200000, few elements in all.
TEST(complex_values, random_extents) {
  std::mt19937_64 generator(20);
  const auto up_to = [&](std::int64_t most) {
    const double exponent = std::log(double(most) + 1) * double(generator() >> 11) * 0x1p-53;
    return std::max<std::int64_t>(1, std::int64_t(std::exp(exponent)));
  };
  for (unsigned i = 0; i < 60; ++i) {
    const std::int64_t n = i < 4 ? 20000 + up_to(180000) : up_to(8000),
                       outer = up_to(std::max<std::int64_t>(1, 16000 / n)),
                       inner = up_to(std::max<std::int64_t>(1, 16000 / n / outer));
    expect_values(i % 2 == 0 ? transform_way::inverse : transform_way::forward,
                  {.extents = {i % 3 == 0 ? 1 : outer, n, i % 3 == 1 ? 1 : inner},
                   .axes = {1},
                   .scale = 1 / double(n)});
  }
}

TEST(real_values, short_lines) {
  expect_lines({3}, all_up_to(40), real);
  expect_lines({1, 129, 300}, {1, 2, 7, 16, 63, 128, 130, 264}, real);
  for (const fft_row& row : {lines(3001, 8), lines(771, 150)}) expect_real(row);
}

TEST(real_values, lines_by_their_digits) {
  expect_lines({3}, {48, 64, 100, 127, 135, 200, 250, 254, 1000, 1001, 1024, 8192, 10000}, real);
  expect_lines({1, 2, 7}, {99, 129, 255, 343, 1155, 2187, 4095, 4097}, real);
  for (const fft_row& row : {lines(300, 105), lines(129, 15 * 31), lines(515, 256),
                             lines(131, 4096), lines(70, 8192), lines(1, 2 * 61 * 31)})
    expect_real(row);
}

// One line, or a few in turns: of two digits, of three of any parity, whose tables stay or pass by.
TEST(real_values, long_lines) {
  expect_lines({1}, {16384, 16807, 19683, 33075, 127 * 127 * 3, 66150, 99225, 131072}, real);
  expect_lines({3}, {18000, 22050, 59049, 65536}, real);
  for (const fft_row& row : {lines(1, 177147), lines(1, 254016), lines(1, 1323000)})
    expect_real(row);
}

// Powers of a prime, blocks of lanes of another size, one run of lanes and several, several lines.
TEST(real_values, two_sweeps) {
  expect_lines({1}, {6859, 28561, 83521, 352947, 531441, 2205225, 2621440}, real);
  expect_lines({5}, {2401, 28561}, real);
}

// Large primes, of which two lines may be one complex line: an odd number of lines has one of them in
// two pairs, and one by itself goes alone.
TEST(real_values, chirps) {
  expect_lines({1, 2, 3, 128}, {131, 257, 262, 393}, real);
  expect_lines({1, 2, 3}, {1009, 1018, 4099, 2 * 4099, 3 * 1009}, real);
  for (const fft_row& row :
       {lines(4, 2039), lines(257, 2053), lines(66, 3027), lines(5, 4099), lines(1, 2 * 65537),
        lines(1, 10007), lines(1, 3 * 10007), lines(1, 63567), lines(1, 99999)})
    expect_real(row);
}

TEST(real_values, columns) {
  for (const extents& e :
       {extents{2, 12, 5}, extents{1, 300, 7}, extents{1, 1001, 3}, extents{1, 1, 70},
        extents{1, 40, 1100}, extents{30, 31, 70}, extents{3, 100, 70}, extents{2, 255, 80},
        extents{1, 256, 129}, extents{1, 1009, 4}, extents{1, 257, 66}, extents{1, 7, 520},
        extents{1, 1000, 520}, extents{1, 1024, 600}, extents{2, 16335, 64}, extents{1, 17424, 200},
        extents{2, 8450, 530}})
    expect_real({.extents = e, .axes = {1}, .scale = 0.3});
}

TEST(real_values, several_axes) {
  for (const fft_row& shape :
       {fft_row{.extents = {8, 16}}, fft_row{.extents = {16, 32}, .scale = 1 / 512.0},
        fft_row{.extents = {3, 5, 7}}, fft_row{.extents = {1, 1}}, fft_row{.extents = {20, 130}},
        fft_row{.extents = {3, 6, 10}, .axes = {0, -1}},
        fft_row{.extents = {2, 6, 9}, .axes = {2, 1}}, fft_row{.extents = {7, 300}, .axes = {0}},
        fft_row{.extents = {63, 3, 70}, .axes = {1, 0}}, fft_row{.extents = {3, 5, 131}},
        fft_row{.extents = {131, 5, 3}, .axes = {1, 0}}, fft_row{.extents = {257, 393}},
        fft_row{.extents = {2, 131, 70}, .axes = {0, 1}, .scale = 0.2},
        fft_row{.extents = {2, 64, 3, 50}, .axes = {3, 1}},
        fft_row{.extents = {3, 2, 2, 1009}, .axes = {1, 3}}})
    expect_real(shape);
}

TEST(values_on_trainium2, of_all_ways) {
  const engine::machine_spec machine = engine::trainium2();
  expect_lines({3}, {63, 100, 200, 1024, 143, 131, 262, 1009}, real, machine);
  expect_lines({1}, {2187, 22050, 28561, 30021}, real, machine);
  expect_lines({1, 130}, {96, 1009, 4096}, complex, machine);
}

TEST(values_on_trainium3, of_all_ways) {
  const engine::machine_spec machine = engine::trainium3();
  expect_lines({3}, {63, 100, 1024, 131, 1009}, real, machine);
  expect_lines({1, 130}, {96, 1009, 4096}, complex, machine);
}

}  // namespace
}  // namespace papilio::kernels::test
