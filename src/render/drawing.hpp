#pragma once

#include <cairo.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "papilio/render/color_map.hpp"

namespace papilio::render_detail {

/// Where a text stands relative to its point, along the line of writing.
enum class anchor { start, middle, end };

/// A point in pixels from the top left corner.
struct point {
  double x, y;
};

/// error or resource_error, with cairo's reason, where `status` is not success.
void require_cairo(cairo_status_t status, const char* what);

/// Text, filled rectangles and lines on a surface of cairo's. Coordinates are pixels from the top
/// left corner; the colour is black until it is set.
class drawing {
 public:
  void set_color(const rgb& color, double opacity = 1);

  void fill(double x, double y, double width, double height);

  /// Until unclip(), what is drawn shows only in the rectangle.
  void clip(double x, double y, double width, double height);
  void unclip();

  /// Points joined by a line with round ends and corners, which add no spikes to it; a lone point
  /// is a dot. `dashes` are lengths of line and gap in turn, none: solid.
  void polyline(std::span<const point> points, double line_width,
                std::span<const double> dashes = {});

  /// Text with its baseline at y.
  void text(const std::string& utf8, double x, double y, anchor where, double size_pixels);
  /// Text read from below, its baseline at x, centred on y.
  void vertical_text(const std::string& utf8, double x, double y, double size_pixels);

  double text_width(const std::string& utf8, double size_pixels) const;
  /// Height of digits above the baseline.
  double digit_height(double size_pixels) const;
  /// The text, or the longest beginning of it that with an ellipsis is no wider than `width`.
  std::string shortened(const std::string& utf8, double size_pixels, double width) const;

 protected:
  /// Takes the surface over.
  explicit drawing(cairo_surface_t* surface);
  ~drawing() = default;

  cairo_surface_t* surface() const { return surface_.get(); }
  cairo_t* context() const { return context_.get(); }
  /// error if anything drawn so far failed.
  void require_success() const;

 private:
  std::string drawable(std::string utf8) const;

  struct release {
    void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
    void operator()(cairo_t* context) const { cairo_destroy(context); }
  };
  std::unique_ptr<cairo_surface_t, release> surface_;
  std::unique_ptr<cairo_t, release> context_;
};

}  // namespace papilio::render_detail
