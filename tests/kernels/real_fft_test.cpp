// Transforms of real numbers on the emulator against the definition of the DFT in long double.
//
// Error model: sized_kernel::expected_error, roundings of all sums in quadrature. Single inputs of
// few points scatter about it: four times as much is allowed; for long lines 1.3 times, and no less
// than 0.4 times, so that the model means something.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>

#include "kernels/real_fft_runs.hpp"

namespace papilio::kernels::test {
namespace {

using namespace engine;
using papilio::test::random_real;
using papilio::test::relative_error;

std::string name_of(const fft_row& shape) {
  std::string text;
  for (const std::int64_t e : shape.extents) text += std::to_string(e) + " ";
  return text;
}

// Imaginary parts that must not be looked at.
void spoil(const fft_row& shape, bins& spectrum) {
  const std::int64_t n = shape.extents.back();
  const auto h = std::size_t(n / 2 + 1);
  for (std::size_t first = 0; first < spectrum.size(); first += h) {
    spectrum[first].imag(std::numeric_limits<float>::quiet_NaN());
    if (n % 2 == 0) spectrum[first + h - 1].imag(std::numeric_limits<float>::quiet_NaN());
  }
}

void expect_forward(const fft_row& shape, const machine_spec& machine = trainium1()) {
  const auto x = random_real<float>(std::size_t(count_of(shape.extents)), 5);
  EXPECT_LE(relative_error(run_rfft(shape, x, machine), expected_rfft(shape, x)),
            4 * rfft_kernel(shape, machine).expected_error)
      << name_of(shape);
}

void expect_inverse(const fft_row& shape, const machine_spec& machine = trainium1()) {
  std::vector<std::int64_t> extents = shape.extents;
  extents[halved(shape)] = extents[halved(shape)] / 2 + 1;
  bins spectrum = random_bins(count_of(extents), 6);
  const auto expected = expected_irfft(shape, spectrum);
  if (shape.axes.size() == 1 && halved(shape) + 1 == extents.size()) spoil(shape, spectrum);
  EXPECT_LE(relative_error(run_irfft(shape, spectrum, machine), expected),
            4 * irfft_kernel(shape, machine).expected_error)
      << name_of(shape);
}

TEST(real_fft, every_n_up_to_40) {
  for (std::int64_t n = 1; n <= 40; ++n) {
    expect_forward(lines_of(3, n));
    expect_inverse(lines_of(3, n, 1 / double(n)));
  }
}

TEST(real_fft, longer_ones) {
  for (const std::int64_t n :
       {48, 63, 64, 100, 127, 128, 135, 200, 250, 254, 256, 1000, 1001, 1024}) {
    expect_forward(lines_of(3, n, -0.37));
    expect_inverse(lines_of(3, n, 1 / double(n)));
  }
  for (const std::int64_t n : {2048, 2 * 61 * 31, 4096}) {
    expect_forward(lines_of(1, n));
    expect_inverse(lines_of(1, n));
  }
}

TEST(real_fft, odd_lines) {
  for (const std::int64_t n : {99, 129, 255, 343, 1001, 1009, 1155, 2187, 4095, 4097})
    for (const std::int64_t batch : {1, 2, 3, 7}) {
      if (batch > 2 && n > 2000) continue;
      expect_forward(lines_of(batch, n, -0.37));
      expect_inverse(lines_of(batch, n, 1 / double(n)));
    }
  for (const std::int64_t batch : {129, 300})
    for (const std::int64_t n : {105, 255, 15 * 31}) {
      expect_forward(lines_of(batch, n));
      expect_inverse(lines_of(batch, n));
    }
}

TEST(real_fft, batches) {
  for (const std::int64_t batch : {1, 129, 300})
    for (const std::int64_t n : {1, 2, 7, 16, 63, 128, 130, 264}) {
      expect_forward(lines_of(batch, n));
      expect_inverse(lines_of(batch, n));
    }
  expect_forward(lines_of(3001, 8));
  expect_inverse(lines_of(3001, 8));
  expect_forward(lines_of(771, 150));
  expect_inverse(lines_of(771, 150));
}

TEST(real_fft, long_lines) {
  for (const std::int64_t n : {1024, 4096, 8192, 10000, 65536, 131072}) {
    const fft_row shape = lines_of(n > 10000 ? 1 : 3, n);
    for (const bool inverse : {false, true}) {
      const double model = inverse ? irfft_kernel(shape, trainium1()).expected_error
                                   : rfft_kernel(shape, trainium1()).expected_error;
      const double ratio = sampled_error(shape.extents[0], n, inverse) / model;
      EXPECT_LE(ratio, 1.3) << n << ' ' << inverse;
      EXPECT_GE(ratio, 0.4) << n << ' ' << inverse;
    }
  }
  // Several lines, and factors that are not powers of two.
  for (const std::int64_t n : {4 * 4001, 20 * 1001, 18000, 98784, 3 * 31 * 2048})
    for (const bool inverse : {false, true}) EXPECT_LE(sampled_error(3, n, inverse), 1e-6) << n;
  // By sweeps over HBM: too large a factor, and odd.
  for (const std::int64_t n : {2 * 10007, 15015 * 3})
    for (const bool inverse : {false, true}) EXPECT_LE(sampled_error(2, n, inverse), 1e-6) << n;
}

// Two lines as one complex line: large primes in two sweeps and in more, and odd lengths that do
// not stay on chip; an odd number of lines has one of them in two pairs, and one by itself goes
// alone.
TEST(real_fft, two_lines_as_one) {
  for (const std::int64_t n : {131, 257, 262, 393})
    for (const std::int64_t batch : {1, 2, 3, 5, 128, 259}) {
      if (n > 131 && batch > 128) continue;
      expect_forward(lines_of(batch, n, -0.37));
      expect_inverse(lines_of(batch, n, 1 / double(n)));
    }
  for (const std::int64_t n : {1009, 1018})
    for (const std::int64_t batch : {1, 2, 3}) {
      expect_forward(lines_of(batch, n));
      expect_inverse(lines_of(batch, n, 1 / double(n)));
    }
  for (const auto& [n, batches] :
       std::map<std::int64_t, std::vector<std::int64_t>>{{1009, {128}},
                                                         {2039, {1, 4, 65}},
                                                         {2053, {257}},
                                                         {3 * 1009, {1, 2, 66, 127}},
                                                         {4099, {1, 2, 3, 5, 128}},
                                                         {2 * 4099, {1, 2, 5}},
                                                         {2 * 65537, {1}},
                                                         {19683, {1, 2, 3, 5}},
                                                         {59049, {1, 2, 3}}})
    for (const std::int64_t batch : batches) {
      const fft_row shape = lines_of(batch, n);
      EXPECT_LE(sampled_error(batch, n, false),
                1.5 * rfft_kernel(shape, trainium1()).expected_error)
          << name_of(shape);
      EXPECT_LE(sampled_error(batch, n, true),
                1.5 * irfft_kernel(shape, trainium1()).expected_error)
          << name_of(shape);
    }
}

TEST(real_fft, two_lines_as_one_among_several_axes) {
  for (const fft_row& shape :
       {fft_row{.extents = {3, 5, 131}}, fft_row{.extents = {131, 5, 3}, .axes = {1, 0}},
        fft_row{.extents = {2, 262, 3}, .axes = {1}}, fft_row{.extents = {257, 393}},
        fft_row{.extents = {2, 131, 70}, .axes = {0, 1}, .scale = 0.2}, fft_row{.extents = {131}},
        fft_row{.extents = {1, 262}}, fft_row{.extents = {3, 2, 2, 1009}, .axes = {1, 3}}}) {
    expect_forward(shape);
    expect_inverse(shape);
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

TEST(real_fft, several_axes) {
  for (const fft_row& shape :
       {fft_row{.extents = {8, 16}}, fft_row{.extents = {16, 32}, .scale = 1 / 512.0},
        fft_row{.extents = {4, 8, 16}}, fft_row{.extents = {3, 5, 7}}, fft_row{.extents = {1, 1}},
        fft_row{.extents = {3, 6, 10}, .axes = {0, -1}}, fft_row{.extents = {20, 130}},
        fft_row{.extents = {2, 6, 9}, .axes = {2, 1}}, fft_row{.extents = {2, 12, 5}, .axes = {1}},
        fft_row{.extents = {7, 300}, .axes = {0}}, fft_row{.extents = {150, 3}, .axes = {0}}}) {
    expect_forward(shape);
    expect_inverse(shape);
  }
}

// Transposed; one product; two stages, several rows of DMA; Bluestein's algorithm.
TEST(real_fft, inner_axes) {
  for (const fft_row& shape :
       {fft_row{.extents = {2, 12, 5}, .axes = {1}}, fft_row{.extents = {300, 7}, .axes = {0}},
        fft_row{.extents = {1001, 3}, .axes = {0}}, fft_row{.extents = {1, 2}, .axes = {0}},
        fft_row{.extents = {3, 1, 70}, .axes = {1}}, fft_row{.extents = {2, 130}, .axes = {0}},
        fft_row{.extents = {40, 1100}, .axes = {0}}, fft_row{.extents = {30, 31, 70}, .axes = {1}},
        fft_row{.extents = {3, 100, 70}, .axes = {1}}, fft_row{.extents = {105, 600}, .axes = {-2}},
        fft_row{.extents = {2, 255, 80}, .axes = {1}},
        fft_row{.extents = {256, 129}, .axes = {0}, .scale = 0.3},
        fft_row{.extents = {63, 3, 70}, .axes = {1, 0}}, fft_row{.extents = {101, 80}, .axes = {0}},
        fft_row{.extents = {1009, 4}, .axes = {0}}, fft_row{.extents = {257, 66}, .axes = {0}},
        fft_row{.extents = {2, 64, 3, 50}, .axes = {3, 1}}}) {
    expect_forward(shape);
    expect_inverse(shape);
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

TEST(real_fft, there_and_back) {
  for (const std::int64_t n : {31, 60, 1024, 1001}) {
    const auto x = random_real<float>(std::size_t(130 * n), 3);
    const auto z = run_irfft(lines_of(130, n, 1 / double(n)), run_rfft(lines_of(130, n), x));
    EXPECT_LE(relative_error(z, std::vector<exact>(x.begin(), x.end())), 1e-6) << n;
  }
}

TEST(real_fft, values_on_trainium2) {
  for (const std::int64_t n : {63, 100, 200, 1024, 143, 131, 262, 1009}) {
    expect_forward(lines_of(3, n), trainium2());
    expect_inverse(lines_of(3, n), trainium2());
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
                                  {{"n=65537"}, 0.93}};
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
