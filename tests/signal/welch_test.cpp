#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "papilio/signal.hpp"
#include "reference_data.hpp"
#include "support/oracle.hpp"

namespace papilio {
namespace {

// Both sides sum a few thousand products of an FFT in double; each power is off by epsilon times
// the strongest before the average.
void expect_power(std::span<const double> got, const std::vector<double>& expected,
                  double tolerance) {
  ASSERT_EQ(got.size(), expected.size());
  double largest = 0;
  for (const double v : expected) largest = std::max(largest, v);
  for (std::size_t k = 0; k < got.size(); ++k)
    EXPECT_NEAR(got[k], expected[k], tolerance * largest) << k;
}

void expect_scipy(const std::string& file, welch_options options) {
  options.rate_hz = 22050;
  const auto expected = test::reference("welch_" + file);
  auto signal = test::reference_signal<double>();
  signal.resize(4000);
  expect_power(welch<double>(signal, options).flat(), test::row(expected, 1), 2e-14);
  const welch_stream<double> stream(options);
  const auto frequencies = test::row(expected, 0);
  for (std::size_t k = 0; k < frequencies.size(); ++k)
    EXPECT_NEAR(stream.frequency_hz(k), frequencies[k], 1e-10);
  const std::vector<float> narrow(signal.begin(), signal.end());
  const auto power = welch<float>(narrow, options);
  expect_power(std::vector<double>(power.begin(), power.end()), test::row(expected, 1), 1e-5);
}

TEST(welch, default_equals_scipy) { expect_scipy("default", {}); }

TEST(welch, linear_trend_equals_scipy) {
  expect_scipy("linear", {.segment_length = 200,
                          .overlap = 150,
                          .n_fft = 255,
                          .window = window_kind::blackman,
                          .detrend = detrending::linear});
}

TEST(welch, spectrum_scaling_equals_scipy) {
  expect_scipy("spectrum", {.segment_length = 128,
                            .overlap = 0,
                            .window = {window_kind::kaiser, 8.6},
                            .detrend = detrending::none,
                            .scaling = psd_scaling::spectrum});
}

TEST(welch, median_equals_scipy) {
  expect_scipy("median", {.average = psd_average::median});
  expect_scipy("median_odd", {.segment_length = 300, .average = psd_average::median});
}

TEST(welch, two_sided_equals_scipy) {
  expect_scipy("two_sided", {.segment_length = 101, .overlap = 30, .one_sided = false});
}

TEST(periodogram, equals_scipy) {
  auto signal = test::reference_signal<double>();
  signal.resize(1000);
  expect_power(periodogram<double>(signal, {.rate_hz = 22050}).flat(),
               test::row(test::reference("welch_periodogram"), 1), 2e-14);
  const auto hann = periodogram<double>(signal, {.rate_hz = 22050,
                                                 .n_fft = 1023,
                                                 .window = window_kind::hann,
                                                 .detrend = detrending::linear,
                                                 .scaling = psd_scaling::spectrum});
  expect_power(hann.flat(), test::row(test::reference("welch_periodogram_hann"), 1), 2e-14);
}

TEST(welch, reads_a_sine_and_white_noise_as_stated) {
  const std::size_t n = 1 << 16;
  std::vector<double> sine(n);
  for (std::size_t i = 0; i < n; ++i)
    sine[i] = 0.6 * std::sin(2 * std::numbers::pi * 20 * static_cast<double>(i) / 256);
  const auto spectrum = welch<double>(sine, {.rate_hz = 8000, .scaling = psd_scaling::spectrum});
  EXPECT_NEAR(spectrum[20], 0.18, 1e-12);
  const auto noise = test::random_real<double>(n, 7);
  double mean_square = 0;
  for (const double x : noise) mean_square += x * x / static_cast<double>(n);
  // 511 half overlapping segments: each bin within 6 % (one deviation), their sum within 1 %.
  for (const auto average : {psd_average::mean, psd_average::median}) {
    const auto density = welch<double>(noise, {.rate_hz = 8000, .average = average});
    double sum = 0;
    for (const double p : density) sum += p * 8000 / 256;
    EXPECT_NEAR(sum / mean_square, 1, 0.03);
  }
}

TEST(welch, pieces_threads_and_strides_change_no_bit) {
  const auto signal = test::reference_signal<float>();
  const welch_options options{.segment_length = 300, .overlap = 77};
  const auto expected = welch<float>(signal, options);
  for (const std::size_t piece : {1, 7, 299, 300, 301, 5000}) {
    welch_stream<float> stream(options);
    for (std::size_t done = 0; done < signal.size(); done += piece)
      stream.push(std::span(signal).subspan(done, std::min(piece, signal.size() - done)));
    const auto power = stream.result();
    for (std::size_t k = 0; k < power.size(); ++k) EXPECT_EQ(power[k], expected[k]) << piece;
  }
  array<float, 2> interleaved({signal.size(), 3});
  for (std::size_t i = 0; i < signal.size(); ++i)
    for (std::size_t c = 0; c < 3; ++c) interleaved(i, c) = signal[i];
  for (const int threads : {1, 2, 5}) {
    const auto power = welch<float>(
        view<const float, 2>(interleaved.data(), {3, signal.size()}, {1, 3}), options, threads);
    for (std::size_t c = 0; c < 3; ++c)
      for (std::size_t k = 0; k < expected.size(); ++k) EXPECT_EQ(power(c, k), expected[k]);
  }
}

// A scale changes nothing but the scale, also where no float holds a power.
TEST(welch, of_floats_at_every_scale) {
  const auto noise = test::random_real<float>(3000, 4);
  for (const psd_average average : {psd_average::mean, psd_average::median})
    for (const detrending detrend : {detrending::none, detrending::constant, detrending::linear}) {
      const welch_options options{.rate_hz = 100, .detrend = detrend, .average = average};
      welch_stream<double> exact(options);
      exact.push(std::vector<double>(noise.begin(), noise.end()));
      const auto expected = exact.result();
      for (const double scale : {0x1p-120, 0x1p-100, 0x1p-60, 0x1p60, 0x1p120}) {
        SCOPED_TRACE(scale);
        std::vector<float> samples;
        for (const float x : noise) samples.push_back(x * static_cast<float>(scale));
        welch_stream<float> stream(options);
        stream.push(samples);
        const auto got = stream.result_in_double();
        const view<const float, 2> signal(samples.data(), {1, samples.size()});
        EXPECT_TRUE(std::ranges::equal(welch_in_double(signal, options), got));
        double highest = 0;
        for (const double p : expected) highest = std::max(highest, p);
        for (std::size_t k = 0; k < got.size(); ++k)
          EXPECT_NEAR(got[k] / scale / scale, expected[k], 1e-6 * highest) << k;
      }
    }
}

TEST(welch, may_go_on_after_a_result) {
  const auto signal = test::reference_signal<double>();
  welch_stream<double> stream({.average = psd_average::median});
  EXPECT_THROW(stream.result(), invalid_argument);
  stream.push(std::span(signal).first(2000));
  EXPECT_EQ(stream.segments(), 14u);
  stream.result();
  stream.push(std::span(signal).subspan(2000));
  const auto expected = welch<double>(signal, {.average = psd_average::median});
  const auto power = stream.result();
  for (std::size_t k = 0; k < power.size(); ++k) EXPECT_EQ(power[k], expected[k]);
  stream.reset();
  EXPECT_THROW(stream.result(), invalid_argument);
}

TEST(welch, short_lengths_and_refusals) {
  const std::vector<double> x(255, 1.0);
  try {
    welch<double>(x);
    FAIL();
  } catch (const invalid_argument& error) {
    EXPECT_STREQ(error.what(), "welch: the signal must hold a segment of 256 samples, got 255");
  }
  EXPECT_THROW(welch<double>(x, {.rate_hz = 0}), invalid_argument);
  EXPECT_THROW(welch<double>(x, {.rate_hz = INFINITY}), invalid_argument);
  EXPECT_THROW(welch<double>(x, {.segment_length = 0}), invalid_argument);
  EXPECT_THROW(welch<double>(x, {.segment_length = 64, .overlap = 64}), invalid_argument);
  EXPECT_THROW(welch<double>(x, {.segment_length = 64, .n_fft = 63}), invalid_argument);
  EXPECT_THROW(welch<double>(x, {.segment_length = max_n_fft + 1}), invalid_argument);
  EXPECT_THROW(welch<double>(x, {.window = {window_kind::kaiser, -1.0}}), invalid_argument);
  // Three weights, of which none lies within many sigma of the middle.
  EXPECT_THROW(welch<double>(x, {.segment_length = 3, .window = {window_kind::gaussian, 0.01}}),
               invalid_argument);
  EXPECT_THROW(welch<float>(std::vector<float>(255),
                            {.segment_length = 3, .window = {window_kind::gaussian, 0.05}}),
               invalid_argument);
  EXPECT_THROW(periodogram(std::vector<double>()), invalid_argument);
  EXPECT_THROW(periodogram<double>(x, {.n_fft = 128}), invalid_argument);
  const auto one = periodogram<double>(std::vector<double>{3}, {.detrend = detrending::none});
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0], 9);
  EXPECT_EQ(periodogram<double>(std::vector<double>{3}, {.detrend = detrending::linear})[0], 0);
  welch_stream<double> stream;
  std::vector<double> out(128);
  EXPECT_THROW(stream.result(out), shape_error);
}

}  // namespace
}  // namespace papilio
