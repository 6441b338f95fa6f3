// Transforms of real numbers on the emulator: what holds beside their values, which are compared in
// transform_values_test.cpp, and what they must not take longer than.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "kernels/real_fft_runs.hpp"

namespace papilio::kernels::test {
namespace {

using namespace engine;
using papilio::test::random_real;
using papilio::test::relative_error;

// Imaginary parts that must not be looked at.
void spoil(const fft_row& shape, bins& spectrum) {
  const std::int64_t n = shape.extents.back();
  const auto h = std::size_t(n / 2 + 1);
  for (std::size_t first = 0; first < spectrum.size(); first += h) {
    spectrum[first].imag(std::numeric_limits<float>::quiet_NaN());
    if (n % 2 == 0) spectrum[first + h - 1].imag(std::numeric_limits<float>::quiet_NaN());
  }
}

// Of a pair the errors are in proportion to both: 2^-20 of the louder one is the most that a quiet
// line sees of it.
TEST(real_fft, a_quiet_line_beside_a_loud_one) {
  for (const std::int64_t n : {131, 4099}) {
    const fft_row shape = lines_of(2, n);
    auto x = random_real<float>(std::size_t(2 * n), 9);
    for (std::size_t j = 0; j < std::size_t(n); ++j) x[j] *= 1e-4F;
    const auto y = run_rfft(shape, x);
    const auto expected = expected_rfft(shape, x);
    const std::size_t h = y.size() / 2;
    long double error = 0, loud = 0;
    for (std::size_t k = 0; k < h; ++k) {
      error += std::norm(exact(y[k]) - expected[k]);
      loud += std::norm(expected[h + k]);
    }
    EXPECT_LE(std::sqrt(error / loud), 0x1p-20L) << n;
    EXPECT_LE(relative_error(y, expected), 4 * rfft_kernel(shape, trainium1()).expected_error) << n;
  }
}

TEST(real_fft, bins_that_are_real_are_so) {
  for (const std::int64_t n : {8, 100, 128, 1024, 1001, 65536, 131, 262, 8198, 4099, 19683})
    for (const std::int64_t batch : {1, 2, 3}) {
      const auto y = run_rfft(lines_of(batch, n), random_real<float>(std::size_t(batch * n), 8));
      const auto h = std::size_t(n / 2 + 1);
      for (std::size_t b = 0; b < y.size(); b += h) {
        EXPECT_EQ(y[b].imag(), 0) << n;
        if (n % 2 == 0) {
          EXPECT_EQ(y[b + h - 1].imag(), 0) << n;
        }
      }
    }
}

TEST(real_fft, bins_of_columns_that_are_real_are_so) {
  const fft_row shape{.extents = {1, 8450, 200}, .axes = {1}};
  const bins y = run_rfft(shape, random_real<float>(8450 * 200, 8));
  for (std::size_t lane = 0; lane < 200; ++lane) {
    EXPECT_EQ(y[lane].imag(), 0);
    EXPECT_EQ(y[4225 * 200 + lane].imag(), 0);
  }
}

TEST(real_fft, there_and_back) {
  for (const std::int64_t n : {31, 60, 1024, 1001}) {
    const auto x = random_real<float>(std::size_t(130 * n), 3);
    const auto z = run_irfft(lines_of(130, n, 1 / double(n)), run_rfft(lines_of(130, n), x));
    EXPECT_LE(relative_error(z, std::vector<exact>(x.begin(), x.end())), 1e-6) << n;
  }
}

template <class Error, class Make>
void expect_refused(const Make& make, const std::string& message) {
  try {
    make();
    ADD_FAILURE() << "accepted: " << message;
  } catch (const Error& e) {
    EXPECT_EQ(std::string(e.what()), message);
  }
}

TEST(real_fft, what_is_refused) {
  const auto forward = [](fft_row shape) {
    return [shape] { return rfft_kernel(shape, trainium1()); };
  };
  expect_refused<invalid_argument>(forward({.extents = {}}),
                                   "fft_kernel: fft_problem: extents must not be empty");
  expect_refused<invalid_argument>(forward({.extents = {4, 0}}),
                                   "fft_kernel: fft_problem: extents must be at least 1, got 4x0");
  expect_refused<invalid_argument>(forward({.extents = {4, 8}, .axes = {2}}),
                                   "fft_kernel: fft_problem: axes must be less than 2, got 2");
  expect_refused<invalid_argument>(forward({.extents = {4, 8}, .axes = {1, -1}}),
                                   "fft_kernel: fft_problem: axes must be distinct, got 1 twice");
  expect_refused<invalid_argument>(
      forward({.extents = {8}, .precision = {.target_error = 1e-12}}),
      "fft_kernel: precision.target_error must be at least 3.66e-08, which "
      "split_bf16 in 3 parts is expected to reach, got 1e-12");
  expect_refused<invalid_argument>(
      [] {
        return irfft_kernel({.extents = {8}, .precision = {.mode = precision::compensated}},
                            trainium1());
      },
      "fft_kernel: precision.mode compensated transforms complex numbers: what makes real lines of "
      "them rounds as native does");
  expect_refused<invalid_argument>(forward({.extents = {8}, .precision = {.parts = 99}}),
                                   "fft_kernel: precision.parts must be 2 or 3, got 99");
  EXPECT_THROW(
      rfft_kernel({.extents = {std::int64_t(1) << 40, std::int64_t(1) << 40}}, trainium1()),
      resource_error);
}

// A long line's bins 0 and n/2, whose imaginary parts are not looked at; one, and several in turns.
TEST(real_fft, ends_of_long_lines) {
  for (const std::int64_t n : {1024, 1200, 16384})
    for (const std::int64_t batch : {1, 4}) {
      const fft_row shape = lines_of(batch, n, 1 / double(n));
      const auto h = std::size_t(n / 2 + 1);
      bins spectrum(std::size_t(batch) * h);
      for (std::size_t b = 0; b < std::size_t(batch); ++b) {
        spectrum[b * h] = {float(n), 0};
        spectrum[b * h + h - 1] = {float(n) * float(b + 2), 0};
      }
      spoil(shape, spectrum);
      const auto x = run_irfft(shape, spectrum);
      for (std::size_t i = 0; i < x.size(); ++i) {
        const float last = float(i / std::size_t(n) + 2);
        ASSERT_NEAR(x[i], i % 2 == 0 ? 1 + last : 1 - last, 1e-5) << n << ' ' << batch << ' ' << i;
      }
    }
}

// Half of the complex transform's bytes and products; the vector engine, which takes over some of
// its transposes, puts real results in their places.
TEST(real_fft, half_the_work) {
  for (const std::string size : {"n=1024", "n=4096"}) {
    const profile complex = dry_profile("fft", {size, "batch=4096"});
    for (const std::string kernel : {"rfft", "irfft"}) {
      const profile real = dry_profile(kernel, {size, "batch=4096"});
      EXPECT_LE(real.value("total_time"), 0.6 * complex.value("total_time")) << kernel << size;
      EXPECT_GE(real.verdict.floor_fraction, 0.49) << kernel << size;
    }
  }
}

// Lengths at the bounds of what fits: a line on chip, and two sweeps.
TEST(real_fft, what_fills_the_chip) {
  for (const std::string size : {"n=1771561", "n=5455164"})
    for (const std::string kernel : {"rfft", "irfft"})
      EXPECT_LE(dry_profile(kernel, {size}).value("total_time"), 2e-3) << kernel << ' ' << size;
}

// The same of other lengths, single lines, and lines beside each other. Limits are guards, above
// what was reached: half where DMA or products decide, more where a line waits for each step, and 1
// says no more than that real numbers take no longer.
TEST(real_fft, half_the_time) {
  struct limit {
    std::vector<std::string> size;
    double most;
  };
  const std::vector<limit> limits{{{"n=255", "batch=4096"}, 0.63},
                                  {{"n=1001", "batch=4096"}, 0.5},
                                  {{"n=65536"}, 0.55},
                                  {{"n=65536", "batch=64"}, 0.6},
                                  {{"n=131072"}, 0.55},
                                  {{"n=1048576"}, 0.55},
                                  {{"n=64", "inner=4096", "batch=16"}, 0.55},
                                  {{"n=1024", "inner=4096"}, 0.75},
                                  {{"n=1024", "inner=32", "batch=128"}, 0.6},
                                  {{"n=131", "batch=4096"}, 0.62},
                                  {{"n=131", "inner=4096"}, 0.65},
                                  {{"n=393", "batch=4096"}, 0.53},
                                  {{"n=1009", "batch=4095"}, 0.53},
                                  {{"n=1018", "batch=4096"}, 0.52},
                                  {{"n=1009", "inner=1024"}, 0.56},
                                  {{"n=4099", "batch=128"}, 0.54},
                                  {{"n=8198", "batch=64"}, 0.55},
                                  {{"n=65537", "batch=8"}, 0.58},
                                  {{"n=19683", "batch=64"}, 0.64},
                                  {{"n=59049", "batch=64"}, 0.64},
                                  {{"n=19683"}, 0.8},
                                  {{"n=59049"}, 0.62},
                                  {{"n=177147"}, 0.53},
                                  {{"n=30021"}, 1.47},
                                  {{"n=63567"}, 0.75},
                                  {{"n=531441"}, 0.55},
                                  {{"n=22050"}, 0.8},
                                  {{"n=44100"}, 0.6},
                                  {{"n=1000000"}, 0.7},
                                  {{"n=1323000"}, 0.6},
                                  {{"n=1323000", "batch=4"}, 0.6},
                                  {{"n=83521"}, 0.87},
                                  {{"n=352947"}, 0.75},
                                  {{"n=2646000"}, 0.72},
                                  {{"n=4194304"}, 0.71},
                                  {{"n=4194304", "batch=4"}, 0.65},
                                  {{"n=16777216"}, 0.57},
                                  // One line of so few points waits, rather than works.
                                  {{"n=1009"}, 0.97},
                                  {{"n=4099"}, 0.92},
                                  {{"n=1024"}, 1},
                                  {{"n=4096", "batch=4"}, 1},
                                  {{"n=2401"}, 1},
                                  {{"n=6859"}, 1},
                                  {{"n=65537"}, 0.93},
                                  {{"n=19683", "inner=256", "batch=2"}, 0.56},
                                  {{"n=19683", "inner=1024"}, 0.59},
                                  {{"n=16384", "inner=1024"}, 0.65},
                                  {{"n=20000", "inner=512"}, 0.78}};
  // Real lines have more transposes for their products, which are of two passes and wait for loads.
  constexpr double transposes = 1.19;
  for (const limit& l : limits) {
    const profile complex = dry_profile("fft", l.size);
    for (const std::string kernel : {"rfft", "irfft"})
      EXPECT_LE(dry_profile(kernel, l.size).value("total_time"),
                transposes * l.most * complex.value("total_time"))
          << kernel << ' ' << l.size.front();
  }
}

}  // namespace
}  // namespace papilio::kernels::test
