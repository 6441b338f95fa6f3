// Sound levels: weightings and bands against the masks of IEC 61672-1 and IEC 61260-1, meters
// against analytic levels and scipy.
#include "papilio/signal/levels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "papilio/base/error.hpp"
#include "reference_data.hpp"

namespace papilio {
namespace {
namespace level_tests {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double pi = std::numbers::pi;

/// IEC 61672-1:2013, tables 2 and 3: design goals of A and C in dB, and the acceptance limits of
/// class 1.
struct weighting_row {
  double nominal_hz, a, c, above, below;
};
constexpr std::array<weighting_row, 34> weighting_table{{
    {10, -70.4, -14.3, 3.0, infinity}, {12.5, -63.4, -11.2, 2.5, infinity},
    {16, -56.7, -8.5, 2.0, 4.0},       {20, -50.5, -6.2, 2.0, 2.0},
    {25, -44.7, -4.4, 2.0, 1.5},       {31.5, -39.4, -3.0, 1.5, 1.5},
    {40, -34.6, -2.0, 1.0, 1.0},       {50, -30.2, -1.3, 1.0, 1.0},
    {63, -26.2, -0.8, 1.0, 1.0},       {80, -22.5, -0.5, 1.0, 1.0},
    {100, -19.1, -0.3, 1.0, 1.0},      {125, -16.1, -0.2, 1.0, 1.0},
    {160, -13.4, -0.1, 1.0, 1.0},      {200, -10.9, 0.0, 1.0, 1.0},
    {250, -8.6, 0.0, 1.0, 1.0},        {315, -6.6, 0.0, 1.0, 1.0},
    {400, -4.8, 0.0, 1.0, 1.0},        {500, -3.2, 0.0, 1.0, 1.0},
    {630, -1.9, 0.0, 1.0, 1.0},        {800, -0.8, 0.0, 1.0, 1.0},
    {1000, 0.0, 0.0, 0.7, 0.7},        {1250, 0.6, 0.0, 1.0, 1.0},
    {1600, 1.0, -0.1, 1.0, 1.0},       {2000, 1.2, -0.2, 1.0, 1.0},
    {2500, 1.3, -0.3, 1.0, 1.0},       {3150, 1.2, -0.5, 1.0, 1.0},
    {4000, 1.0, -0.8, 1.0, 1.0},       {5000, 0.5, -1.3, 1.5, 1.5},
    {6300, -0.1, -2.0, 1.5, 2.0},      {8000, -1.1, -3.0, 1.5, 2.5},
    {10000, -2.5, -4.4, 2.0, 3.0},     {12500, -4.3, -6.2, 2.0, 5.0},
    {16000, -6.6, -8.5, 2.5, 16.0},    {20000, -9.3, -11.2, 3.0, infinity},
}};

/// IEC 61260-1, class 1: limits of the attenuation in dB at G^exponent of an octave band, on both
/// sides; linear in the logarithm of the frequency between them. Each is the stricter one of the
/// editions of 1995 and 2014.
struct mask_point {
  double exponent, least, most;
};
constexpr std::array<mask_point, 5> pass_mask{
    {{0, -0.3, 0.3}, {0.125, -0.3, 0.4}, {0.25, -0.3, 0.6}, {0.375, -0.3, 1.3}, {0.5, -0.3, 5.0}}};
constexpr std::array<mask_point, 5> stop_mask{{{0.5, 2.0, infinity},
                                               {1, 17.5, infinity},
                                               {2, 42.0, infinity},
                                               {3, 61.0, infinity},
                                               {4, 70.0, infinity}}};

double octaves(double power) { return std::pow(10.0, 0.3 * power); }

/// Frequency ratio of a point of the mask in a band of 1/fraction octave, formula 9 of IEC 61260-1.
double point_of(double exponent, std::size_t fraction) {
  const double half = octaves(0.5 / static_cast<double>(fraction));
  return 1 + (half - 1) / (octaves(0.5) - 1) * (octaves(exponent) - 1);
}

double gain_db(const std::vector<sos_section>& sections, double hz, double rate_hz) {
  return 20 * std::log10(std::abs(frequency_response(sections, hz, rate_hz)));
}

/// Least distance of a band's attenuation from a part of the mask, in dB, over 24 frequencies
/// between each two points on either side, all below half the rate.
template <std::size_t Count>
double room(const std::array<mask_point, Count>& mask, const octave_band& band,
            std::size_t fraction, double rate_hz) {
  const std::vector<sos_section> sections = octave_band_sections(band, rate_hz);
  double least = infinity;
  for (std::size_t i = 0; i + 1 < Count; ++i)
    for (int step = 0; step <= 24; ++step) {
      const double share = step / 24.0;
      const double low = std::log(point_of(mask[i].exponent, fraction));
      const double high = std::log(point_of(mask[i + 1].exponent, fraction));
      const double ratio = std::exp(low + share * (high - low));
      const double floor = mask[i].least + share * (mask[i + 1].least - mask[i].least);
      const double ceiling = mask[i].most == infinity
                                 ? infinity
                                 : mask[i].most + share * (mask[i + 1].most - mask[i].most);
      for (const double hz : {band.mid_hz * ratio, band.mid_hz / ratio}) {
        if (hz >= rate_hz / 2) continue;
        const double attenuation = -gain_db(sections, hz, rate_hz);
        least = std::min({least, attenuation - floor, ceiling - attenuation});
      }
    }
  return least;
}

template <class Error, class Call>
std::string message_of(const Call& call) {
  try {
    call();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

/// The noise of make_levels_reference.py.
std::vector<double> noise(std::size_t samples) {
  std::uint64_t state = 1;
  std::vector<double> x(samples);
  for (std::size_t n = 0; n < samples; ++n) {
    state = (1103515245 * state + 12345) % (std::uint64_t{1} << 31);
    const double loudness = 0.01 + 0.4 * static_cast<double>(n / 8000 % 2);
    x[n] = (static_cast<double>(state) / 1073741824.0 - 1) * loudness;
  }
  return x;
}

/// Samples of a sine of full scale, from `first` to `last` seconds of `seconds`.
std::vector<double> sine(double hz, double rate_hz, double seconds, double first = 0,
                         double last = infinity) {
  std::vector<double> x(static_cast<std::size_t>(seconds * rate_hz));
  for (std::size_t n = 0; n < x.size(); ++n) {
    const double t = static_cast<double>(n) / rate_hz;
    if (t >= first && t < last) x[n] = std::sin(2 * pi * hz * t);
  }
  return x;
}

sound_levels levels_of(const std::vector<double>& x, const sound_level_options& options) {
  level_meter<double> meter(options);
  meter.push(x);
  return meter.levels();
}

constexpr frequency_weighting a = frequency_weighting::a, c = frequency_weighting::c,
                              z = frequency_weighting::z;

std::vector<double> all_of(const sound_levels& l) {
  return {l.leq_db, l.max_db, l.min_db, l.exposure_db, l.peak_db, l.l10_db, l.l50_db, l.l90_db};
}

}  // namespace level_tests

using namespace level_tests;

// The table is rounded to 0.1 dB.
TEST(levels, weightings_are_those_of_the_standard) {
  for (std::size_t i = 0; i < weighting_table.size(); ++i) {
    const double hz = std::pow(10.0, 1 + static_cast<double>(i) / 10);
    EXPECT_NEAR(weighting_gain_db(a, hz), weighting_table[i].a, 0.051) << hz;
    EXPECT_NEAR(weighting_gain_db(c, hz), weighting_table[i].c, 0.051) << hz;
    EXPECT_EQ(weighting_gain_db(z, hz), 0);
  }
  EXPECT_EQ(weighting_gain_db(a, 0), -infinity);
  EXPECT_EQ(weighting_gain_db(a, 1000), 0);
  // C is at half the power of 1 kHz at both of these, by definition.
  EXPECT_NEAR(weighting_gain_db(c, std::pow(10.0, 1.5)), 10 * std::log10(0.5), 1e-11);
  EXPECT_NEAR(weighting_gain_db(c, std::pow(10.0, 3.9)), 10 * std::log10(0.5), 1e-11);
}

TEST(levels, weighting_filters_hold_class_1) {
  for (const double rate_hz :
       {8000.0, 16000.0, 22050.0, 32000.0, 44100.0, 48000.0, 96000.0, 192000.0, 384000.0})
    for (const frequency_weighting weighting : {a, c}) {
      const std::vector<sos_section> sections = weighting_sections(weighting, rate_hz);
      for (std::size_t i = 0; i < weighting_table.size(); ++i) {
        const double hz = std::pow(10.0, 1 + static_cast<double>(i) / 10);
        if (hz >= rate_hz / 2) break;
        const double apart = gain_db(sections, hz, rate_hz) - weighting_gain_db(weighting, hz);
        EXPECT_LT(apart, weighting_table[i].above) << rate_hz << ' ' << hz;
        EXPECT_GT(apart, -weighting_table[i].below) << rate_hz << ' ' << hz;
      }
    }
}

// The header's bounds: 0.3 dB to 0.45 of the rate, 1.2 dB to half of it.
TEST(levels, weighting_filters_are_near_the_analog_ones) {
  for (const double rate_hz :
       {1000.0, 2000.0, 8000.0, 22050.0, 32000.0, 44100.0, 48000.0, 96000.0, 192000.0, 1e6, 1e7})
    for (const frequency_weighting weighting : {a, c}) {
      const std::vector<sos_section> sections = weighting_sections(weighting, rate_hz);
      for (double hz = 1; hz < rate_hz / 2; hz *= 1.01)
        EXPECT_NEAR(gain_db(sections, hz, rate_hz), weighting_gain_db(weighting, hz),
                    hz <= 0.45 * rate_hz ? 0.3 : 1.2)
            << rate_hz << ' ' << hz;
    }
}

// References are of a linear system that is solved in another way, at 1e-4 of the rate in the place
// of 0: 1e-8 of the square.
TEST(levels, weighting_sections_equal_the_reference) {
  const std::vector<double> rows = test::reference("levels_weightings").values;
  std::vector<sos_section> made = weighting_sections(a, 48000);
  for (const sos_section& s : weighting_sections(c, 44100)) made.push_back(s);
  ASSERT_EQ(rows.size(), 6 * made.size());
  for (std::size_t i = 0; i < made.size(); ++i) {
    const sos_section& s = made[i];
    const std::array row{s.b0, s.b1, s.b2, 1.0, s.a1, s.a2};
    for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(row[k], rows[6 * i + k], 1e-7) << i << ' ' << k;
  }
}

TEST(levels, bands_are_those_of_the_standard) {
  const std::vector<octave_band> octave = octave_bands(1, 16, 16000);
  const std::vector<double> names{16, 31.5, 63, 125, 250, 500, 1000, 2000, 4000, 8000, 16000};
  ASSERT_EQ(octave.size(), names.size());
  for (std::size_t i = 0; i < names.size(); ++i) EXPECT_DOUBLE_EQ(octave[i].nominal_hz, names[i]);
  const std::vector<octave_band> third = octave_bands(3);
  ASSERT_EQ(third.size(), 31u);
  for (std::size_t i = 0; i < third.size(); ++i) {
    EXPECT_DOUBLE_EQ(third[i].nominal_hz, weighting_table[i + 3].nominal_hz);
    EXPECT_NEAR(third[i].mid_hz, std::pow(10.0, 1.3 + 0.1 * static_cast<double>(i)),
                1e-11 * third[i].mid_hz);
    EXPECT_NEAR(third[i].high_hz / third[i].low_hz, std::pow(10.0, 0.1), 1e-12);
    if (i == 0) continue;
    EXPECT_NEAR(third[i].low_hz, third[i - 1].high_hz, 1e-11 * third[i].low_hz);
  }
  // Halves and twelfths have 1 kHz at an edge; IEC 61260-1, annex E.
  const std::vector<octave_band> half = octave_bands(2, 900, 2500),
                                 twelfth = octave_bands(12, 950, 1100);
  ASSERT_EQ(half.size(), 3u);
  EXPECT_DOUBLE_EQ(half[0].nominal_hz, 1190);
  EXPECT_DOUBLE_EQ(half[1].nominal_hz, 1680);
  EXPECT_DOUBLE_EQ(half[2].nominal_hz, 2370);
  EXPECT_NEAR(half[0].low_hz, 1000, 1e-9);
  ASSERT_EQ(twelfth.size(), 3u);
  EXPECT_DOUBLE_EQ(twelfth[0].nominal_hz, 970);
  EXPECT_DOUBLE_EQ(twelfth[1].nominal_hz, 1030);
  EXPECT_DOUBLE_EQ(octave_bands(3, 0.1, 1)[0].nominal_hz, 0.1);
  EXPECT_EQ(octave_bands(3, 0.1, 1).size(), 11u);
  EXPECT_EQ(octave_bands(3, 20, 20000, 44100).back().nominal_hz, 16000);
  EXPECT_EQ(octave_bands(1, 20, 20000, 44100).back().nominal_hz, 8000);
  EXPECT_EQ(octave_bands(3, 20, 20000, 48000).back().nominal_hz, 20000);
  EXPECT_TRUE(octave_bands(3, 20, 20000, 30).empty());
}

// All bands from 1 Hz on whose upper edge is below half the rate, at all frequencies below that.
TEST(levels, bands_hold_class_1) {
  for (const std::size_t fraction : {1, 3})
    for (const double rate_hz :
         {8000.0, 16000.0, 22050.0, 32000.0, 44100.0, 48000.0, 96000.0, 192000.0})
      for (const octave_band& band : octave_bands(fraction, 1, 1e5, rate_hz)) {
        EXPECT_GT(room(pass_mask, band, fraction, rate_hz), 0) << rate_hz << ' ' << band.mid_hz;
        EXPECT_GT(room(stop_mask, band, fraction, rate_hz), 0) << rate_hz << ' ' << band.mid_hz;
      }
  for (const std::size_t fraction : {2, 6, 12, 24, 48})
    for (const octave_band& band : octave_bands(fraction, 500, 1e5, 44100)) {
      EXPECT_GT(room(pass_mask, band, fraction, 44100), 0) << fraction << ' ' << band.mid_hz;
      EXPECT_GT(room(stop_mask, band, fraction, 44100), 0) << fraction << ' ' << band.mid_hz;
    }
}

// Bands at 1e-6 of the rate have their shape: coefficients and states are doubles.
TEST(levels, low_bands_need_no_decimation) {
  for (const std::size_t fraction : {1, 3, 48}) {
    const octave_band band = octave_bands(fraction, 0.1, 0.2).back();
    const std::vector<sos_section> sections = octave_band_sections(band, 192000);
    EXPECT_NEAR(gain_db(sections, band.mid_hz, 192000), 0, 0.01) << fraction;
    EXPECT_NEAR(gain_db(sections, band.low_hz, 192000), 10 * std::log10(0.5), 0.01) << fraction;
    EXPECT_NEAR(gain_db(sections, band.high_hz, 192000), 10 * std::log10(0.5), 0.01) << fraction;
  }
  // A sine of 2 Hz at 192 kHz in its band, when that has settled: states do not drown it.
  const octave_band band = octave_bands(1, 2, 2)[0];
  const std::vector<double> x = sine(band.mid_hz, 192000, 8);
  octave_band_meter<double> meter({.rate_hz = 192000, .weighting = z, .time = time_weighting::slow},
                                  std::span(&band, 1));
  meter.push(x);
  // Squares swing at twice the frequency: by 1 / (4 pi f a) beside the mean, 0.17 dB.
  EXPECT_NEAR(meter.levels(0, 0).max_db, 0, 0.2);
}

// Pink noise has an equal power in bands of equal ratio: that of a band is the integral of |H|^2 /
// f over that of the ideal band, within 0.3 dB (effective bandwidth, class 1).
TEST(levels, pink_noise_has_equal_levels_in_bands) {
  for (const std::size_t fraction : {1, 3})
    for (const octave_band& band : octave_bands(fraction, 20, 16000, 48000)) {
      const std::vector<sos_section> sections = octave_band_sections(band, 48000);
      constexpr double step = 1.002;
      double sum = 0;
      for (double hz = band.low_hz / 20; hz < std::min(24000.0, 20 * band.high_hz); hz *= step)
        sum += std::norm(frequency_response(sections, hz, 48000)) * std::log(step);
      EXPECT_NEAR(10 * std::log10(sum / std::log(band.high_hz / band.low_hz)), 0, 0.3)
          << fraction << ' ' << band.mid_hz;
    }
}

// A sine of full scale is at full_scale_db by definition, its peak at 10 log10(2) more. Filters
// begin at rest: their first periods change the mean of 4 s by less than 0.01 dB.
TEST(levels, sines_have_analytic_levels) {
  for (const frequency_weighting weighting : {a, c, z})
    for (const double hz : {62.5, 1000.0, 6000.0}) {
      const sound_levels made = levels_of(
          sine(hz, 48000, 4), {.weighting = weighting, .peak_weighting = z, .full_scale_db = 94});
      const double gain = gain_db(weighting_sections(weighting, 48000), hz, 48000);
      EXPECT_NEAR(made.leq_db, 94 + gain, 0.01) << hz;
      EXPECT_NEAR(made.exposure_db, made.leq_db + 10 * std::log10(4), 1e-12) << hz;
      EXPECT_NEAR(made.peak_db, 94 + 10 * std::log10(2), 0.001) << hz;
      // Squares swing at twice the frequency by 1 / (4 pi f a) of the mean: 0.05 dB at 62.5 Hz.
      for (const double level : {made.max_db, made.min_db, made.l10_db, made.l50_db, made.l90_db})
        EXPECT_NEAR(level, 94 + gain, 0.1) << hz;
    }
  EXPECT_NEAR(gain_db(weighting_sections(a, 48000), 1000, 48000), 0, 0.01);
}

// Tone bursts of 4 kHz, IEC 61672-1, table 4: 10 log10(1 - exp(-duration / a)) beside the steady
// tone, and 10 log10(duration / 1 s) of the exposure.
TEST(levels, bursts_have_analytic_levels) {
  for (const auto& [time, constant] :
       {std::pair{time_weighting::fast, 0.125}, std::pair{time_weighting::slow, 1.0}})
    for (const double duration : {1.0, 0.5, 0.2, 0.05, 0.01}) {
      const sound_levels made =
          levels_of(sine(4000, 48000, 3, 0.5, 0.5 + duration), {.weighting = z, .time = time});
      EXPECT_NEAR(made.max_db, 10 * std::log10(1 - std::exp(-duration / constant)), 0.02)
          << duration;
      EXPECT_NEAR(made.exposure_db, 10 * std::log10(duration), 1e-9) << duration;
    }
  // Silence behind a tone falls by 10 log10(e) dB in a time constant: 34.7 dB in a second of F.
  level_meter<double> meter({.weighting = z});
  meter.push(sine(4000, 48000, 2, 0, 1));
  EXPECT_NEAR(meter.level_db(), -10 / 0.125 * std::log10(std::numbers::e), 0.02);
}

// Levels of scipy's recursions; percentiles are in classes of 0.1 dB, whose middles are 0.05 off
// and between whose neighbours scipy's quantiles lie.
TEST(levels, meters_equal_the_reference) {
  const std::vector<double> x = noise(9 * 8000 + 37);
  const test::npy_data expected = test::reference("levels_of_noise");
  for (std::size_t i = 0; i < 2; ++i) {
    const std::vector<double> row = test::row(expected, i);
    const sound_levels made = levels_of(
        x, {.rate_hz = 8000, .time = i == 0 ? time_weighting::fast : time_weighting::slow});
    // A mean of 7e4 squares, and recursions of 1e4: the references' weighting differs by 1e-8.
    EXPECT_NEAR(made.leq_db, row[0], 1e-6);
    EXPECT_NEAR(made.max_db, row[1], 1e-6);
    EXPECT_NEAR(made.min_db, row[2], 1e-6);
    EXPECT_NEAR(made.exposure_db, row[3], 1e-6);
    EXPECT_NEAR(made.l10_db, row[4], 0.1);
    EXPECT_NEAR(made.l50_db, row[5], 0.1);
    EXPECT_NEAR(made.l90_db, row[6], 0.1);
    EXPECT_NEAR(made.peak_db, row[7], 1e-6);
  }
  const test::npy_data of_bands = test::reference("levels_of_bands");
  const std::vector<octave_band> bands = octave_bands(3, 20, 2500);
  ASSERT_EQ(bands.size(), of_bands.extents[0]);
  octave_band_meter<double> meter({.rate_hz = 8000, .weighting = a}, bands);
  meter.push(x);
  for (std::size_t b = 0; b < bands.size(); ++b) {
    const std::vector<double> row = test::row(of_bands, b);
    const std::vector<sos_section> weighting = weighting_sections(a, 8000);
    EXPECT_NE(meter.levels(0, b).leq_db, row[0]);
  }
  octave_band_meter<double> flat({.rate_hz = 8000, .weighting = z}, bands);
  flat.push(x);
  for (std::size_t b = 0; b < bands.size(); ++b) {
    const std::vector<double> row = test::row(of_bands, b);
    const band_levels made = flat.levels(0, b);
    EXPECT_NEAR(made.leq_db, row[0], 1e-8) << bands[b].nominal_hz;
    EXPECT_NEAR(made.max_db, row[1], 1e-8) << bands[b].nominal_hz;
    EXPECT_NEAR(made.min_db, row[2], 1e-6) << bands[b].nominal_hz;
  }
}

// Blocks of any size, other channels, copies and reset() leave the bits as they are.
TEST(levels, streams_have_the_bits_of_the_whole) {
  const std::vector<double> x = noise(9001), other = sine(440, 8000, 2);
  std::vector<float> both(2 * x.size());
  for (std::size_t n = 0; n < x.size(); ++n) {
    both[2 * n] = static_cast<float>(x[n]);
    both[2 * n + 1] = n < other.size() ? static_cast<float>(other[n]) : 0;
  }
  const view<const float, 2> sound(both.data(), {x.size(), 2});
  const std::vector<octave_band> bands = octave_bands(3, 100, 2500);
  const sound_level_options options{.rate_hz = 8000};
  std::vector<float> first(x.size());
  for (std::size_t n = 0; n < x.size(); ++n) first[n] = both[2 * n];
  level_meter<float> alone(options), whole(options, 2);
  octave_band_meter<float> bands_alone(options, bands), bands_whole(options, bands, 2);
  alone.push(first);
  whole.push(sound);
  bands_alone.push(first);
  bands_whole.push(sound);
  EXPECT_EQ(all_of(alone.levels()), all_of(whole.levels(0)));
  level_meter<float> streamed(options, 2);
  octave_band_meter<float> bands_streamed(options, bands, 2);
  for (const std::size_t block : {1, 7, 80, 255, 257, 4000}) {
    for (std::size_t at = 0; at < x.size(); at += block) {
      const auto part = sound.slice(0, at, std::min(block, x.size() - at));
      streamed.push(part);
      bands_streamed.push(part);
      if (at == 5 * block) {
        streamed = level_meter<float>(streamed);
        bands_streamed = octave_band_meter<float>(bands_streamed);
      }
    }
    EXPECT_EQ(streamed.samples(), x.size());
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(all_of(streamed.levels(i)), all_of(whole.levels(i))) << block;
      for (std::size_t b = 0; b < bands.size(); ++b) {
        EXPECT_EQ(bands_streamed.levels(i, b).leq_db, bands_whole.levels(i, b).leq_db) << block;
        EXPECT_EQ(bands_streamed.levels(i, b).max_db, bands_whole.levels(i, b).max_db) << block;
        EXPECT_EQ(bands_streamed.levels(i, b).min_db, bands_whole.levels(i, b).min_db) << block;
        EXPECT_EQ(bands_alone.levels(0, b).leq_db, bands_whole.levels(0, b).leq_db);
      }
    }
    streamed.reset();
    bands_streamed.reset();
  }
}

TEST(levels, short_signals_silence_and_nan) {
  level_meter<double> meter({.rate_hz = 8000}, 2);
  octave_band_meter<double> bands({.rate_hz = 8000}, octave_bands(1, 100, 2000), 2);
  EXPECT_EQ(message_of<invalid_argument>([&] { meter.levels(); }),
            "level_meter::levels: samples must be at least 1, got 0");
  EXPECT_EQ(message_of<invalid_argument>([&] { bands.levels(0, 0); }),
            "octave_band_meter::levels: samples must be at least 1, got 0");
  meter.push(view<const double, 2>(nullptr, {0, 2}));
  EXPECT_EQ(meter.samples(), 0u);
  // One sample of 1 has the mean square 1: 3.01 dB above a sine.
  const std::vector<double> one{1};
  const sound_levels of_one = levels_of(one, {.rate_hz = 8000, .weighting = z});
  EXPECT_NEAR(of_one.leq_db, 10 * std::log10(2), 1e-12);
  EXPECT_NEAR(of_one.exposure_db, 10 * std::log10(2.0 / 8000), 1e-12);
  EXPECT_TRUE(std::isnan(of_one.min_db));
  EXPECT_TRUE(std::isnan(of_one.l10_db));
  // A second of silence, then NaN in one of two channels.
  array<double, 2> x({8000, 2});
  std::ranges::fill(x, 0.0);
  meter.push(x.view());
  bands.push(x.view());
  const sound_levels silent = meter.levels(0);
  for (const double level : {silent.leq_db, silent.max_db, silent.min_db, silent.exposure_db,
                             silent.peak_db, silent.l50_db})
    EXPECT_EQ(level, -infinity);
  EXPECT_EQ(bands.levels(1, 2).min_db, -infinity);
  x(17, 1u) = nan;
  meter.push(x.view());
  bands.push(x.view());
  EXPECT_EQ(meter.levels(0).leq_db, -infinity);
  for (const double level : all_of(meter.levels(1))) EXPECT_TRUE(std::isnan(level));
  EXPECT_TRUE(std::isnan(meter.level_db(1)));
  EXPECT_TRUE(std::isnan(bands.levels(1, 2).max_db));
  EXPECT_EQ(bands.levels(0, 2).leq_db, -infinity);
  // Silence behind sound comes to be nothing, and not numbers near the least double.
  level_meter<double> falling({.rate_hz = 8000});
  falling.push(noise(8000));
  for (int second = 0; second < 120; ++second) falling.push(std::vector<double>(8000));
  EXPECT_EQ(falling.level_db(), -infinity);
}

TEST(levels, errors_name_argument_bound_and_value) {
  const auto bad = [](const auto& call) { return message_of<invalid_argument>(call); };
  EXPECT_EQ(bad([] { weighting_gain_db(a, -1); }),
            "weighting_gain_db: hz must be finite and at least 0, got -1");
  EXPECT_EQ(bad([] { weighting_sections(a, 999); }),
            "weighting_sections: rate_hz must be 1000 ... 1e7, got 999");
  EXPECT_EQ(bad([] { weighting_sections(c, nan); }),
            "weighting_sections: rate_hz must be 1000 ... 1e7, got nan");
  EXPECT_EQ(bad([] { octave_bands(0); }), "octave_bands: fraction must be 1 ... 48, got 0");
  EXPECT_EQ(bad([] { octave_bands(3, 0, 100); }), "octave_bands: low_hz must be above 0, got 0");
  EXPECT_EQ(bad([] { octave_bands(3, 200, 100); }),
            "octave_bands: high_hz must be at least low_hz and at most 1e9, got 100");
  EXPECT_EQ(bad([] { octave_bands(3, 20, 100, 0); }),
            "octave_bands: rate_hz must be above 0, got 0");
  const octave_band highest = octave_bands(3).back();
  EXPECT_EQ(bad([&] { octave_band_sections(highest, 44100); }),
            "octave_band_sections: high_hz must be below half the rate, 22050 Hz, got 22387.2");
  EXPECT_EQ(bad([] { octave_band_sections({}, 44100); }),
            "octave_band_sections: low_hz must be above 0, got 0");
  EXPECT_EQ(bad([] { level_meter<float> meter({.rate_hz = 10}); }),
            "level_meter: rate_hz must be 1000 ... 1e7, got 10");
  EXPECT_EQ(bad([] { level_meter<float> meter({.full_scale_db = nan}); }),
            "level_meter: full_scale_db must be finite, got nan");
  EXPECT_EQ(bad([] { level_meter<float> meter({}, 0); }),
            "level_meter: channels must be at least 1, got 0");
  EXPECT_EQ(bad([] { octave_band_meter<float> meter({}, {}); }),
            "octave_band_meter: bands must be at least 1, got 0");
  level_meter<float> meter({}, 2);
  const std::vector<float> x(10);
  EXPECT_EQ(message_of<shape_error>([&] { meter.push(x); }),
            "level_meter::push: block must be samples x 2, got 10 x 1");
  meter.push(view<const float, 2>(x.data(), {5, 2}));
  EXPECT_EQ(bad([&] { meter.levels(2); }), "level_meter::levels: channel must be below 2, got 2");
}

}  // namespace
}  // namespace papilio
