#include "papilio/signal/rhythm.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "papilio/base/error.hpp"
#include "reference_data.hpp"

namespace papilio {
namespace {
namespace rhythm_tests {

constexpr double rate = 22050, frame_rate = rate / 512;

std::vector<std::size_t> places(const std::string& name) {
  std::vector<std::size_t> found;
  for (const double v : test::reference(name).values) found.push_back(static_cast<std::size_t>(v));
  return found;
}

/// Clicks, tones of 1 kHz of 5 ms, from `first` seconds on.
std::vector<float> clicks(double bpm, double seconds, double first) {
  std::vector<float> x(static_cast<std::size_t>(seconds * rate));
  for (double t = first; t < seconds; t += 60 / bpm)
    for (std::size_t i = 0; i < 110; ++i) {
      const std::size_t at = static_cast<std::size_t>(t * rate) + i;
      if (at < x.size())
        x[at] = static_cast<float>(std::sin(2 * std::numbers::pi * 1000 * double(i) / rate));
    }
  return x;
}

array<double, 1> strength_of(const std::vector<float>& x, const onset_options& options = {}) {
  return onset_strength<float>(x, options);
}

}  // namespace rhythm_tests

using namespace rhythm_tests;

// Levels are floats of up to 100 dB, which round by 4e-6 dB; a value is the mean of differences.
TEST(rhythm, strength_equals_librosa) {
  const auto x = test::reference_signal<double>();
  const auto expect_near = [](const array<double, 1>& values, const std::string& name) {
    const std::vector<double> expected = test::reference(name).values;
    ASSERT_EQ(values.size(), expected.size()) << name;
    for (std::size_t i = 0; i < expected.size(); ++i)
      EXPECT_NEAR(values[i], expected[i], 2e-5) << name << ' ' << i;
  };
  expect_near(onset_strength<double>(x, {.hop = 128}), "rhythm_strength");
  expect_near(
      onset_strength<double>(
          x,
          {.n_fft = 512, .hop = 100, .bands = 40, .lag = 3, .aggregate = onset_aggregate::median}),
      "rhythm_strength_median");
}

TEST(rhythm, onsets_tempogram_tempo_and_beats_equal_librosa) {
  const std::vector<double> envelope = test::reference("rhythm_envelope").values;
  EXPECT_EQ(onset_detect(envelope, frame_rate), places("rhythm_onsets"));
  const test::npy_data expected = test::reference("rhythm_tempogram");
  const array<double, 2> made = tempogram(envelope, 65);
  ASSERT_EQ(made.extent(0), envelope.size());
  ASSERT_EQ(expected.extents.at(1), 65u);
  for (std::size_t i = 0; i < expected.values.size(); ++i)
    EXPECT_NEAR(made(i / 65 * 8, i % 65), expected.values[i], 1e-12) << i;  // an FFT's rounding
  const std::vector<double> tempi = test::reference("rhythm_tempo").values;
  EXPECT_NEAR(tempo(envelope, frame_rate, {.refine = false}), tempi.at(0), 1e-9);
  EXPECT_NEAR(tempo(envelope, frame_rate, {.start_bpm = 60, .octaves = 0.5, .refine = false}),
              tempi.at(1), 1e-9);
  EXPECT_EQ(beat_track(envelope, frame_rate, {.tempo = {.refine = false}}).segments,
            places("rhythm_beats"));
  EXPECT_EQ(beat_track(envelope, frame_rate, {.bpm = 150, .trim = false}).segments,
            places("rhythm_beats_untrimmed"));
}

// A rise is seen in the first segment whose Hann window, 0 at its end, has enough of the click: up to a
// segment and a half late by librosa's definition, to which the strength is equal above.
TEST(rhythm, click_tracks_have_their_tempo_and_beats) {
  for (const double bpm : {70.0, 90.0, 97.3, 120.0, 128.0, 150.0}) {
    const std::vector<float> x = clicks(bpm, 20, 0.5);
    const array<double, 1> strength = strength_of(x);
    EXPECT_NEAR(tempo(strength.flat(), frame_rate), bpm, 0.5) << bpm;
    const beats found =
        beat_track(strength_of(x, {.aggregate = onset_aggregate::median}).flat(), frame_rate);
    EXPECT_NEAR(found.bpm, bpm, 0.5) << bpm;
    ASSERT_GE(found.segments.size(), 10u) << bpm;
    // The last beat gives way to one behind the end, which is then trimmed.
    for (const std::size_t s : std::span(found.segments).first(found.segments.size() - 1)) {
      const double beat = (static_cast<double>(s) / frame_rate - 0.5) * bpm / 60;
      const double late = (beat - std::round(beat)) * 60 / bpm * frame_rate;
      EXPECT_GE(late, -0.5) << bpm << ' ' << s;
      EXPECT_LE(late, 1.5) << bpm << ' ' << s;
    }
    const double expected_beats = 19.5 * bpm / 60;
    EXPECT_NEAR(static_cast<double>(found.segments.size()), expected_beats, 2) << bpm;
    for (const std::size_t s : onset_detect(strength.flat(), frame_rate)) {
      const double beat = (static_cast<double>(s) / frame_rate - 0.5) * bpm / 60;
      const double late = (beat - std::round(beat)) * 60 / bpm * frame_rate;
      EXPECT_GE(late, -0.5) << bpm << ' ' << s;
      EXPECT_LE(late, 1.5) << bpm << ' ' << s;
    }
  }
}

// A rise is placed in the middle of its segments, and so within a hop of the click; the last beat is no
// earlier than the others.
TEST(rhythm, refined_beats_of_click_tracks_are_within_a_hop) {
  for (const double bpm : {60.0, 90.0, 120.0, 174.0}) {
    const double first = 0.5, seconds = 20;
    const array<double, 1> strength =
        strength_of(clicks(bpm, seconds, first), {.aggregate = onset_aggregate::median});
    EXPECT_NEAR(tempo(strength.flat(), frame_rate), bpm, 0.5) << bpm;
    const beats found =
        beat_track(strength.flat(), frame_rate, {.trim_share = 0.5, .free_end = true});
    EXPECT_NEAR(found.bpm, bpm, 0.5) << bpm;
    const std::vector<double> placed = onset_seconds(strength.flat(), frame_rate, found.segments);
    ASSERT_EQ(placed.size(), found.segments.size());
    for (const double t : placed) {
      const double beat = (t - first) * bpm / 60;
      EXPECT_LE(std::abs(beat - std::round(beat)) * 60 / bpm * frame_rate, 1) << bpm << ' ' << t;
    }
    EXPECT_EQ(double(placed.size()), std::ceil((seconds - first) * bpm / 60)) << bpm;
    const std::vector<std::size_t> onsets = onset_detect(strength.flat(), frame_rate);
    for (const double t : onset_seconds(strength.flat(), frame_rate, onsets)) {
      const double beat = (t - first) * bpm / 60;
      EXPECT_LE(std::abs(beat - std::round(beat)) * 60 / bpm * frame_rate, 1) << bpm << ' ' << t;
    }
  }
}

// Rates from the telephone's to the studio's, with segments of the same 93 ms.
TEST(rhythm, tempo_does_not_depend_on_the_rate) {
  for (const auto& [rate_hz, n_fft] :
       {std::pair{7400.0, 512u}, {44100.0, 4096u}, {192000.0, 16384u}}) {
    std::vector<float> x(static_cast<std::size_t>(12 * rate_hz));
    for (double t = 0.3; t < 12; t += 0.5)
      for (std::size_t i = 0; i < static_cast<std::size_t>(0.005 * rate_hz); ++i)
        x[std::min(x.size() - 1, static_cast<std::size_t>(t * rate_hz) + i)] =
            static_cast<float>(std::sin(2 * std::numbers::pi * 1000 * double(i) / rate_hz));
    const array<double, 1> strength =
        onset_strength<float>(x, {.rate_hz = rate_hz, .n_fft = n_fft, .hop = n_fft / 4});
    EXPECT_NEAR(tempo(strength.flat(), rate_hz / (n_fft / 4)), 120, 0.5) << rate_hz;
  }
}

TEST(rhythm, a_constant_has_an_onset_at_most_where_it_begins_and_clipping_is_finite) {
  const array<double, 1> constant = strength_of(std::vector<float>(30000, 0.5f));
  for (std::size_t s = 4; s + 4 < constant.size(); ++s) EXPECT_LT(constant[s], 1) << s;
  std::vector<float> clipped = clicks(120, 10, 0.5);
  for (float& v : clipped) v = std::clamp(100 * v, -1.0f, 1.0f);
  const array<double, 1> strength = strength_of(clipped);
  EXPECT_TRUE(std::ranges::all_of(strength, [](double v) { return std::isfinite(v); }));
  EXPECT_NEAR(tempo(strength.flat(), frame_rate), 120, 0.5);
}

std::vector<float> noise(std::size_t n) {
  std::mt19937 random(7);
  std::vector<float> x(n);
  for (std::size_t i = 0; i < n; ++i)
    x[i] = (i / 3000 % 2 == 0 ? 1e-6f : 0.3f) * (float(random()) / 4e9f - 0.5f);
  return x;
}

std::vector<double> streamed(std::span<const float> x, const onset_options& o, std::size_t block,
                             std::size_t channels, double* highest_db = nullptr) {
  onset_stream<float> stream(o, channels);
  std::vector<double> made;
  const auto sink = [&](std::uint64_t segment, double v) {
    EXPECT_EQ(segment, made.size());
    made.push_back(v);
  };
  const std::size_t frames = x.size() / channels;
  for (std::size_t i = 0; i < frames; i += block)
    stream.push(
        view<const float, 2>(x.data() + i * channels, {std::min(block, frames - i), channels}),
        sink);
  stream.finish(sink);
  EXPECT_EQ(stream.segments(), made.size());
  if (highest_db) *highest_db = stream.highest_db();
  return made;
}

TEST(rhythm, a_stream_has_the_bits_of_the_whole) {
  const std::vector<float> x = noise(20000);
  for (const auto& [n_fft, hop, lag] :
       {std::tuple{512u, 100u, 1u}, {256u, 300u, 2u}, {255u, 64u, 3u}, {1024u, 16u, 40u}}) {
    onset_options o{.n_fft = n_fft, .hop = hop, .bands = 32, .lag = lag};
    const array<double, 1> whole = onset_strength<float>(x, o);
    double highest_db = 0;
    o.floor_db = -100;
    streamed(x, o, 4096, 1, &highest_db);
    o.floor_db = highest_db - 80;
    EXPECT_TRUE(std::ranges::equal(onset_strength<float>(x, o), whole));
    for (const std::size_t block : {1u, 77u, 20000u})
      EXPECT_TRUE(std::ranges::equal(streamed(x, o, block, 1), whole)) << n_fft << ' ' << block;
    std::vector<float> both;
    for (const float v : x) both.insert(both.end(), {v, v});
    EXPECT_TRUE(std::ranges::equal(streamed(both, o, 500, 2), whole)) << n_fft;
  }
}

// More levels than are kept: they are computed twice.
TEST(rhythm, a_long_signal_has_the_bits_of_its_stream) {
  const std::vector<float> x = noise(9000);
  onset_options o{.n_fft = 64, .hop = 1, .bands = 1024};
  const array<double, 1> whole = onset_strength<float>(x, o);
  double highest_db = 0;
  o.floor_db = -100;
  const std::vector<double> unlimited = streamed(x, o, 4096, 1, &highest_db);
  o.floor_db = highest_db - 80;
  EXPECT_TRUE(std::ranges::equal(streamed(x, o, 5000, 1), whole));
  EXPECT_FALSE(std::ranges::equal(unlimited, whole));
}

TEST(rhythm, strength_of_levels) {
  array<float, 2> levels({4, 2});
  const float values[] = {0, 0, 3, -5, 1, 1, 2, 9};
  std::ranges::copy(values, levels.begin());
  const auto equals = [](const array<double, 1>& made, std::vector<double> expected) {
    return std::ranges::equal(made, expected);
  };
  EXPECT_TRUE(equals(onset_strength(levels, 1, 0), {0, 1.5, 3, 4.5}));
  EXPECT_TRUE(equals(onset_strength(levels, 1, 1), {0, 0, 1.5, 3}));
  EXPECT_TRUE(equals(onset_strength(levels, 2, 0, onset_aggregate::median), {0, 0, 1, 7}));
  EXPECT_TRUE(equals(onset_strength(levels, 100, 100), {0, 0, 0, 0}));
  EXPECT_THROW(onset_strength(levels, 0, 0), invalid_argument);
  levels(1u, 1u) = std::numeric_limits<float>::infinity();
  EXPECT_THROW(onset_strength(levels, 1, 0), invalid_argument);
}

// Sums in the order of the definition; those of transforms differ by their rounding.
TEST(rhythm, tempogram_is_the_autocorrelation_whatever_the_threads) {
  std::mt19937 random(3);
  std::vector<double> strength(90);
  for (double& v : strength) v = double(random()) / 4e9;
  for (const std::size_t window : {2u, 5u, 64u, 301u}) {
    const array<double, 2> made = tempogram(strength, window);
    const auto half = static_cast<std::ptrdiff_t>(window / 2), n = std::ssize(strength);
    const auto envelope = [&](std::ptrdiff_t i) {
      if (i < 0) return i < -half ? 0 : strength.front() * double(i + half) / double(half);
      if (i < n) return strength[std::size_t(i)];
      return i >= n + half ? 0 : strength.back() * double(n + half - 1 - i) / double(half);
    };
    for (const std::ptrdiff_t s : {std::ptrdiff_t{0}, std::ptrdiff_t{41}, n - 1}) {
      std::vector<double> values(window), expected(window);
      for (std::size_t i = 0; i < window; ++i)
        values[i] = envelope(s - half + std::ptrdiff_t(i)) *
                    (0.5 - 0.5 * std::cos(2 * std::numbers::pi * double(i) / double(window)));
      for (std::size_t k = 0; k < window; ++k)
        for (std::size_t i = 0; i + k < window; ++i) expected[k] += values[i] * values[i + k];
      for (std::size_t k = 0; k < window; ++k)
        EXPECT_NEAR(made(std::size_t(s), k), expected[0] > 0 ? expected[k] / expected[0] : 0, 1e-13)
            << window << ' ' << s << ' ' << k;
    }
    EXPECT_TRUE(std::ranges::equal(tempogram(strength, window, 3).flat(), made.flat()));
  }
}

TEST(rhythm, envelopes_below_zero_have_a_tempo) {
  std::vector<double> strength(400);
  for (std::size_t i = 0; i < strength.size(); ++i) strength[i] = i % 20 == 0 ? 1 : -1;
  EXPECT_NEAR(tempo(strength, frame_rate), 60 * frame_rate / 20, 0.5);
}

TEST(rhythm, silence_has_neither_onsets_nor_tempo) {
  const array<double, 1> strength = strength_of(std::vector<float>(30000));
  EXPECT_EQ(strength.size(), 59u);
  for (const double v : strength) EXPECT_EQ(v, 0);
  EXPECT_TRUE(onset_detect(strength.flat(), frame_rate).empty());
  EXPECT_EQ(tempo(strength.flat(), frame_rate), 0);
  const beats found = beat_track(strength.flat(), frame_rate);
  EXPECT_EQ(found.bpm, 0);
  EXPECT_TRUE(found.segments.empty());
  EXPECT_EQ(strength_of({0.5f}).size(), 1u);
  EXPECT_TRUE(onset_detect({}, frame_rate).empty());
}

TEST(rhythm, arguments_out_of_range_are_named) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> some(50, 1.0), not_finite{0, 1, nan};
  EXPECT_THROW(strength_of({}), invalid_argument);
  EXPECT_THROW(strength_of({0, float(nan)}), invalid_argument);
  EXPECT_THROW(strength_of({1}, {.rate_hz = 0}), invalid_argument);
  EXPECT_THROW(strength_of({1}, {.hop = 0}), invalid_argument);
  EXPECT_THROW(strength_of({1}, {.bands = 0}), invalid_argument);
  EXPECT_THROW(strength_of({1}, {.lag = 0}), invalid_argument);
  EXPECT_THROW(strength_of({1}, {.n_fft = 1}), invalid_argument);
  EXPECT_THROW(strength_of({1}, {.floor_db = nan}), invalid_argument);
  EXPECT_THROW(onset_stream<float>(onset_options{}), invalid_argument);
  EXPECT_THROW(onset_stream<float>({.floor_db = -100}, 0), invalid_argument);
  onset_stream<float> stream({.floor_db = -100}, 2);
  const auto nowhere = [](std::uint64_t, double) {};
  EXPECT_THROW(stream.push(std::vector<float>(4), nowhere), shape_error);
  const float infinite[] = {0, std::numeric_limits<float>::infinity()};
  EXPECT_THROW(stream.push(view<const float, 2>(infinite, {1, 2}), nowhere), invalid_argument);
  stream.finish(nowhere);
  EXPECT_THROW(stream.push(view<const float, 2>(infinite, {0, 2}), nowhere), invalid_argument);
  EXPECT_THROW(onset_seconds(some, 0, {}), invalid_argument);
  EXPECT_THROW(onset_seconds(some, frame_rate, std::vector<std::size_t>{3, 3}), invalid_argument);
  EXPECT_THROW(onset_seconds(some, frame_rate, std::vector<std::size_t>{50}), invalid_argument);
  EXPECT_THROW(onset_seconds(some, frame_rate, {}, 0), invalid_argument);
  EXPECT_THROW(onset_detect(not_finite, frame_rate), invalid_argument);
  EXPECT_THROW(onset_detect(some, 0), invalid_argument);
  EXPECT_THROW(onset_detect(some, frame_rate, {.wait = -1}), invalid_argument);
  EXPECT_THROW(onset_detect(some, frame_rate, {.delta = nan}), invalid_argument);
  EXPECT_THROW(tempogram({}, 16), invalid_argument);
  EXPECT_THROW(tempogram(some, 1), invalid_argument);
  EXPECT_THROW(tempogram(not_finite, 16), invalid_argument);
  EXPECT_THROW(tempo(std::vector<double>{1}, frame_rate), invalid_argument);
  EXPECT_THROW(tempo(some, frame_rate, {.start_bpm = 0}), invalid_argument);
  EXPECT_THROW(tempo(some, frame_rate, {.window_seconds = 0.01}), invalid_argument);
  EXPECT_THROW(tempo(some, frame_rate, {.max_bpm = 1}), invalid_argument);
  EXPECT_THROW(beat_track(some, frame_rate, {.tightness = 0}), invalid_argument);
  EXPECT_THROW(beat_track(some, frame_rate, {.trim_share = 0}), invalid_argument);
  EXPECT_THROW(beat_track(some, frame_rate, {.bpm = 1e6}), invalid_argument);
  try {
    tempo(std::vector<double>{1}, frame_rate);
  } catch (const invalid_argument& e) {
    EXPECT_STREQ(e.what(), "tempo: strength must have at least 2 segments, got 1");
  }
}

}  // namespace
}  // namespace papilio
