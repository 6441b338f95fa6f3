#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "papilio/signal.hpp"
#include "reference_data.hpp"
#include "support/oracle.hpp"

namespace papilio {
namespace {

array<double, 2> contrast_magnitudes(const stft_options& options) {
  const auto signal = test::reference_signal<double>();
  const stft_plan<double> plan(options);
  array<double, 2> values({static_cast<std::size_t>(plan.segments(signal.size())), plan.bins()});
  plan.execute_magnitude(signal, values);
  return values;
}

// Levels of means of magnitudes; those of a transform's rounding lie below the floor.
void expect_contrast(const char* name, const array<double, 2>& got, double tolerance) {
  const auto expected = test::reference(name);
  ASSERT_EQ(expected.extents, (std::vector{got.extent(0), got.extent(1)}));
  for (std::size_t i = 0; i < got.size(); ++i)
    EXPECT_NEAR(got.flat()[i], expected.values[i], tolerance) << name << ' ' << i;
}

TEST(spectral_contrast, equals_librosa) {
  const auto s = contrast_magnitudes({});
  expect_contrast("contrast", contrast_plan<double>(22050, 2048).execute(s), 1e-10);
  const contrast_options linear{.octaves = 4, .fmin_hz = 150, .quantile = 0.1, .is_linear = true};
  expect_contrast("contrast_linear", contrast_plan<double>(22050, 2048, linear).execute(s), 1e-11);
  const auto odd = contrast_magnitudes({.n_fft = 1023, .hop = 512});
  expect_contrast("contrast_odd",
                  contrast_plan<double>(22050, 1023, {.octaves = 3, .fmin_hz = 400}).execute(odd),
                  1e-10);
}

// Bins of 100 Hz: band 0 has 0 ... 200 without its last, band 1 those from 200 less one to 400, the
// last from 400 less one to the end.
TEST(spectral_contrast, of_known_bands) {
  const contrast_plan<double> plan(2000, 20, {.octaves = 2, .quantile = 0.3, .is_linear = true});
  array<double, 2> s({1, 11});
  for (std::size_t k = 0; k < 11; ++k) s(0, k) = static_cast<double>(k * k);
  const auto got = plan.execute(s);
  ASSERT_EQ(got.extent(1), 3u);
  EXPECT_EQ(got(0, 0), 1 - 0);                  // 0, 1
  EXPECT_EQ(got(0, 1), 9 - 1);                  // 1, 4, 9
  EXPECT_EQ(got(0, 2), 90.5 - (9 + 16) / 2.0);  // 9 ... 100: 0.3 of 8 are 2
}

TEST(spectral_contrast, threads_and_strides_change_no_bit) {
  const auto s = contrast_magnitudes({.n_fft = 1024, .hop = 200});
  const contrast_plan<double> plan(22050, 1024);
  const auto expected = plan.execute(s), threaded = plan.execute(s, 3);
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_EQ(threaded.flat()[i], expected.flat()[i]);
  const std::size_t segments = s.extent(0), bins = s.extent(1);
  array<double, 2> transposed({bins, segments});
  for (std::size_t t = 0; t < segments; ++t)
    for (std::size_t k = 0; k < bins; ++k) transposed(k, t) = s(t, k);
  const auto strided = plan.execute(view<const double, 2>(
      transposed.data(), {segments, bins}, {1, static_cast<std::ptrdiff_t>(segments)}));
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_EQ(strided.flat()[i], expected.flat()[i]);
}

TEST(spectral_contrast, of_silence_is_zero_and_nan_stays_in_its_band) {
  array<float, 2> s({2, 1025});
  s(1, 1) = NAN;
  const auto got = contrast_plan<float>(22050, 2048).execute(s);
  for (std::size_t b = 0; b < 7; ++b) EXPECT_EQ(got(0, b), 0);
  EXPECT_TRUE(std::isnan(got(1, 0)));
  EXPECT_EQ(got(1, 6), 0);
}

TEST(spectral_contrast, refuses) {
  using plan = contrast_plan<float>;
  EXPECT_THROW(plan(0, 2048), invalid_argument);
  EXPECT_THROW(plan(NAN, 2048), invalid_argument);
  EXPECT_THROW(plan(22050, 0), invalid_argument);
  EXPECT_THROW(plan(22050, 2048, {.octaves = 0}), invalid_argument);
  EXPECT_THROW(plan(22050, 2048, {.octaves = 33}), invalid_argument);
  EXPECT_THROW(plan(22050, 2048, {.fmin_hz = 0}), invalid_argument);
  EXPECT_THROW(plan(22050, 2048, {.quantile = 0}), invalid_argument);
  EXPECT_THROW(plan(22050, 2048, {.quantile = 1}), invalid_argument);
  EXPECT_THROW(plan(12800, 2048), invalid_argument);  // 200 Hz * 2^5 is half the rate
  EXPECT_NO_THROW(plan(12801, 2048));
  try {
    plan(44100, 128);
    ADD_FAILURE();
  } catch (const invalid_argument& e) {
    EXPECT_STREQ(e.what(),
                 "contrast_plan: n_fft must be so large that every band has a bin, got 128, with "
                 "which band 0 of 0 to 200 Hz has none");
  }
  const plan good(22050, 2048);
  array<float, 2> s({3, 1024}), out({3, 7});
  EXPECT_THROW(good.execute(s, out), shape_error);
  array<float, 2> right({3, 1025}), wrong({3, 6});
  EXPECT_THROW(good.execute(right, wrong), shape_error);
  EXPECT_THROW(good.execute(right, view<float, 2>(right.data(), {3, 7})), invalid_argument);
}

}  // namespace
}  // namespace papilio
