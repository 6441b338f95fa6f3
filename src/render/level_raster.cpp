#include "render/level_raster.hpp"

#include <algorithm>
#include <cfloat>
#include <cmath>

namespace papilio::render_detail {
namespace {

/// Returns the step of a level: 0 if it is not finite or at most the floor, the last step at or
/// above the ceiling.
std::uint8_t quantised(float level, float floor, float factor, float top) {
  const float at = (level - floor) * factor;
  const bool lit = std::fabs(level) <= FLT_MAX && at > 0;
  return static_cast<std::uint8_t>(lit ? std::min(at, top) : 0.0f);
}

}  // namespace

level_range levels_of_pixel(std::size_t pixel, std::size_t pixels, std::size_t levels) {
  if (levels > pixels) return {pixel * levels / pixels, (pixel + 1) * levels / pixels};
  const std::size_t nearest = (2 * pixel + 1) * levels / (2 * pixels);
  return {nearest, nearest + 1};
}

level_raster::level_raster(view<const float, 2> level_db, std::size_t width, std::size_t height,
                           scale steps)
    : level_db_(level_db),
      height_(height),
      scale_(steps),
      pooled_(level_db.extent(1)),
      next_(level_db.extent(1)) {
  columns_.reserve(width);
  for (std::size_t x = 0; x < width; ++x)
    columns_.push_back(levels_of_pixel(x, width, level_db.extent(1)));
}

void level_raster::quantise_row(std::size_t level_row, std::span<std::uint8_t> out) const {
  const view<const float, 1> levels = level_db_[level_row];
  const float floor = scale_.floor_db, top = static_cast<float>(scale_.steps - 1);
  const float factor = static_cast<float>(scale_.steps) / (scale_.ceiling_db - floor);
  const float* const data = levels.data();
  const std::ptrdiff_t stride = levels.stride(0);
  if (stride == 1) {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = quantised(data[i], floor, factor, top);
    return;
  }
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = quantised(data[static_cast<std::ptrdiff_t>(i) * stride], floor, factor, top);
}

// The scale is monotone, so the largest step is the step of the largest level.
void level_raster::draw_row(std::size_t row, std::span<std::uint8_t> out) {
  const level_range rows = levels_of_pixel(height_ - 1 - row, height_, level_db_.extent(0));
  quantise_row(rows.first, pooled_.flat());
  for (std::size_t r = rows.first + 1; r < rows.last; ++r) {
    quantise_row(r, next_.flat());
    std::ranges::transform(pooled_, next_, pooled_.begin(),
                           [](std::uint8_t a, std::uint8_t b) { return std::max(a, b); });
  }
  for (std::size_t x = 0; x < out.size(); ++x) {
    const level_range& range = columns_[x];
    std::uint8_t largest = pooled_[range.first];
    for (std::size_t c = range.first + 1; c < range.last; ++c)
      largest = std::max(largest, pooled_[c]);
    out[x] = largest;
  }
}

}  // namespace papilio::render_detail
