#pragma once

#include <cstdint>

#include "render/drawing.hpp"

namespace papilio::render_detail {

/// A sheet of ink coverage, 0 (bare) to 255, one byte a pixel.
class canvas : public drawing {
 public:
  canvas(std::size_t width, std::size_t height);

  std::size_t width() const { return width_; }
  std::size_t height() const { return height_; }

  /// Coverage of one row of pixels; error if anything drawn so far failed.
  void finish();
  std::span<const std::uint8_t> row(std::size_t y) const;

 private:
  std::size_t width_, height_;
};

}  // namespace papilio::render_detail
