#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "papilio/base/array.hpp"

namespace papilio::render_detail {

/// A half-open range of levels that one pixel shows.
struct level_range {
  std::size_t first, last;
};

/// Levels shown by pixel `pixel` of `pixels` along an axis of `levels`: with more levels than
/// pixels a partition of them, otherwise the one level whose share holds the pixel's centre.
level_range levels_of_pixel(std::size_t pixel, std::size_t pixels, std::size_t levels);

/// Turns levels into steps 0 ... steps-1 of a colour scale, one row of pixels at a time.
class level_raster {
 public:
  struct scale {
    float floor_db, ceiling_db;
    int steps;
  };

  level_raster(view<const float, 2> level_db, std::size_t width, std::size_t height, scale steps);

  /// Pixel row `row` from the top of the plot into `out`, of `width` elements.
  void draw_row(std::size_t row, std::span<std::uint8_t> out);

 private:
  void quantise_row(std::size_t level_row, std::span<std::uint8_t> out) const;

  view<const float, 2> level_db_;
  std::size_t height_;
  scale scale_;
  std::vector<level_range> columns_;      // per pixel of a row
  array<std::uint8_t, 1> pooled_, next_;  // per level column
};

}  // namespace papilio::render_detail
