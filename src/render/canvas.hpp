#pragma once

#include <cairo.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace papilio::render_detail {

/// Where a text stands relative to its point, along the line of writing.
enum class anchor { start, middle, end };

/// A sheet of ink coverage, 0 (bare) to 255, one byte a pixel, with text and filled rectangles.
/// Coordinates are pixels from the top left corner.
class canvas {
 public:
  canvas(std::size_t width, std::size_t height);

  std::size_t width() const { return width_; }
  std::size_t height() const { return height_; }

  void fill(double x, double y, double width, double height);

  /// Text with its baseline at y.
  void text(const std::string& utf8, double x, double y, anchor where, double size_pixels);
  /// Text read from below, its baseline at x, centred on y.
  void vertical_text(const std::string& utf8, double x, double y, double size_pixels);

  double text_width(const std::string& utf8, double size_pixels) const;
  /// Height of digits above the baseline.
  double digit_height(double size_pixels) const;
  /// The text, or the longest beginning of it that with an ellipsis is no wider than `width`.
  std::string shortened(const std::string& utf8, double size_pixels, double width) const;

  /// Coverage of one row of pixels; error if anything drawn so far failed.
  void finish();
  std::span<const std::uint8_t> row(std::size_t y) const;

 private:
  std::string drawable(std::string utf8) const;

  struct release {
    void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
    void operator()(cairo_t* context) const { cairo_destroy(context); }
  };
  std::size_t width_, height_;
  std::unique_ptr<cairo_surface_t, release> surface_;
  std::unique_ptr<cairo_t, release> context_;
};

}  // namespace papilio::render_detail
