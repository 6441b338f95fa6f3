#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "papilio/base.hpp"
#include "papilio/signal.hpp"

namespace papilio {
namespace {

struct tone {
  double frequency_hz, amplitude;
};

std::vector<double> spectrum(const std::vector<tone>& tones, stft_options options, double rate_hz) {
  options.centre = false;
  const stft_plan<double> plan(options);
  std::vector<double> x(options.n_fft);
  for (std::size_t i = 0; i < x.size(); ++i)
    for (const tone& t : tones)
      x[i] += t.amplitude *
              std::sin(2 * std::numbers::pi * t.frequency_hz * static_cast<double>(i) / rate_hz);
  array<double, 2> power({1, plan.bins()});
  plan.execute_power(x, power);
  const double sum = window_sum(plan.window());
  std::vector<double> levels(power.begin(), power.end());
  for (double& p : levels) p *= 4 / (sum * sum);
  return levels;
}

TEST(peaks, finds_tones_between_bins) {
  const double rate = 48000, bin = rate / 2048;
  for (const std::size_t window_length : {2048, 1500, 700})
    for (double offset = 0; offset < 1; offset += 0.1) {
      const stft_options stft{.n_fft = 2048, .window_length = window_length};
      const double a = (200 + offset) * bin, b = (600 + offset) * bin;
      const auto peaks = find_peaks(spectrum({{a, 0.1}, {b, 1}}, stft, rate), stft, rate, 2);
      ASSERT_EQ(peaks.size(), 2u);
      EXPECT_NEAR(peaks[0].frequency_hz, b, 0.001 * bin);
      EXPECT_NEAR(peaks[1].frequency_hz, a, 0.001 * bin);
      EXPECT_NEAR(power_to_db(peaks[0].power), 0, 0.01);
      EXPECT_NEAR(power_to_db(peaks[1].power), -20, 0.01);
    }
}

TEST(peaks, any_window) {
  const double rate = 48000, bin = rate / 2048;
  for (const char* window : {"hamming", "blackman", "nuttall", "blackman_harris", "flat_top",
                             "kaiser", "kaiser:4", "gaussian", "gaussian:200", "tukey", "dpss"})
    for (const std::size_t window_length : {2048, 700})
      for (const double offset : {0.0, 0.25, 0.6}) {
        const stft_options stft{
            .n_fft = 2048, .window_length = window_length, .window = parse_window(window)};
        const double a = (300 + offset) * bin;
        const auto peaks = find_peaks(spectrum({{a, 0.1}}, stft, rate), stft, rate, 2);
        ASSERT_FALSE(peaks.empty());
        EXPECT_NEAR(peaks[0].frequency_hz, a, 0.01 * bin) << window << ' ' << offset;
        EXPECT_NEAR(power_to_db(peaks[0].power), -20, 0.02) << window << ' ' << offset;
        // The narrowest main lobes: Tukey's of 2.7 bins of the window's length, Hamming's of 4.
        const bool narrow =
            stft.window.kind == window_kind::tukey || stft.window.parameter == 200.0;
        const double lobe_bins = narrow ? 2.6 : 3.9;
        const double lobe_hz = lobe_bins * rate / static_cast<double>(window_length);
        for (std::size_t i = 1; i < peaks.size(); ++i)
          EXPECT_GT(std::abs(peaks[i].frequency_hz - a), lobe_hz) << window;
      }
}

// The tone's image at negative frequency leaks 1/(2 k) of the amplitude into bin k.
// A parameter is judged by the window's own length, whatever stands for it inside.
TEST(peaks, parameters_of_long_windows) {
  const double rate = 48000, bin = rate / 8192;
  const stft_options wide{.n_fft = 8192, .window = {window_kind::dpss, 600}};
  const auto peaks = find_peaks(spectrum({{2000.25 * bin, 0.1}}, wide, rate), wide, rate, 1);
  ASSERT_EQ(peaks.size(), 1u);
  EXPECT_NEAR(power_to_db(peaks[0].power), -20, 0.1);
  const std::vector<double> power(33);
  for (const window_spec& window :
       {window_spec(window_kind::hann, 3.0), window_spec(window_kind::rectangular, 1.0),
        window_spec(window_kind::dpss, 40.0)})
    EXPECT_THROW(find_peaks(power, {.n_fft = 64, .window = window}, rate, 1), invalid_argument);
}

TEST(peaks, rectangular_window) {
  const stft_options stft{.n_fft = 4096, .window = window_kind::rectangular};
  const double bin = 44100.0 / 4096;
  for (const double offset : {0.0, 0.3, 0.5, 0.8}) {
    const auto peaks =
        find_peaks(spectrum({{(1000 + offset) * bin, 0.5}}, stft, 44100), stft, 44100, 1);
    ASSERT_EQ(peaks.size(), 1u);
    EXPECT_NEAR(peaks[0].frequency_hz, (1000 + offset) * bin, 0.002 * bin);
    EXPECT_NEAR(power_to_db(peaks[0].power), amplitude_to_db(0.5), 0.01);
  }
}

TEST(peaks, the_stated_bounds_hold_near_the_ends) {
  for (const std::size_t n : {64, 256})
    for (const double frequency :
         {4.0, 4.3, 4.5, 9.7, static_cast<double>(n / 2) - 4.5, static_cast<double>(n / 2) - 4.0})
      for (const auto kind : {window_kind::hann, window_kind::rectangular}) {
        const stft_options stft{.n_fft = n, .window = kind};
        const auto peaks = find_peaks(spectrum({{frequency, 1}}, stft, static_cast<double>(n)),
                                      stft, static_cast<double>(n), 1);
        ASSERT_EQ(peaks.size(), 1u);
        const bool hann = kind == window_kind::hann;
        EXPECT_NEAR(peaks[0].frequency_hz, frequency, hann ? 0.001 : 0.15) << n;
        EXPECT_NEAR(power_to_db(peaks[0].power), 0, hann ? 0.01 : 0.15) << n << ' ' << frequency;
      }
}

TEST(peaks, constant_and_alternating_signals) {
  const std::size_t n = 512;
  for (const auto kind : {window_kind::hann, window_kind::rectangular}) {
    const stft_options stft{.n_fft = n, .window = kind, .centre = false};
    const stft_plan<double> plan(stft);
    std::vector<double> x(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = 0.5 + (i % 2 == 0 ? 0.25 : -0.25);
    array<double, 2> power({1, plan.bins()});
    plan.execute_power(x, power);
    const double gain = 2 / window_sum(plan.window());
    for (double& p : power) p *= gain * gain;
    const auto peaks = find_peaks(power.flat(), stft, n, 2);
    ASSERT_EQ(peaks.size(), 2u);
    EXPECT_EQ(peaks[0].frequency_hz, 0);
    EXPECT_NEAR(peaks[0].power, 0.25, 1e-12);
    EXPECT_EQ(peaks[1].frequency_hz, n / 2);
    EXPECT_NEAR(peaks[1].power, 0.0625, 1e-12);
  }
}

TEST(peaks, a_main_lobe_is_one_peak_and_silence_none) {
  const stft_options stft{.n_fft = 1024};
  const auto peaks = find_peaks(spectrum({{5000, 1}}, stft, 48000), stft, 48000, 2);
  ASSERT_FALSE(peaks.empty());
  for (std::size_t i = 1; i < peaks.size(); ++i)
    EXPECT_GT(std::abs(peaks[i].frequency_hz - 5000), 4 * 48000.0 / 1024);
  EXPECT_TRUE(find_peaks(std::vector<double>(513), stft, 48000, 5).empty());
  EXPECT_TRUE(find_peaks(std::vector<double>(513, 1.0), stft, 48000, 0).empty());
  EXPECT_THROW(find_peaks(std::vector<double>(512), stft, 48000, 5), shape_error);
  EXPECT_THROW(find_peaks(std::vector<double>(1), {.n_fft = 0}, 48000, 5), invalid_argument);
}

// Zeros behind the window show its side lobes, which are no tones; a tone that stands above is one.
TEST(peaks, side_lobes_of_a_padded_window_are_none) {
  constexpr std::size_t length = 500, n_fft = 8192;
  for (const window_kind kind : {window_kind::rectangular, window_kind::hann, window_kind::hamming,
                                 window_kind::blackman_harris}) {
    const stft_options stft{.n_fft = n_fft, .hop = n_fft, .window_length = length, .window = kind};
    std::vector<double> samples(n_fft);
    for (std::size_t i = 0; i < n_fft; ++i)
      samples[i] = std::sin(0.7 * double(i)) + 0.05 * std::sin(2.1 * double(i));
    const stft_plan<double> plan({.n_fft = n_fft,
                                  .hop = n_fft,
                                  .window_length = length,
                                  .window = kind,
                                  .centre = false,
                                  .scaling = stft_scaling::dbfs});
    array<double, 2> power({1, plan.bins()});
    plan.execute_power(samples, power);
    const auto peaks = find_peaks(power.flat(), stft, 2 * std::numbers::pi, 10, 0, 70);
    ASSERT_EQ(peaks.size(), 2u) << to_string(kind);
    EXPECT_NEAR(peaks[0].frequency_hz, 0.7, 0.002);
    EXPECT_NEAR(peaks[1].frequency_hz, 2.1, 0.002);
  }
}

TEST(peaks, are_listed_as_far_down_as_asked) {
  const stft_options stft{.n_fft = 4096, .window = window_kind::blackman_harris};
  const double rate = 48000;
  const auto power = spectrum({{1000, 1}, {5000, 1e-3}, {9000, 1e-4}, {13000, 1e-5}}, stft, rate);
  const auto count = [&](auto... range_db) {
    return find_peaks(power, stft, rate, 4, 0, range_db...).size();
  };
  EXPECT_EQ(count(), 4u);
  EXPECT_EQ(count(90), 3u);
  EXPECT_EQ(count(70), 2u);
  EXPECT_EQ(count(0), 1u);
  EXPECT_NEAR(power_to_db(find_peaks(power, stft, rate, 4)[2].power), -80, 0.02);
  EXPECT_THROW(count(-1), invalid_argument);
  EXPECT_THROW(count(std::nan("")), invalid_argument);
}

TEST(peaks, stand_apart_where_asked) {
  const stft_options stft{.n_fft = 4096};
  const double rate = 48000;
  const auto power = spectrum({{1000, 1}, {1200, 0.5}, {1400, 0.7}, {5000, 0.1}}, stft, rate);
  const auto frequencies = [&](double separation_hz, std::size_t count) {
    std::vector<double> found;
    for (const spectral_peak& p : find_peaks(power, stft, rate, count, separation_hz))
      found.push_back(std::round(p.frequency_hz));
    return found;
  };
  EXPECT_EQ(frequencies(0, 4), (std::vector<double>{1000, 1400, 1200, 5000}));
  EXPECT_EQ(frequencies(250, 3), (std::vector<double>{1000, 1400, 5000}));
  EXPECT_EQ(frequencies(1000, 2), (std::vector<double>{1000, 5000}));
  EXPECT_EQ(frequencies(1e9, 4), std::vector<double>{1000});
  EXPECT_THROW(find_peaks(power, stft, rate, 1, -1), invalid_argument);
  EXPECT_THROW(find_peaks(power, stft, rate, 1, std::nan("")), invalid_argument);
  EXPECT_THROW(find_peaks(power, stft, 0, 1), invalid_argument);
}

}  // namespace
}  // namespace papilio
