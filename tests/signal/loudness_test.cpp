#include "papilio/signal/loudness.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "papilio/base/error.hpp"

namespace papilio {
namespace {
namespace loudness_tests {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Samples of a sine of 1 kHz at 48 kHz in parts of so many seconds and levels in dBFS, one level a
/// channel.
struct part {
  double seconds;
  std::vector<double> levels_db;
};

array<float, 2> tone(const std::vector<part>& parts) {
  std::vector<float> period(48);
  for (std::size_t i = 0; i < 48; ++i)
    period[i] = static_cast<float>(std::sin(2 * std::numbers::pi * static_cast<double>(i) / 48));
  std::size_t samples = 0;
  const auto samples_of = [](const part& p) {
    return static_cast<std::size_t>(std::lround(p.seconds * 48000));
  };
  for (const part& p : parts) samples += samples_of(p);
  array<float, 2> made({samples, parts[0].levels_db.size()});
  float* to = made.data();
  std::size_t n = 0;
  for (const part& p : parts) {
    std::vector<float> amplitudes;
    for (const double db : p.levels_db)
      amplitudes.push_back(static_cast<float>(std::pow(10, db / 20)));
    for (std::size_t i = 0; i < samples_of(p); ++i, ++n)
      for (const float a : amplitudes) *to++ = a * period[n % 48];
  }
  return made;
}

loudness_meter meter_of(const array<float, 2>& signal) {
  loudness_meter meter(48000, signal.extent(1), {.weights = {}, .true_peak = false});
  meter.push(signal.view());
  meter.finish();
  return meter;
}

std::vector<double> noise(std::size_t n) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal(0, 0.1);
  std::vector<double> x(n);
  for (double& v : x) v = normal(random);
  return x;
}

std::vector<double> sine(std::size_t n, double per_sample, double phase_degrees, double amplitude) {
  std::vector<double> x(n);
  for (std::size_t i = 0; i < n; ++i)
    x[i] = amplitude * std::sin(2 * std::numbers::pi *
                                (static_cast<double>(i) * per_sample + phase_degrees / 360));
  return x;
}

double true_peak_db(const std::vector<double>& x, double rate_hz) {
  const view<const double, 2> signal(x.data(), {x.size(), 1});
  return 20 * std::log10(true_peaks(signal, rate_hz)[0]);
}

template <class Error, class Call>
std::string error_of(const Call& call) {
  try {
    call();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

/// All that a meter says, as bits can be compared.
std::vector<double> answers(const loudness_meter& meter) {
  const loudness_summary s = meter.summary();
  std::vector<double> all{s.integrated_lufs.value_or(1e9),
                          s.range_lu.value_or(1e9),
                          s.highest_momentary_lufs.value_or(1e9),
                          s.highest_short_term_lufs.value_or(1e9),
                          s.sample_peak_dbfs,
                          s.true_peak_dbtp.value_or(1e9)};
  for (std::size_t k = 0; k <= meter.steps(); ++k) {
    all.push_back(meter.momentary_lufs(k).value_or(1e9));
    all.push_back(meter.short_term_lufs(k).value_or(1e9));
  }
  return all;
}

}  // namespace loudness_tests

using namespace loudness_tests;

// EBU Tech 3341 (2023), table 1; its tolerance.
TEST(loudness, tech_3341_integrated) {
  const std::vector<double> quiet(2, -36), loud(2, -23), silent(2, -72);
  const std::vector<std::vector<part>> signals{
      {{20, loud}},
      {{20, {-33, -33}}},
      {{10, quiet}, {60, loud}, {10, quiet}},
      {{10, silent}, {10, quiet}, {60, loud}, {10, quiet}, {10, silent}},
      {{20, {-26, -26}}, {20.1, {-20, -20}}, {20, {-26, -26}}},
      {{20, {-28, -28, -24, -30, -30}}}};
  const double expected[] = {-23, -33, -23, -23, -23, -23};
  for (std::size_t i = 0; i < signals.size(); ++i) {
    const loudness_meter meter = meter_of(tone(signals[i]));
    EXPECT_NEAR(meter.integrated_lufs().value(), expected[i], 0.1) << i + 1;
    if (i > 1) continue;
    EXPECT_NEAR(meter.momentary_lufs().value(), expected[i], 0.1) << i + 1;
    EXPECT_NEAR(meter.short_term_lufs().value(), expected[i], 0.1) << i + 1;
  }
}

// Signals 9 and 12: windows that hold whole periods of the level; and 10, 13: a burst as long as one,
// later by any part of a step. Bursts are not at steps of this meter, which loses up to 50 ms of 3 s.
TEST(loudness, tech_3341_short_term_and_momentary) {
  std::vector<part> slow, fast;
  for (int i = 0; i < 5; ++i) {
    slow.push_back({1.34, {-20, -20}});
    slow.push_back({1.66, {-30, -30}});
  }
  for (int i = 0; i < 25; ++i) {
    fast.push_back({0.18, {-20, -20}});
    fast.push_back({0.22, {-30, -30}});
  }
  const loudness_meter s = meter_of(tone(slow)), m = meter_of(tone(fast));
  for (std::size_t k = 30; k <= s.steps(); ++k)
    EXPECT_NEAR(s.short_term_lufs(k).value(), -23, 0.1) << k;
  for (std::size_t k = 4; k <= m.steps(); ++k)
    EXPECT_NEAR(m.momentary_lufs(k).value(), -23, 0.1) << k;
  const std::vector<double> none(2, -200), loud(2, -23);
  for (const double later : {0.0, 0.15, 0.45, 2.85})
    EXPECT_NEAR(meter_of(tone({{later, none}, {3, loud}, {1, none}}))
                    .summary()
                    .highest_short_term_lufs.value(),
                -23, 0.1)
        << later;
}

// EBU Tech 3342 (2023), table 1, to a tenth of its tolerance: windows that hold a change of level are
// within it.
TEST(loudness, tech_3342_range) {
  const auto steps = [](std::initializer_list<double> levels) {
    std::vector<part> parts;
    for (const double db : levels) parts.push_back({20, {db, db}});
    return meter_of(tone(parts)).range_lu().value();
  };
  EXPECT_NEAR(steps({-20, -30}), 10, 0.1);
  EXPECT_NEAR(steps({-20, -15}), 5, 0.1);
  EXPECT_NEAR(steps({-40, -20}), 20, 0.1);
  EXPECT_NEAR(steps({-50, -35, -20, -35, -50}), 15, 0.1);
}

// Tech 3341, signals 15 to 19, with its tolerance; sines are faded in so that none has an edge.
TEST(loudness, tech_3341_true_peaks_of_sines) {
  struct {
    double per_sample, phase, amplitude, expected_db;
  } const signals[] = {{1.0 / 4, 0, 0.5, -6},
                       {1.0 / 4, 45, 0.5, -6},
                       {1.0 / 6, 60, 0.5, -6},
                       {1.0 / 8, 67.5, 0.5, -6},
                       {1.0 / 4, 45, 1.41, 3}};
  for (const auto& s : signals) {
    std::vector<double> x = sine(4800, s.per_sample, s.phase, s.amplitude);
    for (std::size_t i = 0; i < 960; ++i) {
      x[i] *= static_cast<double>(i) / 960;
      x[x.size() - 1 - i] *= static_cast<double>(i) / 960;
    }
    const double peak = true_peak_db(x, 48000);
    EXPECT_LE(peak, s.expected_db + 0.2) << s.phase;
    EXPECT_GE(peak, s.expected_db - 0.4) << s.phase;
  }
}

// As signals 20 to 23: a band-limited swell of full scale, a sixth of the rate high, that begins
// between samples. The oracle is its formula. A maximum that lies half a step of a fourth beside the
// grid is 20 log10 cos(pi / 24) = -0.075 dB.
TEST(loudness, true_peaks_between_samples) {
  for (const double offset : {0.0, 0.25, 0.5, 0.75}) {
    std::vector<double> x(2000);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double t = static_cast<double>(i) - 1000 - offset;
      x[i] = std::exp(-t * t / 2e4) * std::cos(std::numbers::pi / 3 * t);
    }
    EXPECT_NEAR(true_peak_db(x, 44100), 0, 0.05) << offset;
    EXPECT_NEAR(true_peak_db(x, 96000), 0, offset == 0 || offset == 0.5 ? 0.05 : 0.35) << offset;
  }
}

// Up to 0.45 of the rate each phase passes a sine within 0.05 dB: the peak over many periods is its
// amplitude, less what a grid of fourths misses.
TEST(loudness, interpolation_passes_the_band) {
  for (const double per_sample : {0.01, 0.1, 0.2003, 0.3001, 0.4003, 0.45}) {
    std::vector<double> x = sine(4000, per_sample, 11, 1);
    for (std::size_t i = 0; i < 400; ++i) {
      x[i] *= static_cast<double>(i) / 400;
      x[x.size() - 1 - i] *= static_cast<double>(i) / 400;
    }
    const double missed_db = 20 * std::log10(std::cos(std::numbers::pi * per_sample / 4)),
                 peak_db = true_peak_db(x, 44100);
    EXPECT_LE(peak_db, 0.05) << per_sample;
    EXPECT_GE(peak_db, missed_db - 0.05) << per_sample;
  }
}

// At 48 kHz the tables of BS.1770; at others the response at a frequency is that of 48 kHz, as far as
// a bilinear transformation goes: 0.03 dB below a tenth of the lower rate.
TEST(loudness, k_weighting_is_one_response) {
  const auto made = k_weighting(48000);
  EXPECT_EQ(made[0], (sos_section{1.53512485958697, -2.69169618940638, 1.19839281085285,
                                  -1.69065929318241, 0.73248077421585}));
  EXPECT_EQ(made[1], (sos_section{1, -2, 1, -1.99004745483398, 0.99007225036621}));
  const auto level = [](double hz, double rate_hz) {
    return 20 * std::log10(std::abs(frequency_response(k_weighting(rate_hz), hz, rate_hz)));
  };
  // As a rate beside 48 kHz goes the same way as any other.
  EXPECT_NEAR(level(1000, 48000.001), level(1000, 48000), 1e-9);
  for (const double rate_hz : {22050.0, 44100.0, 88200.0, 96000.0, 192000.0})
    for (const double hz : {20.0, 38.0, 100.0, 997.0, 1682.0, 2000.0})
      EXPECT_NEAR(level(hz, rate_hz), level(hz, 48000), 0.03) << rate_hz << ' ' << hz;
}

TEST(loudness, any_division_has_the_same_bits) {
  const std::vector<double> x = noise(3 * 30000);
  const view<const double, 2> signal(x.data(), {30000, 3});
  for (const double rate_hz : {8000.0, 96000.0}) {
    loudness_meter whole(rate_hz, 3);
    whole.push(signal);
    whole.finish();
    for (const std::size_t block : {1, 7, 256, 801, 12345}) {
      loudness_meter parts(rate_hz, 3);
      for (std::size_t first = 0; first < 30000; first += block)
        parts.push(signal.slice(0, first, std::min<std::size_t>(block, 30000 - first)));
      parts.finish();
      EXPECT_EQ(answers(parts), answers(whole)) << block;
      EXPECT_TRUE(std::ranges::equal(parts.true_peaks(), whole.true_peaks()));
      parts.reset();
      parts.push(signal);
      parts.finish();
      EXPECT_EQ(answers(parts), answers(whole)) << "after reset";
    }
  }
}

TEST(loudness, floats_strides_and_copies) {
  const std::vector<double> x = noise(2 * 20000);
  std::vector<float> single(x.begin(), x.end());
  const std::vector<double> rounded(single.begin(), single.end());
  const view<const float, 2> planes(single.data(), {20000, 2}, {1, 20000});
  const view<const double, 2> doubles(rounded.data(), {20000, 2}, {1, 20000});
  loudness_meter a(32000, 2), b(32000, 2);
  a.push(planes.slice(0, 0, 5000));
  loudness_meter copy = a;
  a.push(planes.slice(0, 5000, 15000));
  copy.push(planes.slice(0, 5000, 15000));
  b.push(doubles);
  EXPECT_EQ(answers(a), answers(b));
  EXPECT_EQ(answers(copy), answers(b));
  EXPECT_EQ(a.samples(), 20000u);
  loudness_meter mono(32000);
  mono.push(single);
  EXPECT_EQ(mono.steps(), 12u);
}

// A channel of weight 0 counts for peaks alone; equal ones add their powers; 1.41 is 1.49 LU.
TEST(loudness, weights) {
  const array<float, 2> lfe = tone({{1, {-23, -23, -200, 0, -200, -200}}}),
                        surround = tone({{1, {-200, -200, -200, -200, -23, -23}}});
  const loudness_summary made = measure_loudness<float>(lfe, 48000),
                         beside = measure_loudness<float>(surround, 48000);
  EXPECT_NEAR(made.integrated_lufs.value(), -23, 0.1);
  EXPECT_NEAR(made.sample_peak_dbfs, 0, 1e-6);
  EXPECT_NEAR(beside.integrated_lufs.value() - made.integrated_lufs.value(), 10 * std::log10(1.41),
              1e-5);
  const array<float, 2> mono = tone({{1, {-20}}});
  const double once = measure_loudness<float>(mono, 48000).integrated_lufs.value(),
               twice =
                   measure_loudness<float>(mono, 48000, {.weights = {2}}).integrated_lufs.value();
  EXPECT_NEAR(twice - once, 10 * std::log10(2), 1e-9);
  for (std::size_t channels = 1; channels <= 8; ++channels)
    EXPECT_EQ(loudness_weights(channels).size(), channels);
}

TEST(loudness, silence_and_short_signals) {
  const std::vector<double> silence(48000 * 4);
  for (const std::size_t n : {0, 1, 19199, 19200, 144000}) {
    const view<const double, 2> signal(silence.data(), {n, 1});
    const loudness_summary s = measure_loudness(signal, 48000);
    EXPECT_EQ(s.integrated_lufs,
              n < 19200 ? std::optional<double>() : std::optional<double>(-infinity));
    EXPECT_EQ(s.highest_momentary_lufs, s.integrated_lufs);
    EXPECT_EQ(s.highest_short_term_lufs,
              n < 144000 ? std::optional<double>() : std::optional<double>(-infinity));
    EXPECT_EQ(s.range_lu, std::nullopt);
    EXPECT_EQ(s.sample_peak_dbfs, -infinity);
    EXPECT_EQ(s.true_peak_dbtp, -infinity);
    EXPECT_EQ(momentary_loudness(signal, 48000).size(), n < 19200 ? 0 : n / 4800 - 3);
    EXPECT_EQ(short_term_loudness(signal, 48000).size(), n < 144000 ? 0u : 1u);
  }
  const std::vector<double> one{0.5};
  const loudness_summary click = measure_loudness(view<const double, 2>(one.data(), {1, 1}), 48000);
  EXPECT_NEAR(click.sample_peak_dbfs, -6.0206, 1e-4);
  EXPECT_NEAR(click.true_peak_dbtp.value(), -6.0206, 1e-4);
}

// Silence after a sound: the filters' state dies away before its numbers are too small to be normal.
TEST(loudness, nothing_is_left_of_a_sound) {
  loudness_meter meter(8000);
  meter.push(std::vector<double>(800, 0.5));
  for (int i = 0; i < 60; ++i) meter.push(std::vector<double>(8000));
  EXPECT_EQ(meter.momentary_lufs(), -infinity);
}

TEST(loudness, not_numbers) {
  std::vector<double> x = noise(8000 * 5);
  for (const double bad : {nan, infinity}) {
    x[12345] = bad;  // in step 16
    loudness_meter meter(8000);
    meter.push(x);
    EXPECT_FALSE(std::isnan(meter.momentary_lufs(15).value()));
    EXPECT_TRUE(std::isnan(meter.momentary_lufs(16).value()));
    EXPECT_TRUE(std::isnan(meter.momentary_lufs().value()));
    const loudness_summary s = meter.summary();
    EXPECT_TRUE(std::isnan(s.integrated_lufs.value()));
    EXPECT_TRUE(std::isnan(s.range_lu.value()));
    EXPECT_TRUE(std::isnan(s.highest_momentary_lufs.value()));
    if (std::isnan(bad)) {
      EXPECT_TRUE(std::isnan(s.sample_peak_dbfs));
      EXPECT_TRUE(std::isnan(s.true_peak_dbtp.value()));
    } else {
      EXPECT_EQ(s.sample_peak_dbfs, infinity);
    }
    meter.reset();
    meter.push(noise(8000));
    EXPECT_FALSE(std::isnan(meter.integrated_lufs().value()));
  }
}

TEST(loudness, refuses) {
  EXPECT_EQ(error_of<invalid_argument>([] { k_weighting(3999); }),
            "k_weighting: rate_hz must be 4000 ... 4e6, got 3999");
  EXPECT_EQ(error_of<invalid_argument>([] { loudness_meter meter(nan); }),
            "k_weighting: rate_hz must be 4000 ... 4e6, got nan");
  EXPECT_EQ(error_of<invalid_argument>([] { loudness_meter meter(48000, 0); }),
            "loudness_meter: channels must be at least 1, got 0");
  EXPECT_EQ(error_of<invalid_argument>([] { loudness_meter meter(48000, 9); }),
            "loudness_weights: channels must be 1 ... 8 unless weights are given, got 9");
  EXPECT_EQ(error_of<invalid_argument>([] { loudness_meter meter(48000, 2, {.weights = {1}}); }),
            "loudness_meter: weights must be 2, a channel one, got 1");
  EXPECT_EQ(error_of<invalid_argument>([] { loudness_meter meter(48000, 1, {.weights = {-1}}); }),
            "loudness_meter: weights must be finite and at least 0, got -1");
  loudness_meter meter(48000, 2);
  EXPECT_EQ(error_of<shape_error>([&] { meter.push(std::vector<float>(3)); }),
            "loudness_meter::push: block must be samples x 2, got 3 x 1");
  EXPECT_EQ(error_of<invalid_argument>([&] { meter.reserve(-1); }),
            "loudness_meter::reserve: seconds must be 0 ... 1e9, got -1");
  loudness_meter ended(48000);
  ended.finish();
  EXPECT_EQ(error_of<invalid_argument>([&] { ended.push(std::vector<float>(3)); }),
            "loudness_meter::push: the signal has ended; reset() begins another");
}

}  // namespace
}  // namespace papilio
