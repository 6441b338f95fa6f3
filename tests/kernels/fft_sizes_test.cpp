// Which way lines of a size take, and what it must not take longer than. Values of all ways are
// compared in transform_values_test.cpp.
#include <gtest/gtest.h>

#include "kernels/fft_axis_runs.hpp"
#include "kernels/fft_designs.hpp"
#include "kernels/runs.hpp"
#include "kernels/transform/lines.hpp"
#include "kernels/transform/own_digits.hpp"
#include "kernels/transform/real_sweeps.hpp"
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
    }
  EXPECT_LE(dry_profile("fft", {"n=4096"}).value("total_time"), 5.5e-6);
}

// Longer than a line that stays on chip, and such that real lines do: of few lines, of many, of an
// odd length.
TEST(fft_sizes, lines_by_their_parts) {
  for (const std::int64_t n : {4410, 4107, 8192})
    for (const std::int64_t outer : {1, 70, 130}) {
      const fft_axis_run lines{.outer = outer, .n = n, .inverse = n != 4410, .scale = -0.5};
      const sized_kernel how = fft_kernel(lines.shape(), engine::trainium1());
      if (outer > 70 || (outer > 1 && n != 8192)) {
        EXPECT_FALSE(steps_like<kernels_detail::packed_spectra>(how).empty()) << how.recipe();
      }
    }
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
}

TEST(fft_sizes, very_long_lines) {
  // Three sweeps, and the floor counts three.
  for (const std::int64_t n : {std::int64_t(1) << 25, std::int64_t(1) << 26})
    EXPECT_GT(dry(n).verdict.floor_fraction, 0.75) << n;
  for (const std::int64_t n : {3 << 20, 1953125})
    EXPECT_GT(dry(n).verdict.floor_fraction, 0.1) << n;
}

}  // namespace
}  // namespace papilio::kernels::test
