#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "papilio/signal.hpp"
#include "reference_data.hpp"

namespace papilio {
namespace {

void expect_levels(const std::string& file, const decibel_options& options) {
  const auto values = test::reference("decibel_values").values;
  const auto expected = test::reference(file).values;
  std::vector<double> levels(values.size());
  to_decibel<double>(values, levels, options);
  std::vector<float> narrow(values.begin(), values.end());
  to_decibel<float>(narrow, narrow, options);
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_NEAR(levels[i], expected[i], 1e-12);
    // Relative error of a value, 4.3 dB times; and of a level of about 100 dB.
    EXPECT_NEAR(narrow[i], expected[i], 2e-5);
  }
}

TEST(to_decibel, power_equals_librosa) { expect_levels("decibel_power", {}); }

TEST(to_decibel, relative_to_the_largest_equals_librosa) {
  expect_levels("decibel_power_to_largest", {.reference = std::nullopt, .top_db = 30});
}

TEST(to_decibel, amplitude_equals_librosa) {
  expect_levels(
      "decibel_amplitude",
      {.quantity = decibel_of::amplitude, .reference = 0.5, .floor = 1e-2, .top_db = std::nullopt});
}

TEST(to_decibel, silence_negatives_and_what_is_no_number) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> x{0, -1, 1e-20, 1, nan}, y(5);
  to_decibel<double>(x, y, {.top_db = std::nullopt});
  for (const std::size_t i : {0, 1, 2}) EXPECT_EQ(y[i], -100);
  EXPECT_EQ(y[3], 0);
  EXPECT_TRUE(std::isnan(y[4]));
  to_decibel<double>(x, y);
  for (const std::size_t i : {0, 1, 2}) EXPECT_EQ(y[i], -80);
  EXPECT_TRUE(std::isnan(y[4]));
  to_decibel<double>(x, y, {.quantity = decibel_of::amplitude, .top_db = std::nullopt});
  EXPECT_EQ(y[0], -100);
  EXPECT_EQ(y[1], 0);
  const std::vector<double> zeros(3);
  std::vector<double> levels(3);
  to_decibel<double>(zeros, levels, {.reference = std::nullopt});
  for (const double level : levels) EXPECT_EQ(level, 0);
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> loud{infinity, 10, 1e-9};
  to_decibel<double>(loud, levels, {.reference = std::nullopt, .top_db = 60});
  EXPECT_EQ(levels, (std::vector<double>{infinity, 0, -60}));
  to_decibel<double>({}, {});
}

TEST(to_decibel, refuses) {
  std::vector<float> x(3), y(3);
  EXPECT_THROW(to_decibel<float>(x, std::span(y).first(2)), shape_error);
  EXPECT_THROW(to_decibel<float>(x, y, {.reference = 0.0}), invalid_argument);
  EXPECT_THROW(to_decibel<float>(x, y, {.reference = NAN}), invalid_argument);
  EXPECT_THROW(to_decibel<float>(x, y, {.floor = 0.0}), invalid_argument);
  EXPECT_THROW(to_decibel<float>(x, y, {.floor = INFINITY}), invalid_argument);
  // No floor to a float: silence would be -infinity dB.
  EXPECT_THROW(to_decibel<float>(x, y, {.floor = 1e-60}), invalid_argument);
  EXPECT_THROW(to_decibel<float>(x, y, {.floor = 1e60}), invalid_argument);
  std::vector<double> z(1);
  to_decibel<double>(z, z, {.floor = 1e-60});
  EXPECT_NEAR(z[0], -600, 1e-9);
  EXPECT_THROW(to_decibel<float>(x, y, {.top_db = -1.0}), invalid_argument);
}

}  // namespace
}  // namespace papilio
