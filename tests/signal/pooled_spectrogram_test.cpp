#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

#include "papilio/base.hpp"
#include "papilio/signal.hpp"
#include "support/oracle.hpp"

namespace papilio {
namespace {

array<double, 2> pooled(const pooled_spectrogram_options& options, view<const float, 2> signal,
                        std::size_t block) {
  pooled_spectrogram spectrogram(options);
  for (std::size_t first = 0; first < signal.extent(0); first += block)
    spectrogram.push(signal.slice(0, first, std::min(block, signal.extent(0) - first)));
  spectrogram.finish();
  array<double, 2> levels(spectrogram.levels().extents());
  std::copy_n(spectrogram.levels().data(), levels.size(), levels.data());
  return levels;
}

// The column of every segment: its own, or the one whose share of the time holds its centre.
std::vector<std::size_t> columns_of(const pooled_spectrogram_options& o, std::size_t segments) {
  std::vector<std::size_t> columns(segments);
  for (std::size_t s = 0; s < segments; ++s) {
    const double centre = double(s * o.stft.hop) + (o.stft.centre ? 0 : double(o.stft.n_fft) / 2);
    const double share = centre / double(o.samples);
    columns[s] = segments <= o.columns
                     ? s
                     : std::min(o.columns - 1, static_cast<std::size_t>(share * double(o.columns)));
  }
  for (std::size_t s = segments; s-- > 0;) columns[s] -= columns[0];
  return columns;
}

// The whole power spectrogram by stft_plan, each cell gathered afterwards.
array<double, 2> reference(const pooled_spectrogram_options& o, view<const float, 2> signal) {
  const stft_plan<double> plan(o.stft);
  const std::size_t segments = plan.segments(o.samples), bins = plan.bins();
  array<double, 2> power({segments, bins});
  for (std::size_t c = 0; c < o.channels; ++c) {
    std::vector<double> channel(o.samples);
    for (std::size_t i = 0; i < o.samples; ++i) channel[i] = signal(i, c);
    array<double, 2> one({segments, bins});
    plan.execute_power(channel, one);
    for (std::size_t i = 0; i < one.size(); ++i)
      power.flat()[i] += one.flat()[i] / static_cast<double>(o.channels);
  }
  const double sum = window_sum(plan.window());
  const std::vector<std::size_t> column = columns_of(o, segments);
  const std::size_t rows = std::min(o.rows, bins), columns = column.back() + 1;
  array<double, 2> cells({rows, columns}), counts({rows, columns});
  for (std::size_t s = 0; s < segments; ++s)
    for (std::size_t k = 0; k < bins; ++k) {
      const double gain = k == 0 || 2 * k == o.stft.n_fft ? 1 / sum : 2 / sum;
      const double level = power(s, k) * gain * gain;
      double& cell = cells(k * rows / bins, column[s]);
      cell = o.pool == pooling::maximum ? std::max(cell, level) : cell + level;
      counts(k * rows / bins, column[s]) += 1;
    }
  for (std::size_t i = 0; i < cells.size(); ++i) {
    EXPECT_GT(counts.flat()[i], 0) << "a cell without a segment";
    if (o.pool == pooling::mean) cells.flat()[i] /= counts.flat()[i];
  }
  return cells;
}

array<float, 2> noise(std::size_t frames, std::size_t channels) {
  array<float, 2> signal({frames, channels});
  const auto values = test::random_real<float>(signal.size(), 6);
  std::copy(values.begin(), values.end(), signal.begin());
  return signal;
}

TEST(pooled_spectrogram, hop_follows_the_width_of_columns) {
  stft_options stft{.n_fft = 2048, .hop = 512};
  EXPECT_EQ(spectrogram_hop(stft, 8191 * 100, 100), 512u);  // a sample short of four windows each
  EXPECT_EQ(spectrogram_hop(stft, 8192 * 100, 100), 1024u);
  EXPECT_EQ(spectrogram_hop(stft, 512 * 100, 100), 512u);
  EXPECT_EQ(spectrogram_hop(stft, 51199, 100), 511u);
  EXPECT_EQ(spectrogram_hop(stft, 100, 100), 128u);
  stft.window_length = 400;
  EXPECT_EQ(spectrogram_hop(stft, 1600 * 100, 100), 200u);  // 512 would step over samples
  EXPECT_EQ(spectrogram_hop(stft, 1599 * 100, 100), 200u);
  stft.hop = 50;
  EXPECT_EQ(spectrogram_hop(stft, 1600 * 100, 100), 200u);
  stft.window = window_kind::rectangular;
  EXPECT_EQ(spectrogram_hop(stft, 1600 * 100, 100), 400u);
  EXPECT_THROW(spectrogram_hop(stft, 1600, 0), invalid_argument);
}

// A column of four windows, of half the segments, shows noise within a fraction of its own scatter.
TEST(pooled_spectrogram, wide_columns_need_no_more_segments) {
  constexpr std::size_t frames = 200000;
  const auto signal = noise(frames, 1);
  pooled_spectrogram_options options{.stft = {.n_fft = 256, .hop = 64},
                                     .samples = frames,
                                     .rows = 16,
                                     .columns = frames / 1024,
                                     .pool = pooling::mean};
  const auto dense = pooled(options, signal, frames);
  options.stft.hop = spectrogram_hop(options.stft, frames, options.columns);
  ASSERT_EQ(options.stft.hop, 128u);
  const auto sparse = pooled(options, signal, frames);
  double scatter = 0, difference = 0, mean = 0;
  for (const double level : dense) mean += level / double(dense.size());
  for (std::size_t i = 0; i < dense.size(); ++i) {
    const double level = dense.flat()[i];
    scatter += (level - mean) * (level - mean);
    difference += std::pow(sparse.flat()[i] - level, 2);
  }
  EXPECT_LT(difference, 0.25 * scatter);
}

TEST(pooled_spectrogram, is_the_whole_spectrogram_reduced) {
  for (const stft_options& stft :
       {stft_options{.n_fft = 64, .hop = 16}, stft_options{.n_fft = 64, .hop = 16, .centre = false},
        stft_options{.n_fft = 33, .hop = 100}, stft_options{.n_fft = 128, .hop = 77},
        stft_options{.n_fft = 64, .hop = 48, .padding = edge_padding::reflect, .pad_end = true}})
    for (const pooling pool : {pooling::maximum, pooling::mean})
      for (const std::size_t cells : {1, 7, 20, 1000}) {
        const auto signal = noise(3001, 2);
        const pooled_spectrogram_options options{.stft = stft,
                                                 .channels = 2,
                                                 .samples = 3001,
                                                 .rows = cells,
                                                 .columns = cells,
                                                 .pool = pool};
        const auto got = pooled(options, signal, 500);
        const auto expected = reference(options, signal);
        ASSERT_EQ(got.extents(), expected.extents());
        for (std::size_t i = 0; i < got.size(); ++i)
          ASSERT_NEAR(got.flat()[i], expected.flat()[i], 1e-5 * expected.flat()[i] + 1e-9);
      }
}

// Longer pictures, of which the signal is a part, keep its columns where they are.
TEST(pooled_spectrogram, a_span_fixes_the_columns) {
  const auto signal = noise(8000, 1);
  pooled_spectrogram_options options{
      .stft = {.n_fft = 64, .hop = 16}, .samples = 8000, .rows = 10, .columns = 100};
  const auto whole = pooled(options, signal, 8000);
  options.samples = 3000;
  options.span = 8000;
  const auto part = pooled(options, signal.view().slice(0, 0, 3000), 3000);
  ASSERT_EQ(part.extent(1), 38u);
  for (std::size_t row = 0; row < 10; ++row)
    for (std::size_t c = 0; c < 36; ++c) EXPECT_EQ(part(row, c), whole(row, c));
  options.span = 2999;
  EXPECT_THROW(pooled_spectrogram{options}, invalid_argument);
}

TEST(pooled_spectrogram, columns_lie_at_the_centres_of_segments) {
  pooled_spectrogram_options options{.stft = {.n_fft = 64, .hop = 100}, .samples = 1000};
  const pooled_spectrogram centred(options);
  EXPECT_EQ(centred.levels().extent(1), 11u);
  EXPECT_EQ(centred.columns().sample(3), 300);
  options.stft.centre = false;
  const pooled_spectrogram plain(options);
  EXPECT_EQ(plain.levels().extent(1), 10u);
  EXPECT_EQ(plain.columns().sample(3), 332);
  options.stft.hop = 1;
  options.columns = 20;  // of 50 samples; the first centre is sample 32, the last 968
  const pooled_spectrogram even(options);
  EXPECT_EQ(even.levels().extent(1), 20u);
  EXPECT_EQ(even.columns().sample(3), 175);
  options.columns = 100;
  const pooled_spectrogram narrow(options);
  EXPECT_EQ(narrow.levels().extent(1), 94u);
  EXPECT_EQ(narrow.columns().sample(0), 35);
}

TEST(pooled_spectrogram, spread_columns_stay_where_they_are) {
  array<float, 2> levels({1, 3});
  for (std::size_t c = 0; c < 3; ++c) levels(0, c) = static_cast<float>(c + 1);
  // Segments of 8 every 4: centres at 4, 8 and 12 of 15 samples.
  const auto spread = spread_columns(levels.view(), {4, 4}, 15, 15);
  const std::vector<float> expected{0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 3};
  for (std::size_t c = 0; c < 15; ++c)
    if (expected[c] == 0)
      EXPECT_TRUE(std::isnan(spread(0, c))) << c;
    else
      EXPECT_EQ(spread(0, c), expected[c]) << c;
  const auto early = spread_columns(levels.view(), {2, 4}, 30, 30);
  EXPECT_EQ(early(0, 13), 3);
  EXPECT_TRUE(std::isnan(early(0, 14)));
}

// Powers by a sum of long doubles, of samples of any size.
TEST(pooled_spectrogram, is_right_where_floats_do_not_hold_powers) {
  constexpr std::size_t n = 32;
  for (const pooling pool : {pooling::maximum, pooling::mean})
    for (const double scale : {1e-44, 1e-38, 1e-25, 1e-12, 1e10, 1e20, 1e38}) {
      SCOPED_TRACE(scale);
      auto signal = noise(2 * n, 2);
      for (float& x : signal.flat()) x = static_cast<float>(static_cast<double>(x) * scale);
      pooled_spectrogram spectrogram({.stft = {.n_fft = n, .hop = n, .centre = false},
                                      .channels = 2,
                                      .samples = 2 * n,
                                      .rows = n / 2 + 1,
                                      .pool = pool});
      spectrogram.push(signal);
      spectrogram.finish();
      for (std::size_t k = 0; k <= n / 2; ++k) {
        long double mean = 0;
        for (std::size_t s = 0; s < 2; ++s) {
          long double power = 0;
          for (std::size_t c = 0; c < 2; ++c) {
            std::complex<long double> sum = 0;
            for (std::size_t j = 0; j < n; ++j) {
              const long double angle =
                  2 * std::numbers::pi_v<long double> * static_cast<long double>(j * k % n) / n;
              const long double w =
                  0.5L - 0.5L * std::cos(2 * std::numbers::pi_v<long double> * j / n);
              sum += w * signal(s * n + j, c) * std::polar(1.0L, -angle);
            }
            power += std::norm(sum) * (k == 0 || k == n / 2 ? 1 : 4) / (n * n / 4) / 2;
          }
          mean += power / 2;
          // The float's window and transform have some 1e-7 of the largest bin.
          EXPECT_NEAR(spectrogram.levels()(k, s) / scale / scale,
                      static_cast<double>(power / scale / scale), 2e-5);
        }
        const double of_sine = k == 0 || k == n / 2 ? 4 : 1;
        EXPECT_NEAR(spectrogram.mean_power()[k] / scale / scale,
                    of_sine * static_cast<double>(mean / scale / scale), 5e-5);
      }
    }
}

TEST(spectrogram, levels_of_floats_at_every_scale) {
  const auto samples = test::random_real<float>(2000, 12);
  const stft_plan<float> plan({.n_fft = 64, .hop = 64});
  const mel_filterbank<float> bank(8000, 64, {.bands = 6});
  const std::size_t segments = plan.segments(samples.size());
  for (const bool in_bands : {false, true}) {
    spectrogram_options<float> options{
        .decibel = decibel_options{.quantity = in_bands ? decibel_of::power : decibel_of::amplitude,
                                   .floor = 1e-44,
                                   .top_db = std::nullopt}};
    if (in_bands) options.mel = &bank;
    const auto levels_of = [&](float scale) {
      std::vector<float> scaled(samples);
      for (float& x : scaled) x *= scale;
      array<float, 2> levels({segments, in_bands ? 6u : 33u});
      spectrogram<float>(plan, scaled, levels.view(), options);
      return levels;
    };
    const auto plain = levels_of(1);
    for (const float scale : {0x1p-60f, 0x1p-40f, 0x1p60f, 0x1p120f}) {
      const auto got = levels_of(scale);
      for (std::size_t i = 0; i < got.size(); ++i)
        EXPECT_NEAR(got.flat()[i], plain.flat()[i] + 20 * std::log10(scale), 2e-3) << scale;
    }
  }
}

TEST(pooled_spectrogram, blocks_do_not_change_a_bit) {
  const auto signal = noise(20000, 1);
  const pooled_spectrogram_options options{
      .stft = {.n_fft = 512, .hop = 128}, .samples = 20000, .rows = 100, .columns = 60};
  const auto whole = pooled(options, signal, 20000);
  for (const std::size_t block : {1, 127, 4096}) {
    EXPECT_TRUE(std::ranges::equal(pooled(options, signal, block), whole)) << block;
  }
}

TEST(pooled_spectrogram, shares_a_plan) {
  const auto signal = noise(9000, 2);
  pooled_spectrogram_options options{.stft = {.n_fft = 512, .hop = 128},
                                     .channels = 2,
                                     .samples = 9000,
                                     .rows = 100,
                                     .columns = 60};
  const auto own = pooled(options, signal, 9000);
  const stft_plan<float> plan({.n_fft = 512, .hop = 128, .scaling = stft_scaling::dbfs});
  options.stft = {};
  for (int file = 0; file < 2; ++file) {
    pooled_spectrogram spectrogram(plan, options);
    spectrogram.push(signal);
    spectrogram.finish();
    EXPECT_TRUE(std::ranges::equal(own, std::span(spectrogram.levels().data(), own.size())));
  }
  EXPECT_THROW(pooled_spectrogram(stft_plan<float>({.n_fft = 512}), options), invalid_argument);
  options.samples = 0;
  EXPECT_THROW(pooled_spectrogram(plan, options), invalid_argument);
}

TEST(pooled_spectrogram, full_scale_sine_reads_one) {
  const std::size_t samples = 44100;
  array<float, 2> sine({samples, 1});
  for (std::size_t i = 0; i < samples; ++i)
    sine(i, 0) = static_cast<float>(
        std::sin(2 * std::numbers::pi * static_cast<double>(100 * i % 2048) / 2048));
  pooled_spectrogram spectrogram({.samples = samples, .rows = 1025, .columns = 10});
  spectrogram.push(sine);
  spectrogram.finish();
  EXPECT_NEAR(spectrogram.levels()(100, 5), 1.0f, 1e-5f);
  const auto peaks = find_peaks(spectrogram.mean_power(), {}, 44100, 3);
  ASSERT_GE(peaks.size(), 1u);
  EXPECT_NEAR(peaks[0].frequency_hz, 100 * 44100.0 / 2048, 1e-3 * 44100 / 2048);
  EXPECT_NEAR(peaks[0].power, 1, 1e-5);
}

// 100 bursts of 5 ms in 600 s, as in the measurements of other tools: each must be seen.
TEST(pooled_spectrogram, no_burst_is_skipped) {
  const std::size_t rate = 8000, samples = 600 * rate, columns = 1000;
  array<float, 2> signal({samples, 1});
  for (std::size_t burst = 0; burst < 100; ++burst)
    for (std::size_t i = 0; i < rate / 200; ++i)
      signal(burst * 6 * rate + 3 * rate + i, 0) = i % 2 == 0 ? 0.5f : -0.5f;
  const auto levels = pooled({.samples = samples, .rows = 100, .columns = columns}, signal, 100000);
  std::size_t seen = 0;
  bool inside = false;
  for (std::size_t column = 0; column < columns; ++column) {
    const bool loud = levels(99, column) > 1e-6f;
    seen += loud && !inside;
    inside = loud;
  }
  EXPECT_EQ(seen, 100u);
}

TEST(pooled_spectrogram, what_is_not_a_number_is_not_silence) {
  for (const pooling pool : {pooling::maximum, pooling::mean}) {
    array<float, 2> signal({4096, 1});
    signal(1000, 0) = std::numeric_limits<float>::quiet_NaN();
    const auto levels = pooled({.stft = {.n_fft = 256, .hop = 64},
                                .samples = 4096,
                                .rows = 10,
                                .columns = 8,
                                .pool = pool},
                               signal, 4096);
    EXPECT_TRUE(std::isnan(levels(3, 1)));
    EXPECT_EQ(levels(3, 6), 0);
  }
}

TEST(pooled_spectrogram, long_columns_lose_nothing) {
  const std::size_t samples = 3000000;
  array<float, 2> signal({samples, 1});
  std::fill(signal.begin(), signal.end(), 0.9f);
  const auto levels =
      pooled({.stft = {.n_fft = 2, .hop = 1, .window = window_kind::rectangular, .centre = false},
              .samples = samples,
              .rows = 2,
              .columns = 1,
              .pool = pooling::mean},
             signal, samples);
  EXPECT_NEAR(levels(0, 0), 0.81, 1e-6);
}

TEST(pooled_spectrogram, finish_and_absurd_hops) {
  pooled_spectrogram spectrogram(
      {.stft = {.n_fft = 64, .hop = std::numeric_limits<std::size_t>::max()}, .samples = 100});
  array<float, 2> signal({100, 1});
  std::fill(signal.begin(), signal.end(), 1.0f);
  spectrogram.push(signal);
  spectrogram.finish();
  const double once = spectrogram.mean_power()[0];
  EXPECT_GT(once, 0);
  spectrogram.finish();
  EXPECT_EQ(spectrogram.mean_power()[0], once);
}

TEST(pooled_spectrogram, refuses_what_does_not_fit) {
  EXPECT_THROW(pooled_spectrogram({.samples = 0}), invalid_argument);
  EXPECT_THROW(pooled_spectrogram({.channels = 0, .samples = 1}), invalid_argument);
  EXPECT_THROW(pooled_spectrogram({.samples = 1, .rows = 0}), invalid_argument);
  EXPECT_THROW(pooled_spectrogram({.samples = 1, .columns = 0}), invalid_argument);
  EXPECT_THROW(pooled_spectrogram({.stft = {.centre = false}, .samples = 100}), invalid_argument);
  EXPECT_THROW(pooled_spectrogram({.stft = {.sides = stft_sides::two}, .samples = 100}),
               invalid_argument);
  EXPECT_THROW(pooled_spectrogram({.stft = {.scaling = stft_scaling::psd}, .samples = 100}),
               invalid_argument);
  pooled_spectrogram spectrogram({.samples = 100});
  array<float, 2> stereo({10, 2}), many({101, 1});
  EXPECT_THROW(spectrogram.push(stereo), shape_error);
  EXPECT_THROW(spectrogram.push(many), shape_error);
  EXPECT_THROW(spectrogram.finish(), shape_error);
}

}  // namespace
}  // namespace papilio
