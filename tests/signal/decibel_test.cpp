#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "papilio/base.hpp"
#include "papilio/signal.hpp"

namespace papilio {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(decibel, known_values) {
  EXPECT_DOUBLE_EQ(power_to_db(1), 0);
  EXPECT_DOUBLE_EQ(power_to_db(100), 20);
  EXPECT_DOUBLE_EQ(power_to_db(5, 0.5), 10);
  EXPECT_DOUBLE_EQ(amplitude_to_db(-10), 20);
  EXPECT_EQ(power_to_db(0), -infinity);
  EXPECT_EQ(amplitude_to_db(0), -infinity);
  EXPECT_EQ(power_to_db(0, 1, -80), -80);
  EXPECT_EQ(power_to_db(1e-12, 1, -80), -80);
  EXPECT_TRUE(std::isnan(power_to_db(std::nan(""), 1, -80)));
}

TEST(decibel, of_many) {
  const std::vector<float> power = {0, 1, 10, 1e-3f, 1e-20f};
  std::vector<float> level(5);
  power_to_db<float>(power, level, 10, -100);
  const float expected[] = {-100, -10, 0, -40, -100};
  for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(level[i], expected[i], 1e-5f);
  level.resize(4);
  EXPECT_THROW(power_to_db<float>(power, level, 1, -100), shape_error);
  EXPECT_THROW(power_to_db(1, 0), invalid_argument);
  EXPECT_THROW(power_to_db(1, -1), invalid_argument);
  EXPECT_THROW(amplitude_to_db(1, std::nan("")), invalid_argument);
}

}  // namespace
}  // namespace papilio
