// Modelled times of transforms, in dry runs: over the floor of what must move, and of whole calls.
#include <gtest/gtest.h>

#include "kernels/runs.hpp"

namespace papilio::kernels::test {
namespace {

engine::launch_result dry(const fft_row& shape) {
  engine::device dev(engine::trainium1(), engine::sdk_2_24());
  const prepared_kernel fft(dev, fft_kernel(shape, dev.machine()), engine::run_mode::dry_run);
  return fft.launch({fft.what().inputs[0]}, {fft.what().outputs[0]});
}

void expect_floor(const fft_row& shape, double fraction) {
  const engine::profile p = dry(shape).summary;
  EXPECT_TRUE(p.verdict.floor_was_stated);
  EXPECT_EQ(p.verdict.tensor_floor_seconds, 0);  // a transform has no arithmetic that it must do
  EXPECT_GE(p.verdict.floor_fraction, fraction) << fft_kernel(shape, engine::trainium1()).recipe();
  EXPECT_LE(p.verdict.floor_fraction, 1);
}

// On trainium1 every pass of the array waits for its load, to which these kernels are not tuned.
TEST(fft_targets, floors) {
  expect_floor({.extents = {4096, 1024}, .axes = {-1}}, 0.57);
  expect_floor({.extents = {4096, 4096}}, 0.57);
  expect_floor({.extents = {256, 256, 256}}, 0.57);
  expect_floor({.extents = {4096, 1024}, .axes = {-1}, .inverse = true}, 0.57);
}

// Input and output once each; twice more for a second sweep beyond what the chip holds.
TEST(fft_targets, floors_count_what_must_move) {
  const auto verdict = [](const fft_row& shape) { return dry(shape).summary.verdict; };
  const double one = verdict({.extents = {128, 1024}, .axes = {-1}}).hbm_floor_seconds;
  EXPECT_NEAR(verdict({.extents = {4096, 1024}, .axes = {-1}}).hbm_floor_seconds, 32 * one,
              1e-9 * one);
  // 128 x 1024 as one line has two sweeps, and fits.
  EXPECT_NEAR(verdict({.extents = {128 * 1024}}).hbm_floor_seconds, one, 1e-9 * one);
  EXPECT_NEAR(verdict({.extents = {4096, 4096}}).hbm_floor_seconds, 128 * 2 * one, 1e-9 * one);
}

// One array in, one out, the tables on the device; hardware's measured times are 20 to 400 times
// these.
TEST(fft_targets, whole_calls) {
  const auto milliseconds = [](const fft_row& shape) { return 1e3 * dry(shape).total_seconds(); };
  EXPECT_LE(milliseconds({.extents = {65536}}), 1.4);
  EXPECT_LE(milliseconds({.extents = {1024, 1024}}), 5.2);
  EXPECT_LE(milliseconds({.extents = {128, 1024}, .axes = {-1}}), 1.6);
  EXPECT_LE(milliseconds({.extents = {32, 64, 64}}), 1.6);
}

}  // namespace
}  // namespace papilio::kernels::test
