#include "papilio/signal/rhythm.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <span>

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
  EXPECT_THROW(beat_track(some, frame_rate, {.bpm = 1e6}), invalid_argument);
  try {
    tempo(std::vector<double>{1}, frame_rate);
  } catch (const invalid_argument& e) {
    EXPECT_STREQ(e.what(), "tempo: strength must have at least 2 segments, got 1");
  }
}

}  // namespace
}  // namespace papilio
