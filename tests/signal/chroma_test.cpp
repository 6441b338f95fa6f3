#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "papilio/signal.hpp"
#include "reference_data.hpp"

namespace papilio {
namespace {
namespace chroma_tests {

array<double, 2> matrix(const std::string& name) {
  const test::npy_data data = test::reference(name);
  array<double, 2> values({data.extents.at(0), data.extents.at(1)});
  std::ranges::copy(data.values, values.data());
  return values;
}

void expect_near(view<const double, 2> values, const std::string& name, double tolerance) {
  const array<double, 2> expected = matrix(name);
  ASSERT_EQ(values.extents(), expected.extents()) << name;
  for (std::size_t i = 0; i < expected.extent(0); ++i)
    for (std::size_t j = 0; j < expected.extent(1); ++j)
      EXPECT_NEAR(values(i, j), expected(i, j), tolerance) << name << ' ' << i << ' ' << j;
}

array<double, 2> powers() {
  const auto x = test::reference_signal<double>();
  const stft_plan<double> plan({.n_fft = 1024, .hop = 256});
  array<double, 2> power({static_cast<std::size_t>(plan.segments(x.size())), plan.bins()});
  plan.execute_power(x, power);
  return power;
}

}  // namespace chroma_tests

using namespace chroma_tests;

// The weights are a few operations in double; logarithms of frequencies differ by an ulp.
TEST(chroma, weights_equal_librosa) {
  expect_near(chroma_filterbank<double>(22050, 512).weights(), "chroma_filters", 1e-12);
  expect_near(
      chroma_filterbank<double>(
          16000, 400, {.classes = 24, .tuning = 0.3, .centre_octave = 4, .octave_width = {}})
          .weights(),
      "chroma_filters_tuned", 1e-12);
  expect_near(chroma_filterbank<double>(22050, 255, {.classes = 7}).weights(), "chroma_filters_odd",
              1e-12);
  expect_near(chroma_filterbank<double>({.fmin_hz = 82.4, .bins = 100, .bins_per_octave = 36}, 12)
                  .weights(),
              "chroma_filters_constant_q", 0);
}

TEST(chroma, of_segments_and_tuning_equal_librosa) {
  const auto power = powers();
  auto magnitude = power;
  for (double& v : magnitude) v = std::sqrt(v);
  const auto expected = test::reference("chroma_tuning").values;
  const double tuning = estimate_tuning<double>(power, 22050, 1024);
  EXPECT_NEAR(tuning, expected[0], 1e-12);
  EXPECT_NEAR(estimate_tuning<double>(magnitude, 22050, 1024, 36), expected[1], 1e-12);
  const chroma_filterbank<double> bank(22050, 1024, {.tuning = tuning});
  expect_near(bank.apply(power), "chroma_stft", 1e-6);  // its weights are floats
}

// The values differ as the transforms do, by up to 0.03 of the largest; a class is a sum of several.
TEST(chroma, of_constant_q_is_near_librosa) {
  const constant_q_options o{.bins = 252, .bins_per_octave = 36};
  const constant_q_plan<double> plan(o);
  const auto x = test::reference_signal<double>();
  array<double, 2> magnitude({static_cast<std::size_t>(plan.segments(x.size())), plan.bins()});
  plan.execute_magnitude(x, magnitude.view());
  const chroma_filterbank<double> bank(o);
  expect_near(bank.apply(magnitude), "chroma_constant_q", 0.05);
}

TEST(chroma, cens_and_centroids_equal_librosa) {
  const auto many = matrix("chroma_many");
  expect_near(chroma_cens<double>(many), "chroma_cens", 1e-12);
  expect_near(chroma_cens<double>(many, {.smoothing = 10, .norm = chroma_norm::peak}),
              "chroma_cens_even", 1e-12);
  expect_near(tonnetz<double>(many), "tonnetz", 1e-12);
}

TEST(chroma, cens_without_smoothing_is_in_quarters) {
  const auto cens =
      chroma_cens<double>(matrix("chroma_many"), {.smoothing = 0, .norm = chroma_norm::none});
  for (const double v : cens) EXPECT_EQ(std::round(4 * v), 4 * v);
}

TEST(chroma, notes_fall_into_their_classes) {
  // A4, C5, E5 in octaves of a constant Q: classes 9, 0 and 4.
  const constant_q_options o{.bins = 84};
  const constant_q_plan<float> plan(o);
  const chroma_filterbank<float> bank(o), by_power(22050, 4096);
  const stft_plan<float> stft({.n_fft = 4096});
  for (const auto& [hz, expected] : {std::pair{440.0, 9}, {523.2511, 0}, {659.2551, 4}}) {
    std::vector<float> x(22050);
    for (std::size_t i = 0; i < x.size(); ++i)
      x[i] =
          static_cast<float>(std::sin(2 * std::numbers::pi * hz * static_cast<double>(i) / 22050));
    array<float, 2> magnitude({static_cast<std::size_t>(plan.segments(x.size())), plan.bins()}),
        power({static_cast<std::size_t>(stft.segments(x.size())), stft.bins()});
    plan.execute_magnitude(x, magnitude.view());
    stft.execute_power(x, power);
    for (const auto& chroma : {bank.apply(magnitude), by_power.apply(power)}) {
      const auto middle = chroma.view()[chroma.extent(0) / 2];
      std::size_t most = 0;
      for (std::size_t c = 0; c < 12; ++c)
        if (middle[c] > middle[most]) most = c;
      EXPECT_EQ(most, static_cast<std::size_t>(expected)) << hz;
      EXPECT_EQ(middle[most], 1);
    }
  }
}

TEST(chroma, silence_is_zero) {
  const chroma_filterbank<float> bank(22050, 512);
  const array<float, 2> silence({4, 257});
  const auto chroma = bank.apply(silence);
  for (const float v : chroma) EXPECT_EQ(v, 0);
  for (const float v : chroma_cens<float>(chroma)) EXPECT_EQ(v, 0);
  for (const float v : tonnetz<float>(chroma)) EXPECT_EQ(v, 0);
  EXPECT_EQ(estimate_tuning<float>(silence, 22050, 512), 0);
  EXPECT_EQ(bank.apply(array<float, 2>({0, 257})).extent(0), 0u);
}

TEST(chroma, threads_change_no_bit) {
  const auto power = powers();
  const chroma_filterbank<double> bank(22050, 1024);
  const auto expected = bank.apply(power), threaded = bank.apply(power, chroma_norm::peak, 3);
  EXPECT_TRUE(std::ranges::equal(expected, threaded));
}

template <class Exception, class Call>
void expect_refused(const Call& call, const std::string& part) {
  try {
    call();
    ADD_FAILURE() << "nothing thrown for " << part;
  } catch (const Exception& e) {
    EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
  }
}

TEST(chroma, refuses_by_name) {
  const auto bank = [](double rate, std::size_t n_fft, const chroma_options& o, const char* part) {
    expect_refused<invalid_argument>([&] { chroma_filterbank<float> b(rate, n_fft, o); }, part);
  };
  bank(0, 512, {}, "rate_hz must be positive and finite, got 0");
  bank(22050, 1, {}, "n_fft must be 2 ... 16777216, got 1");
  bank(22050, 512, {.classes = 0}, "classes must be 1 ... 1024, got 0");
  bank(22050, 512, {.octave_width = 0.0}, "octave_width must be positive and finite, got 0");
  bank(22050, 512, {.tuning = std::numeric_limits<double>::infinity()}, "tuning must be finite");
  expect_refused<invalid_argument>(
      [] { chroma_filterbank<float> b(constant_q_options{.bins_per_octave = 10}); },
      "classes must be 1 ... 1024 and divide bins_per_octave, got 12");
  array<float, 2> values({2, 257});
  expect_refused<shape_error>([&] { chroma_filterbank<float>(22050, 1024).apply(values); },
                              "513 bins, got 2 x 257");
  expect_refused<shape_error>([&] { estimate_tuning<float>(values, 22050, 1024); }, "513 bins");
  values(1, 7) = std::numeric_limits<float>::quiet_NaN();
  expect_refused<invalid_argument>([&] { estimate_tuning<float>(values, 22050, 512); },
                                   "got nan at segment 1, bin 7");
  expect_refused<shape_error>([] { tonnetz<float>(array<float, 2>({3, 0})); }, "at least 1 class");
}

}  // namespace
}  // namespace papilio
