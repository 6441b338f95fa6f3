#include <gtest/gtest.h>

#include <cmath>

#include "papilio/signal.hpp"
#include "reference_data.hpp"

namespace papilio {
namespace {

// The cases of make_bands_reference.py.
const pcen_options pcen_cases[] = {{},
                                   {.gain = 0.8, .bias = 0, .power = 0.3},
                                   {.power = 0, .time_constant_seconds = 0.06},
                                   {.bias = 10, .power = 0.25, .largest_of = 4},
                                   {.floor = 1e-3, .smoothing = 0.1, .largest_of = 3}};

array<double, 2> pcen_bands() {
  const auto data = test::reference("pcen_bands");
  array<double, 2> bands({data.extents[0], data.extents[1]});
  std::ranges::copy(data.values, bands.data());
  return bands;
}

// A value's relative error is a few epsilons, and that of the level to the power of the gain.
TEST(pcen, equals_librosa) {
  const auto bands = pcen_bands();
  const auto expected = test::reference("pcen");
  std::size_t at = 0;
  for (const pcen_options& options : pcen_cases) {
    const auto normalized = pcen_plan<double>(22050, 512, options).execute(bands);
    for (const double got : normalized.flat()) {
      const double value = expected.values[at++];
      EXPECT_NEAR(got, value, 1e-12 * std::abs(value)) << at;
    }
  }
  EXPECT_EQ(at, expected.values.size());
}

TEST(pcen, streams_and_threads_change_no_bit) {
  const auto bands = pcen_bands();
  for (const pcen_options& options : pcen_cases) {
    const pcen_plan<double> plan(22050, 512, options);
    const auto whole = plan.execute(bands), threaded = plan.execute(bands, 3);
    for (std::size_t i = 0; i < whole.size(); ++i) EXPECT_EQ(threaded.flat()[i], whole.flat()[i]);
    for (const std::size_t block : {1, 3, 13}) {
      pcen_stream<double> stream(plan, bands.extent(1));
      for (int round = 0; round < 2; ++round, stream.reset()) {
        array<double, 2> out(bands.extents());
        for (std::size_t first = 0; first < bands.extent(0); first += block) {
          const std::size_t count = std::min(block, bands.extent(0) - first);
          stream.push(bands.view().slice(0, first, count), out.view().slice(0, first, count));
        }
        for (std::size_t i = 0; i < whole.size(); ++i) ASSERT_EQ(out.flat()[i], whole.flat()[i]);
      }
    }
  }
}

// After a long time at a constant E, M is E: with a gain of 1 every level is (1 + bias)^power less
// its bias, but for the floor.
TEST(pcen, removes_a_constant_level) {
  array<double, 2> bands({4000, 3});
  for (std::size_t t = 0; t < 4000; ++t)
    for (std::size_t b = 0; b < 3; ++b) bands(t, b) = std::pow(1000.0, static_cast<double>(b));
  const auto out = pcen_plan<double>(22050, 512, {.gain = 1}).execute(bands);
  for (std::size_t b = 0; b < 3; ++b)
    EXPECT_NEAR(out(3999, b), std::sqrt(3.0) - std::sqrt(2.0), 1e-6);  // the floor's share
}

TEST(pcen, of_silence_is_zero_and_nan_stays_in_its_band) {
  array<float, 2> bands({6, 2});
  bands(2, 0) = NAN;
  const auto out = pcen_plan<float>(8000, 80).execute(bands);
  for (std::size_t t = 0; t < 6; ++t) {
    EXPECT_EQ(std::isnan(out(t, 0)), t >= 2);
    EXPECT_EQ(out(t, 1), 0);
  }
  EXPECT_EQ(pcen_plan<float>(8000, 80).execute(array<float, 2>({0, 2})).extent(0), 0u);
}

TEST(pcen, smoothing_is_that_of_the_time_constant) {
  const double t = 0.4 * 22050 / 512;
  const double expected = (std::sqrt(1 + 4 * t * t) - 1) / (2 * t * t);
  EXPECT_NEAR(pcen_plan<float>(22050, 512).smoothing(), expected, 1e-14);
  EXPECT_EQ(pcen_plan<float>(22050, 512, {.smoothing = 0.25}).smoothing(), 0.25);
}

TEST(pcen, refuses) {
  using plan = pcen_plan<float>;
  EXPECT_THROW(plan(0, 512), invalid_argument);
  EXPECT_THROW(plan(INFINITY, 512), invalid_argument);
  EXPECT_THROW(plan(22050, 0), invalid_argument);
  EXPECT_THROW(plan(22050, 512, {.gain = -1}), invalid_argument);
  EXPECT_THROW(plan(22050, 512, {.gain = NAN}), invalid_argument);
  EXPECT_THROW(plan(22050, 512, {.bias = -1}), invalid_argument);
  EXPECT_THROW(plan(22050, 512, {.power = INFINITY}), invalid_argument);
  EXPECT_THROW(plan(22050, 512, {.time_constant_seconds = 0}), invalid_argument);
  EXPECT_THROW(plan(22050, 512, {.floor = 0}), invalid_argument);
  EXPECT_THROW(plan(22050, 512, {.smoothing = 0}), invalid_argument);
  EXPECT_THROW(plan(22050, 512, {.smoothing = 1.5}), invalid_argument);
  EXPECT_THROW(plan(22050, 512, {.largest_of = 0}), invalid_argument);
  const plan good(22050, 512);
  EXPECT_THROW(pcen_stream<float>(good, 0), invalid_argument);
  array<float, 2> bands({3, 4}), out({3, 5});
  EXPECT_THROW(good.execute(bands, out), shape_error);
  EXPECT_THROW(good.execute(bands, bands), invalid_argument);
  std::vector<double> levels(3);
  array<float, 2> same({3, 4});
  EXPECT_THROW(good.execute(bands, same, levels), shape_error);
}

}  // namespace
}  // namespace papilio
