// Lengths with prime factors above 128 on the emulator.
//
// Error model: sized_kernel::expected_error, the sum in power of the roundings of both transforms
// and of three products (the convolution's results that are thrown away carry their share of the
// errors, so that what is kept has no more than this). Bounds in the largest error over the largest
// result are those of the cases they are named after.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "kernels/fft_axis_runs.hpp"
#include "kernels/runs.hpp"
#include "papilio/device.hpp"
#include "papilio/engine.hpp"
#include "papilio/papilio.hpp"

namespace papilio::kernels::test {
namespace {

using values = std::vector<std::complex<double>>;

void expect_close(const fft_axis_run& what, double bound) {
  const fft_axis_result result = run(what);
  const values expected = exact_of(what, result.in);
  for (std::size_t k = 0; k < expected.size(); ++k)
    ASSERT_LE(std::abs(std::complex<double>(result.out[k]) - expected[k]),
              bound + bound * std::abs(expected[k]))
        << what.n << ", " << k;
}

// There with the sign forward, and back.
void expect_round_trip(std::int64_t n) {
  const fft_axis_result there = run({.n = n, .inverse = false});
  const sized_kernel back =
      fft_kernel({.extents = {n}, .inverse = true, .scale = 1 / double(n)}, engine::trainium1());
  const auto count = std::size_t(n);
  array<float, 1> planes({2 * count}), results({2 * count});
  for (std::size_t k = 0; k < count; ++k) {
    planes.data()[k] = there.out[k].real();
    planes.data()[count + k] = there.out[k].imag();
  }
  engine::device device(engine::trainium1(), engine::sdk_2_24());
  prepared_kernel(device, back)
      .launch({engine::launch_input(std::as_bytes(std::span(planes.data(), 2 * count)),
                                    back.inputs[0])},
              {engine::launch_output(std::as_writable_bytes(std::span(results.data(), 2 * count)),
                                     back.outputs[0])});
  for (std::size_t j = 0; j < count; ++j)
    ASSERT_LE(
        std::abs(std::complex<float>(results.data()[j], results.data()[count + j]) - there.in[j]),
        1e-3f + 1e-7f * std::abs(there.in[j]))
        << n << ", " << j;
}

// The largest error over the largest result; Euclidean below 1e-6 and at most three times that of
// the host's transform in float.
void expect_accurate(std::int64_t n) {
  const fft_axis_run what{.n = n, .seed = unsigned(n)};
  const fft_axis_result result = run(what);
  const values expected = exact_of(what, result.in);
  const fft_errors errors = errors_of(result.out, expected);
  EXPECT_LE(errors.maximum, 1e-6) << n;
  EXPECT_LE(errors.euclidean, 1e-6) << n;
  EXPECT_LE(errors.euclidean, 1.5 * result.expected_error) << n;
  const fft_plan<float> plan(std::size_t(n), direction::forward, {normalization::none});
  std::vector<std::complex<float>> host(result.in.size());
  plan.execute(result.in, host);
  EXPECT_LE(errors.euclidean, 3 * errors_of(host, expected).euclidean) << n;
}

// The published "fast" mode has chirps whose angle pi j^2 / n is computed in float, where j^2 loses
// its low bits; its "kahan" mode repairs sums. Here there is one mode, with j^2 reduced in
// integers, which is compared with such chirps in otherwise exact arithmetic.
double error_of_float_chirps(const std::vector<std::complex<float>>& x, const values& expected) {
  const std::size_t n = x.size();
  values c(n);
  for (std::size_t j = 0; j < n; ++j) {
    const float angle = std::numbers::pi_v<float> * float(j) * float(j) / float(n);
    c[j] = std::polar(1.0, -double(angle));
  }
  std::vector<std::complex<float>> result(n);
  for (std::size_t k = 0; k < n; ++k) {
    std::complex<double> sum = 0;
    for (std::size_t j = 0; j < n; ++j)
      sum += std::complex<double>(x[j]) * c[j] * std::conj(c[k > j ? k - j : j - k]);
    result[k] = std::complex<float>(c[k] * sum);
  }
  return errors_of(result, expected).maximum;
}

void expect_no_worse_than_fast(std::int64_t n) {
  const fft_axis_run what{.n = n};
  const fft_axis_result result = run(what);
  const values expected = exact_of(what, result.in);
  EXPECT_LE(errors_of(result.out, expected).maximum,
            1.5 * error_of_float_chirps(result.in, expected));
}

TEST(bluestein_cases, trnfft_047_7) { expect_close({.n = 7}, 1e-3); }
TEST(bluestein_cases, trnfft_048_11) { expect_close({.n = 11}, 1e-3); }
TEST(bluestein_cases, trnfft_049_13) { expect_close({.n = 13}, 1e-3); }
TEST(bluestein_cases, trnfft_050_17) { expect_close({.n = 17}, 1e-3); }
TEST(bluestein_cases, trnfft_051_100) { expect_close({.n = 100}, 1e-3); }
TEST(bluestein_cases, trnfft_052_127) { expect_close({.n = 127}, 1e-3); }
TEST(bluestein_cases, trnfft_053_200) { expect_close({.n = 200}, 1e-3); }
TEST(bluestein_cases, trnfft_054_997) { expect_close({.n = 997}, 0.02); }
TEST(bluestein_cases, trnfft_055_round_trip_7) { expect_round_trip(7); }
TEST(bluestein_cases, trnfft_056_round_trip_11) { expect_round_trip(11); }
TEST(bluestein_cases, trnfft_057_round_trip_13) { expect_round_trip(13); }
TEST(bluestein_cases, trnfft_058_round_trip_17) { expect_round_trip(17); }
TEST(bluestein_cases, trnfft_059_round_trip_100) { expect_round_trip(100); }
TEST(bluestein_cases, trnfft_060_round_trip_127) { expect_round_trip(127); }
TEST(bluestein_cases, trnfft_061_round_trip_200) { expect_round_trip(200); }
TEST(bluestein_cases, trnfft_062_round_trip_997) { expect_round_trip(997); }
TEST(bluestein_cases, trnfft_145_7) { expect_close({.n = 7, .seed = 2}, 1e-3); }
TEST(bluestein_cases, trnfft_146_13) { expect_close({.n = 13, .seed = 2}, 1e-3); }
TEST(bluestein_cases, trnfft_147_100) { expect_close({.n = 100, .seed = 2}, 0.01); }
TEST(bluestein_cases, trnfft_148_127) { expect_close({.n = 127, .seed = 2}, 0.01); }
TEST(bluestein_cases, trnfft_150_997_no_worse_than_fast) { expect_no_worse_than_fast(997); }
TEST(bluestein_cases, trnfft_151_1009_no_worse_than_fast) { expect_no_worse_than_fast(1009); }
TEST(bluestein_cases, trnfft_152_8193_no_worse_than_fast) { expect_no_worse_than_fast(8193); }
TEST(bluestein_cases, trnfft_153_997_close) { expect_close({.n = 997, .seed = 3}, 0.01); }
TEST(bluestein_cases, beyond_024_500) { expect_accurate(500); }
TEST(bluestein_cases, beyond_025_997) { expect_accurate(997); }
TEST(bluestein_cases, beyond_026_4097) { expect_accurate(4097); }
TEST(bluestein_cases, beyond_027_8193) { expect_accurate(8193); }
TEST(bluestein_cases, beyond_028_65537) { expect_accurate(65537); }

TEST(bluestein, batches_and_columns) {
  for (const std::int64_t outer : {1, 5, 64, 130})
    for (const bool inverse : {false, true})
      expect_values({.outer = outer, .n = 262, .inverse = inverse, .scale = 1.0 / 262});
  expect_values({.outer = 70, .n = 2053});
  expect_values({.outer = 2, .n = 131, .inner = 17});
  expect_values({.outer = 1, .n = 2 * 137, .inner = 200, .inverse = true});
}

// Lines that take turns on chip, more of them than at a time.
TEST(bluestein, few_lines_on_chip) {
  for (const bool inverse : {false, true}) {
    expect_values({.outer = 3, .n = 1009, .inverse = inverse, .scale = -0.5});
    expect_values({.outer = 6, .n = 4099, .inverse = inverse, .scale = 1.0 / 4099});
  }
  expect_values({.n = 8191, .inverse = true});
}

TEST(bluestein, scale_and_two_axes) {
  const auto count = std::size_t(131 * 140);
  const auto x = std::vector<float>(2 * count, 1.0f);
  std::vector<float> y(2 * count);
  const sized_kernel sized = fft_kernel({.extents = {131, 140}, .scale = -2}, engine::trainium1());
  engine::device device(engine::trainium1());
  prepared_kernel(device, sized)
      .launch({engine::launch_input(std::as_bytes(std::span(x)), sized.inputs[0])},
              {engine::launch_output(std::as_writable_bytes(std::span(y)), sized.outputs[0])});
  // (1 + i) everywhere is (1 + i) N at 0. The error's norm is of the result's; it may be anywhere.
  const double peak = -2.0 * double(count), bound = 2 * sized.expected_error * std::abs(peak);
  for (std::size_t k = 0; k < 2 * count; ++k)
    ASSERT_NEAR(y[k], k % count == 0 ? peak : 0.0, bound) << k;
}

// A launch on data of the host, tables device array: one upload, one dispatch, one fetch.
TEST(bluestein, end_to_end_4097) {
  const sized_kernel sized = fft_kernel({.extents = {4097}}, engine::trainium1());
  engine::device device(engine::trainium1(), engine::sdk_2_24());
  const auto result = prepared_kernel(device, sized, engine::run_mode::dry_run)
                          .launch({engine::launch_input(sized.inputs[0])},
                                  {engine::launch_output(sized.outputs[0])});
  EXPECT_LE(result.total_seconds(), 1.2e-3);
  EXPECT_LE(result.device_seconds, 16e-6);
}

}  // namespace
}  // namespace papilio::kernels::test
