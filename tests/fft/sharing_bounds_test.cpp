#include <gtest/gtest.h>

#include <atomic>
#include <vector>

#include "fft/blocks.hpp"

namespace papilio::fft_detail {
namespace {

TEST(sharing_bounds, few_points_take_few_threads) {
  EXPECT_EQ(points_team(0, 8).workers, 1u);
  EXPECT_EQ(points_team(16383, 8).workers, 1u);
  EXPECT_EQ(points_team(16384, 8).workers, 2u);
  EXPECT_EQ(points_team(65536, 8).workers, 8u);
  EXPECT_EQ(points_team(65536, 3).workers, 3u);
}

TEST(sharing_bounds, several_steps_are_shared_from_more_points_on) {
  EXPECT_EQ(steps_team(49151, 8).workers, 1u);
  EXPECT_EQ(steps_team(49152, 8).workers, 6u);
  EXPECT_EQ(steps_team(49152, 2).workers, 2u);
}

TEST(sharing_bounds, threads_that_are_left_idle_are_still_offered) {
  EXPECT_EQ(points_team(100, 16).offered, 16);
  EXPECT_EQ(steps_team(65536, 16).offered, 16);
}

// Ranges of a step: all of it once, on as many threads as the step has.
TEST(sharing_bounds, a_step_has_the_threads_of_its_transform) {
  for (const std::size_t n : {std::size_t(5), std::size_t(49151), std::size_t(49153)}) {
    std::vector<int> seen(n);
    std::atomic<std::size_t> ranges = 0;
    for_each_range(n, 4, [&](std::size_t first, std::size_t last) {
      ++ranges;
      for (std::size_t i = first; i < last; ++i) ++seen[i];
    });
    EXPECT_EQ(seen, std::vector<int>(n, 1));
    EXPECT_EQ(ranges == 1, n < 49152) << n;
  }
}

}  // namespace
}  // namespace papilio::fft_detail
