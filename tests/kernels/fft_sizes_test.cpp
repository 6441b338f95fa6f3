// Every extent, axis and batch on the emulator.
//
// Error model: kernels/fft/error_model.cpp, printed as sized_kernel::expected_error; single inputs
// are allowed three times as much.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "kernels/fft_axis_runs.hpp"
#include "kernels/fft_designs.hpp"
#include "kernels/real/real_sweeps.hpp"
#include "kernels/runs.hpp"
#include "kernels/transform/lines.hpp"
#include "kernels/transform/own_digits.hpp"
#include "kernels/transform/sweep.hpp"
#include "papilio/engine.hpp"

namespace papilio::kernels::test {
namespace {

engine::profile dry(std::int64_t n) {
  const sized_kernel sized = fft_kernel({.extents = {n}}, engine::trainium1());
  engine::device device(engine::trainium1());
  return prepared_kernel(device, sized, engine::run_mode::dry_run)
      .launch({engine::launch_input(sized.inputs[0])}, {engine::launch_output(sized.outputs[0])})
      .summary;
}

TEST(fft_sizes, every_n_up_to_140) {
  for (std::int64_t n = 1; n <= 140; ++n)
    expect_values(
        {.outer = n % 4 == 0 ? 3 : 1, .n = n, .inverse = n % 3 == 0, .seed = unsigned(n)});
}

TEST(fft_sizes, batches) {
  for (const std::int64_t n : {1, 2, 31, 96, 127, 131, 298, 1031})
    for (const std::int64_t outer : {1, 3, 63, 64, 130}) expect_values({.outer = outer, .n = n});
}

TEST(fft_sizes, columns) {
  for (const std::int64_t n : {1, 5, 64, 67, 131, 149, 250})
    for (const std::int64_t inner : {2, 3, 31, 33, 64, 130, 513})
      expect_values({.outer = inner < 10 ? 2 : 1, .n = n, .inner = inner, .inverse = n == 5});
  expect_values({.outer = 130, .n = 7, .inner = 3});
  expect_values({.outer = 3, .n = 4500, .inner = 5});
  expect_values({.outer = 1, .n = 4489, .inner = 70});  // 67 squared, in columns twice
}

// Axes of one element beside others, which are no transform's.
TEST(fft_sizes, an_axis_of_one_element) {
  for (const std::int64_t inner : {1, 2, 300, 5000})
    for (const std::int64_t outer : {1, 7})
      expect_values({.outer = outer, .n = 1, .inner = inner, .scale = -0.5});
}

// Extents of all magnitudes up to 200000, few elements in all.
TEST(fft_sizes, random_ones) {
  std::mt19937_64 generator(20);
  const auto up_to = [&](std::int64_t most) {
    const double exponent = std::log(double(most) + 1) * double(generator() >> 11) * 0x1p-53;
    return std::max<std::int64_t>(1, std::int64_t(std::exp(exponent)));
  };
  for (unsigned i = 0; i < 60; ++i) {
    const std::int64_t n = i < 4 ? 20000 + up_to(180000) : up_to(8000),
                       outer = up_to(std::max<std::int64_t>(1, 16000 / n)),
                       inner = up_to(std::max<std::int64_t>(1, 16000 / n / outer));
    expect_values({.outer = i % 3 == 0 ? 1 : outer,
                   .n = n,
                   .inner = i % 3 == 1 ? 1 : inner,
                   .inverse = i % 2 == 0,
                   .scale = i % 2 == 0 ? 1 / double(n) : 1,
                   .seed = i});
  }
}

// Blocks that fill SBUF to the last bytes, and large primes that meet in one stage of a pass over
// two axes, whose matrices are too many.
TEST(fft_sizes, tight_ones) {
  expect_values({.outer = 10, .n = 1864});
  const fft_row two_axes{.extents = {5, 1, 57348}, .axes = {0, -1}};
  EXPECT_GT(fft_kernel(two_axes, engine::trainium1()).expected_error, 0.0);
  // Factors above 64, where planes are two vectors.
  for (const std::int64_t n : {127 * 127, 113 * 107, 127 * 31, 101 * 2}) expect_values({.n = n});
}

// Few lines that would leave partitions idle are the array's columns: a few to a tile, the last
// tile not full, two digits and three.
TEST(fft_sizes, few_lines) {
  for (const std::int64_t n : {512, 1001, 2048, 4096, 65536})
    for (const std::int64_t outer : {1, 2, 7, 200}) {
      if (outer * n > 410000) continue;
      const fft_axis_run lines{.outer = outer, .n = n, .inverse = n == 1001, .scale = 0.5};
      const sized_kernel how = fft_kernel(lines.shape(), engine::trainium1());
      EXPECT_EQ(steps_like<kernels_detail::own_digits>(how).empty(), outer == 200)
          << n << ' ' << how.recipe();
      expect_values(lines);
    }
  EXPECT_LE(dry_profile("fft", {"n=4096"}).value("total_time"), 5.5e-6);
}

// Sizes of tests/times/times.txt, whose designs no other test of values has.
TEST(fft_sizes, named_runs) {
  for (const fft_axis_run& run :
       {fft_axis_run{.outer = 4, .n = 16384}, fft_axis_run{.outer = 16, .n = 16384},
        fft_axis_run{.outer = 64, .n = 4096}, fft_axis_run{.outer = 8, .n = 1009},
        fft_axis_run{.outer = 130, .n = 1009}, fft_axis_run{.outer = 1, .n = 7, .inner = 520},
        fft_axis_run{.outer = 1, .n = 1000, .inner = 520},
        fft_axis_run{.outer = 1, .n = 1009, .inner = 130},
        fft_axis_run{.outer = 1, .n = 65536, .inverse = true}})
    expect_values(run);
}

// Longer than a line that stays on chip, and such that real lines do: of few lines, of many, of an
// odd length.
TEST(fft_sizes, lines_by_their_parts) {
  for (const std::int64_t n : {4410, 4107, 8192})
    for (const std::int64_t outer : {1, 70, 130}) {
      const fft_axis_run lines{.outer = outer, .n = n, .inverse = n != 4410, .scale = -0.5};
      const sized_kernel how = fft_kernel(lines.shape(), engine::trainium1());
      if (outer > 70 || (outer > 1 && n != 8192)) {
        EXPECT_FALSE(steps_like<kernels_detail::paired_spectra>(how).empty()) << how.recipe();
      }
      expect_values(lines);
    }
  expect_values({.outer = 70, .n = 4410, .inverse = true});
  EXPECT_LE(dry_profile("fft", {"n=8192", "batch=1024"}).value("total_time"), 1.8e-3);
}

// Long lines of awkward factors are cut where groups of their stages are large.
TEST(fft_sizes, four_steps_of_large_groups) {
  for (const std::int64_t n : {960000, 1323000, 2646000})
    EXPECT_GT(dry(n).verdict.floor_fraction, 0.25) << n;
}

// Matrices of a last sweep are of each row of the sweep before, and loaded as blocks need them.
TEST(fft_sizes, long_columns_with_matrices_for_each_row) {
  const fft_axis_run columns{.outer = 1, .n = 32768, .inner = 70};
  EXPECT_GT(
      steps_like<kernels_detail::transform_sweep>(fft_kernel(columns.shape(), engine::trainium1()))
          .back()
          .formula.rows_before,
      1);
  expect_values(columns);
}

TEST(fft_sizes, very_long_lines) {
  const fft_axis_run line{.outer = 1, .n = 300763};  // 67 cubed
  expect_values(line);
  // Three sweeps, and the floor counts three.
  for (const std::int64_t n : {std::int64_t(1) << 25, std::int64_t(1) << 26})
    EXPECT_GT(dry(n).verdict.floor_fraction, 0.75) << n;
  for (const std::int64_t n : {3 << 20, 1953125})
    EXPECT_GT(dry(n).verdict.floor_fraction, 0.1) << n;
}

}  // namespace
}  // namespace papilio::kernels::test
