// Rows along a frequency axis: which bins each shows, and what lies between bins.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <utility>

#include "papilio/base.hpp"
#include "papilio/signal.hpp"
#include "support/oracle.hpp"

namespace papilio {
namespace {

constexpr double rate = 8000;

array<double, 2> pooled(const pooled_spectrogram_options& options, view<const float, 2> signal) {
  pooled_spectrogram spectrogram(options);
  spectrogram.push(signal);
  spectrogram.finish();
  array<double, 2> levels(spectrogram.levels().extents());
  std::copy_n(spectrogram.levels().data(), levels.size(), levels.data());
  return levels;
}

/// Powers of one segment as long as the signal, a full-scale sine at 1.
std::vector<double> powers(view<const float, 2> signal, std::size_t n_fft) {
  const stft_plan<double> plan({.n_fft = n_fft, .hop = n_fft, .centre = false});
  std::vector<double> samples(signal.data(), signal.data() + signal.size());
  array<double, 2> power({1, plan.bins()});
  plan.execute_power(samples, power);
  const double sum = window_sum(plan.window());
  std::vector<double> result(power.begin(), power.end());
  for (std::size_t k = 0; k < result.size(); ++k)
    result[k] *= (k == 0 || 2 * k == n_fft ? 1 : 4) / (sum * sum);
  return result;
}

struct scale_case {
  frequency_scale scale;
  std::function<double(double)> hz;  // at place 0 ... 1 between 37 Hz and 3511 Hz
};

const std::vector<scale_case> scales{
    {frequency_scale::linear, [](double p) { return 37 + p * (3511 - 37); }},
    {frequency_scale::logarithmic, [](double p) { return 37 * std::pow(3511.0 / 37, p); }},
    {frequency_scale::mel, [](double p) {
       const double low = 3 * 37 / 200.0, high = 15 + 27 * std::log(3.511) / std::log(6.4);
       const double mel = low + p * (high - low);
       return mel < 15 ? mel * 200 / 3 : 1000 * std::exp((mel - 15) * std::log(6.4) / 27);
     }}};

TEST(pooled_axis, a_row_shows_its_bins_or_what_lies_between_two) {
  constexpr std::size_t n_fft = 512;
  array<float, 2> signal({n_fft, 1});
  const auto values = test::random_real<float>(n_fft, 8);
  std::copy(values.begin(), values.end(), signal.begin());
  const std::vector<double> power = powers(signal, n_fft);
  for (const scale_case& s : scales)
    for (const std::size_t rows : {std::size_t{7}, std::size_t{100}, std::size_t{640}}) {
      SCOPED_TRACE(std::string(to_string(s.scale)) + ", rows " + std::to_string(rows));
      const auto levels = pooled({.stft = {.n_fft = n_fft, .hop = n_fft, .centre = false},
                                  .samples = n_fft,
                                  .rows = rows,
                                  .columns = 1,
                                  .axis = frequency_axis{s.scale, 37, 3511},
                                  .rate_hz = rate},
                                 signal);
      ASSERT_EQ(levels.extent(0), rows);
      std::size_t shown = 0;
      for (std::size_t row = 0; row < rows; ++row) {
        const auto bin_at = [&](double at) {
          return s.hz(at / static_cast<double>(rows)) / rate * n_fft;
        };
        const double low = bin_at(static_cast<double>(row)),
                     high = bin_at(static_cast<double>(row + 1));
        double expected = 0;
        std::size_t inside = 0;
        for (std::size_t k = 0; k < power.size(); ++k)
          if (static_cast<double>(k) >= low && static_cast<double>(k) < high) {
            expected = std::max(expected, power[k]);
            ++inside;
          }
        if (inside == 0) {
          const double middle = bin_at(static_cast<double>(row) + 0.5);
          const auto below = static_cast<std::size_t>(middle);
          const double share = middle - static_cast<double>(below);
          expected =
              std::exp((1 - share) * std::log(power[below]) + share * std::log(power[below + 1]));
        }
        shown += inside;
        EXPECT_NEAR(levels(row, 0), expected, 1e-4 * expected) << row;
      }
      // Bins 3 (46.9 Hz) to 224 (3500 Hz), each once.
      EXPECT_EQ(shown, 222u);
    }
}

TEST(pooled_axis, means_are_those_of_the_same_bins) {
  constexpr std::size_t n_fft = 64;
  array<float, 2> signal({n_fft, 1});
  const auto values = test::random_real<float>(n_fft, 9);
  std::copy(values.begin(), values.end(), signal.begin());
  const std::vector<double> power = powers(signal, n_fft);
  const auto levels = pooled({.stft = {.n_fft = n_fft, .hop = n_fft, .centre = false},
                              .samples = n_fft,
                              .rows = 4,
                              .columns = 1,
                              .pool = pooling::mean,
                              .axis = frequency_axis{frequency_scale::linear, 100, 900},
                              .rate_hz = rate},
                             signal);
  // Bins are 125 Hz apart: rows of 200 Hz hold 125, 250 | 375 | 500, 625 | 750, 875.
  EXPECT_NEAR(levels(0, 0), (power[1] + power[2]) / 2, 1e-4 * levels(0, 0));
  EXPECT_NEAR(levels(1, 0), power[3], 1e-4 * levels(1, 0));
  EXPECT_NEAR(levels(2, 0), (power[4] + power[5]) / 2, 1e-4 * levels(2, 0));
  EXPECT_NEAR(levels(3, 0), (power[6] + power[7]) / 2, 1e-4 * levels(3, 0));
}

TEST(pooled_axis, both_ends_are_on_it) {
  for (const frequency_scale scale : {frequency_scale::linear, frequency_scale::mel}) {
    array<float, 2> signal({4096, 1});
    for (std::size_t i = 0; i < 4096; ++i) signal(i, 0) = i % 2 == 0 ? 0.75f : -0.25f;
    const auto levels = pooled({.stft = {.n_fft = 256, .hop = 64, .centre = false},
                                .samples = 4096,
                                .rows = 50,
                                .columns = 1,
                                .axis = frequency_axis{scale, 0, rate / 2},
                                .rate_hz = rate},
                               signal);
    // 0.25 at 0 Hz and 0.5 at the Nyquist frequency.
    EXPECT_NEAR(levels(0, 0), 0.0625, 1e-5);
    EXPECT_NEAR(levels(49, 0), 0.25, 1e-5);
    EXPECT_LT(levels(25, 0), 1e-6);
  }
}

TEST(pooled_axis, silence_is_silence_and_a_single_bin_serves) {
  const array<float, 2> silence({1000, 1});
  for (const std::size_t n_fft :
       {std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{512}}) {
    const auto levels =
        pooled({.stft = {.n_fft = n_fft, .hop = 100, .window = window_kind::rectangular},
                .samples = 1000,
                .rows = 300,
                .columns = 4,
                .axis = frequency_axis{frequency_scale::logarithmic, 1, rate / 2},
                .rate_hz = rate},
               silence);
    for (const double level : levels) ASSERT_EQ(level, 0) << n_fft;
  }
}

// 100 bursts of 5 ms in 600 s: each must be seen, on every axis.
TEST(pooled_axis, no_burst_is_skipped) {
  constexpr std::size_t samples = 600 * 8000, columns = 1000;
  array<float, 2> signal({samples, 1});
  for (std::size_t burst = 0; burst < 100; ++burst)
    for (std::size_t i = 0; i < 40; ++i)
      signal(burst * 48000 + 24000 + i, 0) = static_cast<float>(
          0.5 * std::sin(2 * std::numbers::pi * 1000 / 8000 * static_cast<double>(i)));
  for (const scale_case& s : scales) {
    const auto levels = pooled({.samples = samples,
                                .rows = 100,
                                .columns = columns,
                                .axis = frequency_axis{s.scale, 37, 3511},
                                .rate_hz = rate},
                               signal);
    const frequency_axis axis{s.scale, 37, 3511};
    const auto row = static_cast<std::size_t>(axis.place(1000) * 100);
    std::size_t seen = 0;
    bool inside = false;
    for (std::size_t column = 0; column < columns; ++column) {
      const bool loud = levels(row, column) > 1e-6f;
      seen += loud && !inside;
      inside = loud;
    }
    EXPECT_EQ(seen, 100u) << to_string(s.scale);
  }
}

TEST(pooled_axis, a_picture_shows_the_frequencies_that_its_axis_has) {
  const auto range = [](const frequency_axis& a) { return std::pair(a.low_hz, a.high_hz); };
  const auto logarithmic = frequency_scale::logarithmic;
  EXPECT_EQ(range(spectrogram_axis(frequency_scale::mel, 8000, 512)), std::pair(0.0, 4000.0));
  EXPECT_EQ(range(spectrogram_axis(logarithmic, 44100, 2048)),
            std::pair(2 * 44100 / 2048.0, 22050.0));
  EXPECT_EQ(range(spectrogram_axis(logarithmic, 44100, 8192)), std::pair(20.0, 22050.0));
  EXPECT_EQ(range(spectrogram_axis(logarithmic, 44100, 256)), std::pair(50.0, 22050.0));
  EXPECT_EQ(range(spectrogram_axis(logarithmic, 100, 16)), std::pair(1.25, 50.0));
  EXPECT_EQ(range(spectrogram_axis(logarithmic, 8000, 512, 100, 2000)), std::pair(100.0, 2000.0));
  EXPECT_EQ(spectrogram_axis(frequency_scale::linear, 8000, 512).scale, frequency_scale::linear);
}

TEST(pooled_axis, refuses_axes_that_are_none) {
  const auto refused = [](frequency_axis axis, double rate_hz) {
    EXPECT_THROW(pooled_spectrogram({.samples = 9, .axis = axis, .rate_hz = rate_hz}),
                 invalid_argument);
    EXPECT_THROW(pooled_spectrogram(stft_plan<float>({.scaling = stft_scaling::dbfs}),
                                    {.samples = 9, .axis = axis, .rate_hz = rate_hz}),
                 invalid_argument);
  };
  refused({frequency_scale::linear, 0, 4001}, 8000);
  refused({frequency_scale::linear, 0, 4000}, 0);
  refused({frequency_scale::linear, 0, 4000}, std::numeric_limits<double>::quiet_NaN());
  refused({frequency_scale::logarithmic, 0, 4000}, 8000);
  refused({frequency_scale::linear, 4000, 4000}, 8000);
  refused({frequency_scale::mel, -1, 4000}, 8000);
}

}  // namespace
}  // namespace papilio
