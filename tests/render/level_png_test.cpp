// Levels as a picture without axes: every pixel is the colour of its level's step.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "papilio/base/error.hpp"
#include "papilio/render.hpp"
#include "support/decoded_png.hpp"

namespace papilio {
namespace {

TEST(level_png, pixels_are_the_colours_of_the_steps) {
  array<float, 2> levels({3, 50});
  for (std::size_t r = 0; r < 3; ++r)
    for (std::size_t c = 0; c < 50; ++c)
      levels(r, c) = -130 + static_cast<float>(r) * 45 + static_cast<float>(c);
  levels(0u, 0u) = std::numeric_limits<float>::quiet_NaN();
  const level_colors colors{
      .floor_db = -100, .ceiling_db = -20, .steps = 160, .map = color_map::viridis};
  const test::decoded_png p = test::decode_png(level_png(levels.view(), colors));
  ASSERT_EQ(p.width, 50u);
  ASSERT_EQ(p.height, 3u);
  for (std::size_t r = 0; r < 3; ++r)
    for (std::size_t c = 0; c < 50; ++c) {
      const double level = std::isnan(levels(r, c)) ? -200 : double{levels(r, c)};
      const double step = std::clamp(std::floor((level + 100) * 2), 0.0, 159.0);
      EXPECT_EQ(p.at(c, 2 - r), color_at(color_map::viridis, step / 159)) << r << " " << c;
    }
}

TEST(level_png, refuses_what_it_cannot_draw) {
  const float level = 0;
  const view<const float, 2> one(&level, {1, 1});
  EXPECT_THROW(level_png({}), shape_error);
  EXPECT_THROW(level_png(one, {.steps = 1}), invalid_argument);
  EXPECT_THROW(level_png(one, {.steps = 257}), invalid_argument);
  EXPECT_THROW(level_png(one, {.floor_db = 0}), invalid_argument);
  EXPECT_THROW(level_png(one, {.map = static_cast<color_map>(77)}), invalid_argument);
  const std::vector<float> line(maximum_picture_side + 1);
  EXPECT_THROW(level_png(view<const float, 2>(line.data(), {1, line.size()})), invalid_argument);
}

}  // namespace
}  // namespace papilio
