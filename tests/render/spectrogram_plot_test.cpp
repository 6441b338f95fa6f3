// The pixels of the plot and of the colour bar, decoded by libpng.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "papilio/base/array.hpp"
#include "papilio/render.hpp"
#include "support/decoded_png.hpp"

namespace papilio {
namespace {

using test::decode_png;
using test::decoded_png;

constexpr std::size_t width = 400, height = 260;
constexpr int steps = 224;

/// The colour a level of `share` (0 floor, 1 ceiling) must have: that of its step of 224.
rgb expected_color(color_map map, double share) {
  const double step = std::min(std::floor(share * steps), steps - 1.0);
  return color_at(map, std::max(step, 0.0) / (steps - 1));
}

struct plot {
  plot_extent extent;
  decoded_png picture;

  /// x from the plot's left edge, y from its bottom.
  const rgb& at(std::size_t x, std::size_t y) const {
    return picture.at(extent.left + x, extent.top + extent.height - 1 - y);
  }
};

plot drawn(view<const float, 2> levels, color_map colors = color_map::magma) {
  const spectrogram_picture picture{.level_db = levels,
                                    .duration_seconds = 3,
                                    .high_hz = 8000,
                                    .floor_db = -100,
                                    .ceiling_db = 0,
                                    .colors = colors,
                                    .width = width,
                                    .height = height};
  return {spectrogram_plot_extent(width, height), decode_png(spectrogram_png(picture))};
}

array<float, 2> filled(std::size_t rows, std::size_t columns, float level) {
  array<float, 2> levels({rows, columns});
  std::ranges::fill(levels, level);
  return levels;
}

TEST(spectrogram_plot, pictures_have_the_size_asked_for) {
  const array<float, 2> levels = filled(2, 3, -50);
  for (std::size_t w : {300u, 301u, 777u, 2048u})
    for (std::size_t h : {200u, 203u, 1111u}) {
      const decoded_png picture = decode_png(
          spectrogram_png({.level_db = levels, .title = "size", .width = w, .height = h}));
      EXPECT_EQ(picture.width, w);
      EXPECT_EQ(picture.height, h);
      const plot_extent e = spectrogram_plot_extent(w, h);
      EXPECT_GE(e.width, w / 2);
      EXPECT_GE(e.height, h / 2);
      EXPECT_EQ(picture.at(e.left, e.top), expected_color(color_map::magma, 70.0 / 120));
      EXPECT_EQ(picture.at(e.left + e.width - 1, e.top + e.height - 1),
                expected_color(color_map::magma, 70.0 / 120));
      EXPECT_NE(picture.at(e.left - 1, e.top), picture.at(e.left, e.top));
      EXPECT_NE(picture.at(e.left + e.width, e.top), picture.at(e.left, e.top));
    }
}

TEST(spectrogram_plot, every_pixel_has_the_color_of_its_level) {
  const plot_extent e = spectrogram_plot_extent(width, height);
  array<float, 2> levels({e.height, e.width});
  std::mt19937 random(7);
  std::uniform_real_distribution<float> level(-110, 10);
  for (float& value : levels) value = std::round(level(random) * 16) / 16;
  for (color_map map : all_color_maps) {
    const plot p = drawn(levels, map);
    std::size_t wrong = 0;
    for (std::size_t y = 0; y < e.height; ++y)
      for (std::size_t x = 0; x < e.width; ++x)
        wrong += p.at(x, y) != expected_color(map, (levels(y, x) + 100.0) / 100);
    EXPECT_EQ(wrong, 0u) << to_string(map);
  }
}

TEST(spectrogram_plot, low_frequencies_are_below_and_time_runs_right) {
  array<float, 2> levels({2, 2});
  levels(0, 0) = -90;
  levels(0, 1) = -60;
  levels(1, 0) = -30;
  levels(1, 1) = -10;
  const plot p = drawn(levels);
  const std::size_t right = p.extent.width - 1, top = p.extent.height - 1;
  EXPECT_EQ(p.at(0, 0), expected_color(color_map::magma, 0.1));
  EXPECT_EQ(p.at(right, 0), expected_color(color_map::magma, 0.4));
  EXPECT_EQ(p.at(0, top), expected_color(color_map::magma, 0.7));
  EXPECT_EQ(p.at(right, top), expected_color(color_map::magma, 0.9));
  EXPECT_EQ(p.at(right / 2 - 1, top / 2 - 1), p.at(0, 0));
  EXPECT_EQ(p.at(right / 2 + 2, top / 2 + 2), p.at(right, top));
}

TEST(spectrogram_plot, a_single_hot_level_shows_wherever_it_is) {
  const plot_extent e = spectrogram_plot_extent(width, height);
  const std::size_t rows = 3 * e.height + 5, columns = 7 * e.width + 3;
  array<float, 2> levels = filled(rows, columns, -100);
  const rgb hot = expected_color(color_map::magma, 1), cold = color_at(color_map::magma, 0);
  for (std::size_t r : {std::size_t{0}, std::size_t{1}, rows / 2, rows - 2, rows - 1})
    for (std::size_t c : {std::size_t{0}, columns / 3, columns - 2, columns - 1}) {
      levels(r, c) = 0;
      const plot p = drawn(levels);
      levels(r, c) = -100;
      std::size_t hot_pixels = 0, cold_pixels = 0;
      for (std::size_t y = 0; y < e.height; ++y)
        for (std::size_t x = 0; x < e.width; ++x) {
          hot_pixels += p.at(x, y) == hot;
          cold_pixels += p.at(x, y) == cold;
        }
      EXPECT_EQ(hot_pixels, 1u) << r << ' ' << c;
      EXPECT_EQ(cold_pixels, e.width * e.height - 1) << r << ' ' << c;
      EXPECT_EQ(p.at(std::min(c * e.width / columns, e.width - 1),
                     std::min(r * e.height / rows, e.height - 1)) == hot ||
                    p.at(std::min((c + 1) * e.width / columns, e.width - 1),
                         std::min((r + 1) * e.height / rows, e.height - 1)) == hot,
                true)
          << r << ' ' << c;
    }
}

TEST(spectrogram_plot, what_is_not_a_level_is_floor) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> odd{std::nanf(""), -infinity, infinity, -1e30f, -100, 1e30f, 0};
  const view<const float, 2> levels(odd.data(), {1, odd.size()});
  const plot p = drawn(levels);
  const rgb floor = color_at(color_map::magma, 0), ceiling = color_at(color_map::magma, 1);
  for (std::size_t i = 0; i < odd.size(); ++i)
    EXPECT_EQ(p.at((2 * i + 1) * p.extent.width / (2 * odd.size()), 5), i < 5 ? floor : ceiling)
        << odd[i];
}

TEST(spectrogram_plot, pooling_passes_over_what_is_not_finite) {
  array<float, 2> levels = filled(5000, 5000, std::nanf(""));
  for (std::size_t r = 0; r < 5000; r += 3)
    for (std::size_t c = 0; c < 5000; c += 3) levels(r, c) = -40;
  const plot p = drawn(levels);
  for (std::size_t y = 0; y < p.extent.height; ++y)
    for (std::size_t x = 0; x < p.extent.width; ++x)
      ASSERT_EQ(p.at(x, y), expected_color(color_map::magma, 0.6));
}

TEST(spectrogram_plot, strides_are_followed) {
  array<float, 2> levels({40, 30});
  std::mt19937 random(3);
  std::uniform_real_distribution<float> level(-100, 0);
  for (float& value : levels) value = level(random);
  array<float, 2> transposed({30, 40});
  for (std::size_t r = 0; r < 40; ++r)
    for (std::size_t c = 0; c < 30; ++c) transposed(c, 39 - r) = levels(r, c);
  const view<const float, 2> back(transposed.data() + 39, {40, 30}, {-1, 40});
  EXPECT_EQ(drawn(levels).picture.pixels, drawn(back).picture.pixels);
}

TEST(spectrogram_plot, the_color_bar_rises_from_floor_to_ceiling) {
  const array<float, 2> levels = filled(1, 1, -50);
  for (color_map map : all_color_maps) {
    const plot p = drawn(levels, map);
    // The first column with both ends of the map: the ground is white as grey's lightest is.
    const auto is_bar = [&](std::size_t x) {
      return p.picture.at(x, p.extent.top) == color_at(map, 1) &&
             p.picture.at(x, p.extent.top + p.extent.height - 1) == color_at(map, 0);
    };
    std::size_t x = p.extent.left + p.extent.width + 1;
    while (x < width && !is_bar(x)) ++x;
    ASSERT_LT(x, width);
    for (std::size_t y = 0; y < p.extent.height; ++y)
      EXPECT_EQ(p.picture.at(x, p.extent.top + p.extent.height - 1 - y),
                expected_color(
                    map, (static_cast<double>(y) + 0.5) / static_cast<double>(p.extent.height)))
          << y;
  }
}

}  // namespace
}  // namespace papilio
