#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numbers>

#include "papilio/base.hpp"
#include "papilio/signal.hpp"
#include "support/oracle.hpp"

namespace papilio {
namespace {

array<float, 2> pooled(const pooled_spectrogram_options& options, view<const float, 2> signal,
                       std::size_t block) {
  pooled_spectrogram spectrogram(options);
  for (std::size_t first = 0; first < signal.extent(0); first += block)
    spectrogram.push(signal.slice(0, first, std::min(block, signal.extent(0) - first)));
  spectrogram.finish();
  array<float, 2> levels(spectrogram.levels().extents());
  std::copy_n(spectrogram.levels().data(), levels.size(), levels.data());
  return levels;
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
  const std::size_t rows = std::min(o.rows, bins), columns = std::min(o.columns, segments);
  array<double, 2> cells({rows, columns}), counts({rows, columns});
  for (std::size_t s = 0; s < segments; ++s)
    for (std::size_t k = 0; k < bins; ++k) {
      const double gain = k == 0 || 2 * k == o.stft.n_fft ? 1 / sum : 2 / sum;
      const double level = power(s, k) * gain * gain;
      double& cell = cells(k * rows / bins, s * columns / segments);
      cell = o.pool == pooling::maximum ? std::max(cell, level) : cell + level;
      counts(k * rows / bins, s * columns / segments) += 1;
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
  for (const float level : dense) mean += static_cast<double>(level) / double(dense.size());
  for (std::size_t i = 0; i < dense.size(); ++i) {
    const double level = static_cast<double>(dense.flat()[i]);
    scatter += (level - mean) * (level - mean);
    difference += std::pow(static_cast<double>(sparse.flat()[i]) - level, 2);
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
