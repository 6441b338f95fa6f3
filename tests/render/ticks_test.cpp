#include "papilio/render.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "papilio/base/error.hpp"

namespace papilio {
namespace {

using doubles = std::vector<double>;
constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(nice_step, is_the_next_of_one_two_five) {
  EXPECT_EQ(nice_step(1).major, 1);
  EXPECT_EQ(nice_step(1.01).major, 2);
  EXPECT_EQ(nice_step(2).major, 2);
  EXPECT_EQ(nice_step(2.1).major, 5);
  EXPECT_EQ(nice_step(5.1).major, 10);
  EXPECT_EQ(nice_step(99).major, 100);
  EXPECT_EQ(nice_step(0.03).major, 0.05);
  EXPECT_EQ(nice_step(0.1).major, 0.1);
  EXPECT_EQ(nice_step(3e-7).major, 5e-7);
  EXPECT_EQ(nice_step(1.5e11).major, 2e11);
}

TEST(nice_step, is_never_below_nor_far_above_its_minimum) {
  for (double minimum = 1e-12; minimum < 1e12; minimum *= 1.037) {
    const tick_step step = nice_step(minimum);
    EXPECT_GE(step.major, minimum * (1 - 1e-8));
    EXPECT_LE(step.major, 2.5 * minimum * (1 + 1e-8));
    const double parts = step.major / step.minor;
    EXPECT_NEAR(parts, std::round(parts), 1e-9);
  }
}

TEST(nice_time_step, follows_the_clock) {
  const doubles ladder{0.001, 0.002, 0.005, 0.5,   1,      2,      5,     10,   15,
                       30,    60,    120,   300,   600,    900,    1800,  3600, 7200,
                       10800, 21600, 43200, 86400, 172800, 432000, 864000};
  for (double step : ladder) {
    EXPECT_DOUBLE_EQ(nice_time_step(step).major, step);
    EXPECT_DOUBLE_EQ(nice_time_step(0.99 * step).major, step);
    const double parts = step / nice_time_step(step).minor;
    EXPECT_NEAR(parts, std::round(parts), 1e-9) << step;
  }
}

TEST(nice_step, refuses_what_is_not_positive) {
  for (double bad : {0.0, -1.0, infinity, std::nan("")}) {
    EXPECT_THROW(nice_step(bad), invalid_argument);
    EXPECT_THROW(nice_time_step(bad), invalid_argument);
  }
}

TEST(ticks_between, are_the_multiples_inside) {
  EXPECT_EQ(ticks_between(0, 22.05, 5), (doubles{0, 5, 10, 15, 20}));
  EXPECT_EQ(ticks_between(-120, 0, 40), (doubles{-120, -80, -40, 0}));
  EXPECT_EQ(ticks_between(-0.25, 0.35, 0.1), (doubles{-0.2, -0.1, 0, 0.1, 0.2, 0.3}));
  EXPECT_EQ(ticks_between(3599, 3601, 1), (doubles{3599, 3600, 3601}));
  EXPECT_EQ(ticks_between(1.2, 1.8, 1), doubles{});
  EXPECT_EQ(ticks_between(2, 2, 1), doubles{2});
}

TEST(ticks_between, keep_the_ends_that_rounding_moved) {
  EXPECT_EQ(ticks_between(0.1 + 0.2, 0.7, 0.1).front(), 0.3);
  EXPECT_EQ(ticks_between(0, 0.1 + 0.7, 0.1).size(), 9u);
  EXPECT_FALSE(std::signbit(ticks_between(-1, 1, 1)[1]));
}

TEST(ticks_between, refuse_bad_ranges_and_floods) {
  EXPECT_THROW(ticks_between(1, 0, 1), invalid_argument);
  EXPECT_THROW(ticks_between(0, infinity, 1), invalid_argument);
  EXPECT_THROW(ticks_between(std::nan(""), 1, 1), invalid_argument);
  EXPECT_THROW(ticks_between(0, 1, 0), invalid_argument);
  EXPECT_THROW(ticks_between(0, 1, -1), invalid_argument);
  EXPECT_THROW(ticks_between(0, 1e300, 1e-300), invalid_argument);
  EXPECT_THROW(ticks_between(0, 1, 1e-6), invalid_argument);
}

TEST(format_tick, has_the_decimals_of_its_step) {
  EXPECT_EQ(format_tick(20, 5), "20");
  EXPECT_EQ(format_tick(1.5, 0.5), "1.5");
  EXPECT_EQ(format_tick(1, 0.5), "1.0");
  EXPECT_EQ(format_tick(0.1 + 0.2, 0.1), "0.3");
  EXPECT_EQ(format_tick(0.0005, 0.0005), "0.0005");
  EXPECT_EQ(format_tick(20000, 1000), "20000");
}

TEST(format_tick, writes_a_true_minus_and_no_minus_zero) {
  EXPECT_EQ(format_tick(-120, 20), "\u2212120");
  EXPECT_EQ(format_tick(-0.0, 20), "0");
  EXPECT_EQ(format_tick(-1e-17, 0.1), "0");
}

TEST(time_format, grows_with_the_times) {
  EXPECT_EQ(time_format_for(5e-8), time_format::nanoseconds);
  EXPECT_EQ(time_format_for(2e-5), time_format::microseconds);
  EXPECT_EQ(time_format_for(0.05), time_format::milliseconds);
  EXPECT_EQ(time_format_for(60), time_format::seconds);
  EXPECT_EQ(time_format_for(61), time_format::minutes);
  EXPECT_EQ(time_format_for(3599), time_format::minutes);
  EXPECT_EQ(time_format_for(3600), time_format::hours);
}

TEST(time_format, labels_carry_their_unit) {
  EXPECT_EQ(unit_label(time_format::nanoseconds), "ns");
  EXPECT_EQ(unit_label(time_format::microseconds), "\u00b5s");
  EXPECT_EQ(unit_label(time_format::milliseconds), "ms");
  EXPECT_EQ(unit_label(time_format::seconds), "s");
  EXPECT_EQ(unit_label(time_format::minutes), "m:ss");
  EXPECT_EQ(unit_label(time_format::hours), "h:mm:ss");
}

TEST(format_time_tick, reads_like_a_clock) {
  EXPECT_EQ(format_time_tick(42, 1, time_format::seconds), "42");
  EXPECT_EQ(format_time_tick(0.02, 0.005, time_format::milliseconds), "20");
  EXPECT_EQ(format_time_tick(1e-5, 5e-6, time_format::microseconds), "10");
  EXPECT_EQ(format_time_tick(185, 5, time_format::minutes), "3:05");
  EXPECT_EQ(format_time_tick(0, 5, time_format::minutes), "0:00");
  EXPECT_EQ(format_time_tick(3785, 5, time_format::hours), "1:03:05");
  EXPECT_EQ(format_time_tick(36000, 3600, time_format::hours), "10:00:00");
  EXPECT_EQ(format_time_tick(65.5, 0.5, time_format::minutes), "1:05.5");
  EXPECT_EQ(format_time_tick(-30, 10, time_format::minutes), "\u22120:30");
}

TEST(format_time_tick, carries_what_rounds_up) {
  EXPECT_EQ(format_time_tick(59.99999999, 1, time_format::minutes), "1:00");
  EXPECT_EQ(format_time_tick(3599.9999999, 0.5, time_format::hours), "1:00:00.0");
  EXPECT_EQ(format_time_tick(-1e-15, 1, time_format::minutes), "0:00");
}

}  // namespace
}  // namespace papilio
