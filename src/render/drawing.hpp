#pragma once

#include <pango/pangocairo.h>

#include <memory>
#include <span>
#include <string>

#include "papilio/render.hpp"

namespace papilio::render_detail {

/// Where a text stands relative to its point, along the line of writing.
enum class anchor { start, middle, end };

/// A point in pixels from the top left corner.
struct point {
  double x, y;
};

/// Measures texts.
class text_ruler {
 public:
  static constexpr double any_width = -1;

  virtual double text_width(const std::string& utf8, double size_pixels,
                            double room = any_width) const = 0;

 protected:
  ~text_ruler() = default;
};

/// error or resource_error, with cairo's reason, where `status` is not success.
void require_cairo(cairo_status_t status, const char* what);

/// Over calls that draw. cairo, Pango and the libraries below them go on without some of what they
/// have no memory for (an edge, kerning, a glyph, a font), and then only errno says so.
class memory_watch {
 public:
  memory_watch();
  /// Throws resource_error where memory was refused since.
  void require_enough() const;
  /// Throws that.
  [[noreturn]] static void end();
};

/// Text, filled rectangles and lines on a surface of cairo's. Coordinates are pixels from the top
/// left corner; the colour is black until it is set. Text is DejaVu Sans, or where that is not
/// installed or lacks a character, what fontconfig offers. resource_error where no font has digits.
class drawing : public text_ruler {
 public:
  void set_color(const rgb& color, double opacity = 1);

  void fill(double x, double y, double width, double height);

  /// Until unclip(), what is drawn shows only in the rectangle.
  void clip(double x, double y, double width, double height);
  void unclip();

  /// Points are from then on told from one that is so much lower.
  void move_origin(double down);

  /// Points joined by a line with round ends and corners, which add no spikes to it; a lone point
  /// is a dot. `dashes` are lengths of line and gap in turn, none: solid.
  void polyline(std::span<const point> points, double line_width,
                std::span<const double> dashes = {});

  /// The inside of a closed line.
  void polygon(std::span<const point> points);

  /// Texts are UTF-8 in any script, set on one line: control characters are drawn as spaces,
  /// malformed bytes as U+FFFD, and what is wider than `room` ends in an ellipsis.

  /// Text with its baseline at y.
  void text(const std::string& utf8, double x, double y, anchor where, double size_pixels,
            double room = any_width);
  /// Text read from below, its baseline at x, centred on y.
  void vertical_text(const std::string& utf8, double x, double y, double size_pixels,
                     double room = any_width);

  double text_width(const std::string& utf8, double size_pixels,
                    double room = any_width) const final;
  /// Height of digits above the baseline.
  double digit_height(double size_pixels) const;

 protected:
  /// Takes the surface over.
  explicit drawing(cairo_surface_t* surface);
  ~drawing() = default;

  cairo_surface_t* surface() const { return surface_.get(); }
  cairo_t* context() const { return context_.get(); }
  /// error if anything drawn so far failed.
  void require_success() const;

 private:
  /// A text that is set: drawn at `scale`, the line has the size that was asked for. It lives until
  /// the next is set.
  struct set_line {
    PangoLayoutLine* line;
    double scale;
    double width;  // in pixels
  };
  set_line set(const std::string& utf8, double size_pixels, double room) const;

  struct release {
    void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
    void operator()(cairo_t* context) const { cairo_destroy(context); }
    void operator()(PangoLayout* layout) const { g_object_unref(layout); }
  };
  std::unique_ptr<cairo_surface_t, release> surface_;
  std::unique_ptr<cairo_t, release> context_;
  std::unique_ptr<PangoLayout, release> layout_;
};

}  // namespace papilio::render_detail
