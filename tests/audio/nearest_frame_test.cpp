#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include "papilio/audio.hpp"
#include "papilio/base.hpp"

namespace papilio {
namespace {

constexpr std::uint64_t rates_hz[] = {8000, 11025, 16000, 22050, 44100, 48000, 96000, 192000};

// Half a frame goes to the later one.
std::uint64_t frame_of(std::uint64_t milliseconds, std::uint64_t rate_hz) {
  return (2 * milliseconds * rate_hz + 1000) / 2000;
}

TEST(nearest_frame, is_the_rational_one_of_every_millisecond_of_a_minute) {
  for (const std::uint64_t rate_hz : rates_hz)
    for (std::uint64_t ms = 0; ms <= 60000; ++ms) {
      const double start = static_cast<double>(ms) / 1000, rate = static_cast<double>(rate_hz);
      ASSERT_EQ(nearest_frame(start, rate), frame_of(ms, rate_hz)) << ms << " ms at " << rate_hz;
      // The end of what begins there, by the sum of two decimal times.
      for (const std::uint64_t more : {1, 10, 290})
        ASSERT_EQ(nearest_frame(start + static_cast<double>(more) / 1000, rate),
                  frame_of(ms + more, rate_hz))
            << ms << " + " << more << " ms at " << rate_hz;
    }
}

TEST(nearest_frame, is_the_frame_whose_time_was_computed) {
  for (const std::uint64_t rate_hz : rates_hz)
    for (std::uint64_t frame = 0; frame < 100000000; frame = frame * 3 / 2 + 7)
      EXPECT_EQ(nearest_frame(static_cast<double>(frame) / static_cast<double>(rate_hz),
                              static_cast<double>(rate_hz)),
                frame);
  EXPECT_EQ(nearest_frame(0.29, 48000), 13920u);
  EXPECT_EQ(nearest_frame(100, 0.5), 50u);
}

TEST(nearest_frame, bounds) {
  EXPECT_EQ(nearest_frame(1e9, 1e12), std::numeric_limits<std::uint64_t>::max());
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const double bad : {-1e-9, infinity, -infinity, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_THROW(nearest_frame(bad, 8000), invalid_argument) << bad;
  for (const double bad : {0.0, -1.0, infinity, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_THROW(nearest_frame(1, bad), invalid_argument) << bad;
}

}  // namespace
}  // namespace papilio
