#include "papilio/signal/pitch.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <random>
#include <string>

#include "papilio/base/error.hpp"
#include "reference_data.hpp"

namespace papilio {
namespace {
namespace pitch_tests {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
const std::string sound_names[] = {"slide", "choir", "voice"};
constexpr yin_options yin_usual{
    .rate_hz = 11025, .fmin_hz = 60, .fmax_hz = 1500, .frame = 1024, .hop = 256};
constexpr yin_options yin_others{.rate_hz = 11025,
                                 .fmin_hz = 50.5,
                                 .fmax_hz = 2000,
                                 .frame = 801,
                                 .hop = 130,
                                 .centre = false,
                                 .trough_threshold = 0.3};
constexpr pyin_options pyin_usual{
    .rate_hz = 11025, .fmin_hz = 60, .fmax_hz = 1500, .frame = 1024, .hop = 256};
constexpr pyin_options pyin_others{.rate_hz = 11025,
                                   .fmin_hz = 50.5,
                                   .fmax_hz = 2000,
                                   .frame = 801,
                                   .hop = 130,
                                   .centre = false,
                                   .thresholds = 50,
                                   .beta_a = 3,
                                   .beta_b = 9,
                                   .boltzmann = 1,
                                   .resolution = 0.25,
                                   .max_transition_rate = 20,
                                   .switch_probability = 0.05,
                                   .no_trough_probability = 0.1,
                                   .fill_hz = 0};

template <class T>
std::vector<T> sound(const std::string& name) {
  const test::npy_data data = test::reference("pitch_" + name);
  return {data.values.begin(), data.values.end()};
}

template <class T>
std::vector<pitch> pitches_of(const std::vector<T>& x, const pyin_options& options = {},
                              int threads = 1) {
  return pyin_plan<T>(options).execute(std::span<const T>(x), threads);
}

template <class T>
array<double, 1> yin_of(const std::vector<T>& x, const yin_options& options = {}, int threads = 1) {
  return yin_plan<T>(options).execute(std::span<const T>(x), threads);
}

/// Samples of a tone of ten falling harmonics whose frequency at second t is hz(t).
std::vector<float> harmonic_tone(double rate, double seconds,
                                 const std::function<double(double)>& hz) {
  std::vector<float> x(static_cast<std::size_t>(rate * seconds));
  double phase = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double f = hz(static_cast<double>(i) / rate);
    phase += 2 * std::numbers::pi * f / rate;
    double sum = 0;
    for (int h = 1; h <= 10 && h * f < rate / 2; ++h) sum += std::sin(h * phase) / h;
    x[i] = static_cast<float>(0.3 * sum);
  }
  return x;
}

bool same_bits(const pitch& a, const pitch& b) {
  const bool same_f0 = a.f0_hz == b.f0_hz || (std::isnan(a.f0_hz) && std::isnan(b.f0_hz));
  return same_f0 && a.voiced == b.voiced && a.voiced_probability == b.voiced_probability;
}

void expect_same_bits(std::span<const pitch> a, std::span<const pitch> b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t s = 0; s < a.size(); ++s) EXPECT_TRUE(same_bits(a[s], b[s])) << s;
}

void expect_message(const std::string& message, const std::function<void()>& call) {
  try {
    call();
    ADD_FAILURE() << "no error: " << message;
  } catch (const invalid_argument& e) {
    EXPECT_EQ(e.what(), message);
  }
}

}  // namespace pitch_tests

using namespace pitch_tests;

// librosa's d[1] is larger by x[0]^2, which lowers all d' by a share x[0]^2 / sum of d: 1e-3 at most,
// and a minimum's place by less than the change of that share from a lag to the next. Floats round by
// 6e-8 of r[0], of which a shallow parabola makes more.
TEST(pitch, yin_equals_librosa) {
  for (const std::string& name : sound_names) {
    const auto expect_near = [&](const yin_options& options, const std::string& kind) {
      const std::vector<double> expected = test::reference("pitch_" + name + kind).values;
      const array<double, 1> made = yin_of(sound<double>(name), options);
      ASSERT_EQ(made.size(), expected.size()) << name << kind;
      for (std::size_t s = 0; s < made.size(); ++s)
        EXPECT_NEAR(made[s], expected[s], 1e-6 * expected[s]) << name << kind << ' ' << s;
      const array<double, 1> in_float = yin_of(sound<float>(name), options);
      for (std::size_t s = 0; s < made.size(); ++s)
        EXPECT_NEAR(in_float[s], expected[s], 1e-3 * expected[s]) << name << kind << ' ' << s;
    };
    expect_near(yin_usual, "_yin");
    expect_near(yin_others, "_yin_others");
  }
}

TEST(pitch, pyin_equals_librosa) {
  for (const std::string& name : sound_names) {
    const auto expect_near = [&](const pyin_options& options, const std::string& kind,
                                 const auto& x, double tolerance) {
      const test::npy_data expected = test::reference("pitch_" + name + kind);
      const std::vector<double> f0_hz = test::row(expected, 0), voiced = test::row(expected, 1),
                                probability = test::row(expected, 2);
      const std::vector<pitch> made = pitches_of(x, options);
      ASSERT_EQ(made.size(), f0_hz.size()) << name << kind;
      for (std::size_t s = 0; s < made.size(); ++s) {
        EXPECT_EQ(made[s].voiced, voiced[s] == 1) << name << kind << ' ' << s;
        if (made[s].voiced)
          EXPECT_NEAR(made[s].f0_hz, f0_hz[s], 1e-12 * f0_hz[s]) << name << kind << ' ' << s;
        else
          EXPECT_TRUE(options.fill_hz == made[s].f0_hz || std::isnan(made[s].f0_hz));
        EXPECT_NEAR(made[s].voiced_probability, probability[s], tolerance)
            << name << kind << ' ' << s;
      }
    };
    expect_near(pyin_usual, "_pyin", sound<double>(name), 1e-12);
    expect_near(pyin_others, "_pyin_others", sound<double>(name), 1e-12);
    // Where rounding takes a trough over a threshold, its prior's probability is lost, at most 0.11.
    expect_near(pyin_usual, "_pyin", sound<float>(name), 0.11);
  }
}

TEST(pitch, glides_have_no_octave_errors) {
  const double rate = 22050, seconds = 4;
  const std::function<double(double)> glides[] = {
      [](double t) { return 80 * std::exp2(t); }, [](double t) { return 1500 * std::exp2(-t); },
      [](double t) { return 220 * std::exp2(0.5 * std::sin(2 * std::numbers::pi * t)); }};
  for (const auto& hz : glides) {
    const std::vector<float> x = harmonic_tone(rate, seconds, hz);
    const array<double, 1> yin = yin_of(x);
    const std::vector<pitch> pyin = pitches_of(x);
    ASSERT_EQ(yin.size(), pyin.size());
    // The first and the last frames lie half outside.
    for (std::size_t s = 4; s + 5 < yin.size(); ++s) {
      const double expected = hz(static_cast<double>(s) * 512 / rate);
      // Within a segment the glide moves by 0.09 octaves; a semitone is 0.083.
      EXPECT_NEAR(std::log2(yin[s] / expected), 0, 0.06) << s;
      EXPECT_TRUE(pyin[s].voiced) << s;
      EXPECT_NEAR(std::log2(pyin[s].f0_hz / expected), 0, 0.06) << s;
    }
  }
}

// A trough between lags is found to some hundredths of a lag, a bin is a tenth of a semitone wide. The
// highest tone has 21 samples a period.
TEST(pitch, tones_of_all_rates_have_their_frequency) {
  for (const double rate : {7400.0, 44100.0, 192000.0})
    for (const double hz : {110.0, 196.0, rate < 10000 ? 349.2 : 880.0}) {
      const std::vector<float> x = harmonic_tone(rate, 0.5, [&](double) { return hz; });
      const std::size_t frame = rate < 10000 ? 1024 : rate < 50000 ? 4096 : 16384;
      const array<double, 1> yin =
          yin_of(x, {.rate_hz = rate, .frame = frame, .hop = frame / 4, .centre = false});
      for (const double f : yin) EXPECT_NEAR(f, hz, 0.01 * hz) << rate;
      const std::vector<pitch> pyin =
          pitches_of(x, {.rate_hz = rate, .frame = frame, .hop = frame / 4, .centre = false});
      for (const pitch& p : pyin) {
        EXPECT_TRUE(p.voiced) << rate << ' ' << hz;
        EXPECT_NEAR(p.f0_hz, hz, 0.01 * hz) << rate;
      }
    }
}

TEST(pitch, clipped_tones_keep_their_frequency) {
  std::vector<float> x = harmonic_tone(22050, 1, [](double) { return 196.0; });
  for (float& v : x) v = std::clamp(8 * v, -1.0f, 1.0f);
  const array<double, 1> yin = yin_of(x);
  const std::vector<pitch> pyin = pitches_of(x);
  for (std::size_t s = 3; s + 3 < yin.size(); ++s) {
    EXPECT_NEAR(yin[s], 196, 2) << s;
    EXPECT_TRUE(pyin[s].voiced) << s;
    EXPECT_NEAR(pyin[s].f0_hz, 196, 2) << s;
  }
}

// All d' of silence are 0: the first lag is the least. A constant has one trough, of which no
// threshold is above it.
TEST(pitch, silence_and_constants_are_not_voiced) {
  for (const double level : {0.0, 0.5}) {
    const std::vector<double> x(20000, level);
    for (const pitch& p : pitches_of(x)) {
      EXPECT_FALSE(p.voiced) << level;
      EXPECT_TRUE(std::isnan(p.f0_hz)) << level;
      EXPECT_LE(p.voiced_probability, 0.0100001) << level;
    }
  }
  for (const double f : yin_of(std::vector<double>(20000))) EXPECT_EQ(f, 22050.0 / 10);
  for (const pitch& p : pitches_of(std::vector<double>(5000), {.fill_hz = std::nullopt}))
    EXPECT_GE(p.f0_hz, c2_hz);
}

TEST(pitch, short_signals_have_one_segment_or_are_refused) {
  EXPECT_EQ(pitches_of<float>({0.5f}).size(), 1u);
  EXPECT_EQ(yin_of<float>({0.5f}).size(), 1u);
  EXPECT_EQ(yin_of(std::vector<float>(100, 0.1f), {.frame = 2047}).size(), 1u);
  expect_message("yin_plan::execute: signal must have at least 1 samples, got 0",
                 [] { yin_of<float>({}); });
  expect_message("pyin_plan::execute: signal must have at least 2048 samples, got 2047",
                 [] { pitches_of(std::vector<float>(2047), {.centre = false}); });
  std::vector<double> wrong(3);
  EXPECT_THROW(yin_plan<float>().execute(std::vector<float>(5000), wrong), shape_error);
}

TEST(pitch, samples_that_are_not_finite_are_refused) {
  std::vector<float> x(5000, 0.5f);
  x[4000] = static_cast<float>(nan);
  expect_message("yin_plan::execute: samples must be finite, got nan", [&] { yin_of(x); });
  expect_message("pyin_plan::execute: samples must be finite, got nan", [&] { pitches_of(x); });
  x[4000] = 1e30f;
  EXPECT_THROW(yin_of(x), invalid_argument);
}

TEST(pitch, options_out_of_range_are_named) {
  expect_message(
      "yin_options: fmin_hz must be above 10.7719 for a frame of 2048 samples at 22050 "
      "Hz, got 10",
      [] { yin_plan<float>({.fmin_hz = 10}); });
  expect_message("pyin_options: fmax_hz must be at most half of rate_hz, got 20000",
                 [] { pyin_plan<float>({.fmax_hz = 20000}); });
  EXPECT_THROW(yin_plan<float>({.rate_hz = nan}), invalid_argument);
  EXPECT_THROW(yin_plan<float>({.fmin_hz = 0}), invalid_argument);
  EXPECT_THROW(yin_plan<float>({.fmin_hz = 500, .fmax_hz = 500}), invalid_argument);
  EXPECT_THROW(yin_plan<float>({.frame = 3}), invalid_argument);
  EXPECT_THROW(yin_plan<float>({.hop = 0}), invalid_argument);
  EXPECT_THROW(yin_plan<float>({.trough_threshold = 0}), invalid_argument);
  EXPECT_THROW(pyin_plan<float>({.thresholds = 0}), invalid_argument);
  EXPECT_THROW(pyin_plan<float>({.beta_a = 0}), invalid_argument);
  EXPECT_THROW(pyin_plan<float>({.beta_b = -1}), invalid_argument);
  EXPECT_THROW(pyin_plan<float>({.boltzmann = 0}), invalid_argument);
  EXPECT_THROW(pyin_plan<float>({.resolution = 2}), invalid_argument);
  EXPECT_THROW(pyin_plan<float>({.resolution = 0.001}), invalid_argument);  // too many bins
  EXPECT_THROW(pyin_plan<float>({.max_transition_rate = -1}), invalid_argument);
  EXPECT_THROW(pyin_plan<float>({.switch_probability = 1.5}), invalid_argument);
  EXPECT_THROW(pyin_plan<float>({.no_trough_probability = nan}), invalid_argument);
  EXPECT_THROW(pyin_stream<float>(pyin_plan<float>(), 0), invalid_argument);
}

TEST(pitch, threads_change_no_bits) {
  std::vector<float> x = harmonic_tone(22050, 3, [](double t) { return 200 + 100 * t; });
  std::minstd_rand noise(3);
  for (float& v : x) v += 1e-6f * static_cast<float>(noise() % 100000);
  const std::vector<pitch> once = pitches_of(x);
  const array<double, 1> yin = yin_of(x);
  for (const int threads : {2, 5}) {
    expect_same_bits(pitches_of(x, {}, threads), once);
    EXPECT_TRUE(std::ranges::equal(yin_of(x, {}, threads), yin)) << threads;
  }
}

// Bins of a semitone and a hop of 20 make a signal of several delays.
TEST(pitch, streams_have_the_bits_of_the_plan_however_they_are_cut) {
  std::vector<float> x =
      harmonic_tone(8000, 8, [](double t) { return 150 + 20 * std::sin(7 * t); });
  for (std::size_t i = 20000; i < 30000; ++i) x[i] = 0;
  const pyin_plan<float> plan(
      {.rate_hz = 8000, .fmin_hz = 100, .fmax_hz = 400, .frame = 256, .hop = 20, .resolution = 1});
  const std::vector<pitch> whole = plan.execute(std::span<const float>(x));
  ASSERT_GT(whole.size(), 3 * plan.delay());
  pyin_stream<float> stream(plan);
  for (const std::size_t size : {7u, 1000u, 64000u}) {
    std::vector<pitch> made;
    const auto sink = [&](std::uint64_t first, std::span<const pitch> pitches) {
      EXPECT_EQ(first, made.size());
      made.insert(made.end(), pitches.begin(), pitches.end());
    };
    for (std::size_t i = 0; i < x.size(); i += size)
      stream.push(view<const float, 2>(x.data() + i, {std::min(size, x.size() - i), 1}), sink);
    stream.finish(sink);
    stream.finish(sink);
    expect_same_bits(made, whole);
    EXPECT_THROW(stream.push(view<const float, 2>(x.data(), {1, 1}), sink), invalid_argument);
    stream.reset();
  }
}

// Opposite phases would cancel in a mean of samples; powers of two scale all exactly.
TEST(pitch, channels_of_opposite_phase_have_the_pitch_of_one) {
  const std::vector<float> x = harmonic_tone(22050, 1, [](double) { return 300.0; });
  array<float, 2> both({x.size(), 2});
  for (std::size_t i = 0; i < x.size(); ++i) {
    both(i, 0) = x[i];
    both(i, 1) = -x[i];
  }
  const std::vector<pitch> one = pitches_of(x);
  std::vector<pitch> made;
  const auto sink = [&](std::uint64_t, std::span<const pitch> pitches) {
    made.insert(made.end(), pitches.begin(), pitches.end());
  };
  pyin_stream<float> stream(pyin_plan<float>(), 2);
  EXPECT_THROW(stream.push(view<const float, 2>(x.data(), {1, 1}), sink), shape_error);
  stream.push(both, sink);
  stream.finish(sink);
  expect_same_bits(made, one);
}

}  // namespace
}  // namespace papilio
