#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "papilio/signal.hpp"
#include "reference_data.hpp"

namespace papilio {
namespace {

constexpr double bin_hz = 22050.0 / 2048;

template <class T>
array<T, 2> magnitudes() {
  const auto signal = test::reference_signal<T>();
  const stft_plan<T> plan;
  array<T, 2> values({static_cast<std::size_t>(plan.segments(signal.size())), plan.bins()});
  plan.execute_power(signal, values);
  for (T& v : values.flat()) v = std::sqrt(v);
  return values;
}

template <class T>
void expect_row(const array<T, 1>& got, std::size_t row, double tolerance) {
  const auto expected = test::row(test::reference("features_segments"), row);
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t s = 0; s < got.size(); ++s)
    EXPECT_NEAR(got[s], expected[s], tolerance * std::abs(expected[s])) << row << ' ' << s;
}

// Sums of 1025 positive terms: an epsilon each at most. Flatness takes the logarithm of powers that
// are themselves small differences of the transform's.
template <class T>
void expect_librosa(double tolerance, double flatness_tolerance) {
  const auto s = magnitudes<T>();
  const auto signal = test::reference_signal<T>();
  expect_row(spectral_centroid<T>(s, bin_hz), 0, tolerance);
  expect_row(spectral_bandwidth<T>(s, bin_hz), 1, tolerance);
  expect_row(spectral_bandwidth<T>(s, bin_hz, 3), 2, tolerance);
  expect_row(spectral_rolloff<T>(s, bin_hz), 3, tolerance);
  expect_row(spectral_rolloff<T>(s, bin_hz, 0.1), 4, tolerance);
  expect_row(spectral_flatness<T>(s), 5, flatness_tolerance);
  expect_row(spectral_rms<T>(s, 2048), 6, tolerance);
  expect_row(segment_rms<T>(signal), 7, tolerance);
  expect_row(segment_zero_crossing_rate<T>(signal), 8, tolerance);
}

TEST(spectral_features, equal_librosa) { expect_librosa<double>(1e-12, 1e-11); }
TEST(spectral_features, equal_librosa_in_float) { expect_librosa<float>(2e-5, 1e-4); }

TEST(spectral_features, uncentred_segments_equal_librosa) {
  const auto expected = test::reference("features_uncentred");
  const auto signal = test::reference_signal<double>();
  const segment_options options{.length = 1001, .hop = 700, .centre = false};
  const auto level = segment_rms<double>(signal, options),
             crossings = segment_zero_crossing_rate<double>(signal, options);
  ASSERT_EQ(level.size(), expected.extents[1]);
  for (std::size_t s = 0; s < level.size(); ++s) {
    EXPECT_NEAR(level[s], test::row(expected, 0)[s], 1e-14);
    EXPECT_NEAR(crossings[s], test::row(expected, 1)[s], 1e-14);
  }
}

TEST(spectral_features, of_known_spectra) {
  array<double, 2> s({4, 9});
  s(0, 3) = 2;                                        // a line
  for (std::size_t k = 0; k < 9; ++k) s(1, k) = 0.5;  // flat; row 2 is silent
  s(3, 2) = s(3, 6) = 1;                              // two lines
  const auto centroid = spectral_centroid<double>(s, 10), width = spectral_bandwidth<double>(s, 10),
             rolloff = spectral_rolloff<double>(s, 10), flat = spectral_flatness<double>(s);
  EXPECT_EQ(centroid[0], 30);
  EXPECT_EQ(width[0], 0);
  EXPECT_EQ(rolloff[0], 30);
  EXPECT_LT(flat[0], 1e-8);
  EXPECT_EQ(centroid[1], 40);
  EXPECT_NEAR(width[1], 10 * std::sqrt(60.0 / 9), 1e-12);
  EXPECT_EQ(rolloff[1], 70);  // 8 of 9 bins reach 85 %
  EXPECT_NEAR(flat[1], 1, 1e-15);
  EXPECT_EQ(centroid[2], 0);
  EXPECT_EQ(width[2], 0);
  EXPECT_EQ(rolloff[2], 0);
  EXPECT_NEAR(flat[2], 1, 1e-13);
  EXPECT_EQ(centroid[3], 40);
  EXPECT_EQ(width[3], 20);
  EXPECT_EQ(rolloff[3], 60);
}

TEST(spectral_features, what_is_no_number_stays_none) {
  array<float, 2> s({2, 5});
  for (float& v : s.flat()) v = 1;
  s(0, 2) = NAN;
  for (const auto& feature :
       {spectral_centroid<float>(s, 1), spectral_bandwidth<float>(s, 1),
        spectral_rolloff<float>(s, 1), spectral_flatness<float>(s), spectral_rms<float>(s, 8)}) {
    EXPECT_TRUE(std::isnan(feature[0]));
    EXPECT_FALSE(std::isnan(feature[1]));
  }
}

// Parseval: with a rectangular window both are the same sum.
TEST(spectral_features, rms_from_the_spectrum) {
  const auto signal = test::reference_signal<double>();
  for (const std::size_t n : {512, 401}) {
    const stft_plan<double> plan(
        {.n_fft = n, .hop = n, .window = window_kind::rectangular, .centre = false});
    array<double, 2> s({static_cast<std::size_t>(plan.segments(signal.size())), plan.bins()});
    plan.execute_power(signal, s);
    for (double& v : s.flat()) v = std::sqrt(v);
    const auto from_spectrum = spectral_rms<double>(s, n),
               from_samples = segment_rms<double>(signal, {.length = n, .hop = n, .centre = false});
    ASSERT_EQ(from_spectrum.size(), from_samples.size());
    for (std::size_t i = 0; i < from_samples.size(); ++i)
      EXPECT_NEAR(from_spectrum[i], from_samples[i], 1e-15);
  }
}

TEST(spectral_features, samples) {
  const std::vector<double> x{1, -1, 0, -0.0, -2, -1e-11, 3, 3};
  // Signs + - + + - + + +: four changes.
  EXPECT_EQ(zero_crossing_rate<double>(x), 4.0 / 8);
  EXPECT_EQ(zero_crossing_rate<double>(x, 5), 0);
  EXPECT_EQ(zero_crossing_rate<double>({}), 0);
  EXPECT_EQ(rms<double>({}), 0);
  EXPECT_EQ(rms<double>(std::vector<double>{3, 4, 0, 0}), 2.5);
}

TEST(spectral_features, counts_of_segments) {
  EXPECT_EQ(segment_count(44100, {}), 87u);
  EXPECT_EQ(segment_count(0, {}), 0u);
  EXPECT_EQ(segment_count(1, {}), 1u);
  EXPECT_EQ(segment_count(1, {.length = 3, .hop = 1}), 1u);
  EXPECT_EQ(segment_count(2047, {.centre = false}), 0u);
  EXPECT_EQ(segment_count(2048, {.centre = false}), 1u);
  EXPECT_EQ(segment_rms<float>(std::vector<float>{}).size(), 0u);
  EXPECT_THROW(segment_count(5, {.length = 0}), invalid_argument);
  EXPECT_THROW(segment_count(5, {.hop = 0}), invalid_argument);
}

TEST(spectral_features, refuse) {
  array<float, 2> s({2, 5});
  const view<const float, 2> none(s.data(), {2, 0});
  EXPECT_THROW(spectral_centroid<float>(none, 1), invalid_argument);
  EXPECT_THROW(spectral_centroid<float>(s, 0), invalid_argument);
  EXPECT_THROW(spectral_bandwidth<float>(s, NAN), invalid_argument);
  EXPECT_THROW(spectral_bandwidth<float>(s, 1, 0), invalid_argument);
  EXPECT_THROW(spectral_rolloff<float>(s, 1, 1), invalid_argument);
  EXPECT_THROW(spectral_rolloff<float>(s, 1, 0), invalid_argument);
  EXPECT_THROW(spectral_flatness<float>(s, 0), invalid_argument);
  EXPECT_THROW(spectral_rms<float>(s, 10), shape_error);
  EXPECT_EQ(spectral_rms<float>(s, 9).size(), 2u);
  EXPECT_THROW(zero_crossing_rate<float>({}, -1), invalid_argument);
  EXPECT_THROW(segment_zero_crossing_rate<float>(s.flat(), {}, NAN), invalid_argument);
  EXPECT_THROW(segment_zero_crossing_rate<float>({}, {}, NAN), invalid_argument);
}

}  // namespace
}  // namespace papilio
