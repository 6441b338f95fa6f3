#include "render/drawing.hpp"

#include <array>
#include <numbers>

#include "papilio/base/error.hpp"
#include "render/utf8.hpp"

namespace papilio::render_detail {
namespace {

struct substitute {
  const char* character;
  const char* ascii;
};
constexpr std::array substitutes{substitute{"\u2212", "-"}, substitute{"\u2026", "..."},
                                 substitute{"\u00b5", "u"}};

bool has_glyph(cairo_t* context, const char* character) {
  cairo_glyph_t* glyphs = nullptr;
  int count = 0;
  const cairo_status_t status =
      cairo_scaled_font_text_to_glyphs(cairo_get_scaled_font(context), 0, 0, character, -1, &glyphs,
                                       &count, nullptr, nullptr, nullptr);
  const bool found = status == CAIRO_STATUS_SUCCESS && count > 0 && glyphs[0].index != 0;
  cairo_glyph_free(glyphs);
  return found;
}

struct font_options_release {
  void operator()(cairo_font_options_t* options) const { cairo_font_options_destroy(options); }
};

/// The same rendering whatever the desktop's settings are: grey antialiasing, and widths that
/// scale with the size.
void set_font(cairo_t* context) {
  cairo_select_font_face(context, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
  const std::unique_ptr<cairo_font_options_t, font_options_release> options(
      cairo_font_options_create());
  cairo_font_options_set_antialias(options.get(), CAIRO_ANTIALIAS_GRAY);
  cairo_font_options_set_hint_style(options.get(), CAIRO_HINT_STYLE_SLIGHT);
  cairo_font_options_set_hint_metrics(options.get(), CAIRO_HINT_METRICS_OFF);
  cairo_set_font_options(context, options.get());
}

cairo_text_extents_t extents_of(cairo_t* context, const std::string& utf8, double size_pixels) {
  cairo_text_extents_t extents;
  cairo_set_font_size(context, size_pixels);
  cairo_text_extents(context, utf8.c_str(), &extents);
  return extents;
}

}  // namespace

void require_cairo(cairo_status_t status, const char* what) {
  if (status == CAIRO_STATUS_SUCCESS) return;
  const std::string text = base_detail::message(what, ": cairo: ", cairo_status_to_string(status));
  if (status == CAIRO_STATUS_NO_MEMORY) throw resource_error(text);
  throw error(text);
}

drawing::drawing(cairo_surface_t* surface) : surface_(surface) {
  require_cairo(cairo_surface_status(surface), "drawing");
  context_.reset(cairo_create(surface));
  cairo_set_source_rgba(context_.get(), 0, 0, 0, 1);
  set_font(context_.get());
  require_success();
}

void drawing::require_success() const { require_cairo(cairo_status(context_.get()), "drawing"); }

void drawing::set_color(const rgb& color, double opacity) {
  cairo_set_source_rgba(context_.get(), color.red / 255.0, color.green / 255.0, color.blue / 255.0,
                        opacity);
}

void drawing::clip(double x, double y, double width, double height) {
  cairo_save(context_.get());
  cairo_rectangle(context_.get(), x, y, width, height);
  cairo_clip(context_.get());
}

void drawing::unclip() { cairo_restore(context_.get()); }

void drawing::polyline(std::span<const point> points, double line_width,
                       std::span<const double> dashes) {
  if (points.empty()) return;
  cairo_t* const context = context_.get();
  cairo_set_line_width(context, line_width);
  cairo_set_line_join(context, CAIRO_LINE_JOIN_ROUND);
  cairo_set_line_cap(context, dashes.empty() ? CAIRO_LINE_CAP_ROUND : CAIRO_LINE_CAP_BUTT);
  cairo_set_dash(context, dashes.data(), static_cast<int>(dashes.size()), 0);
  cairo_move_to(context, points[0].x, points[0].y);
  for (const point& p : points.subspan(points.size() > 1 ? 1 : 0)) cairo_line_to(context, p.x, p.y);
  cairo_stroke(context);
}

void drawing::fill(double x, double y, double width, double height) {
  cairo_rectangle(context_.get(), x, y, width, height);
  cairo_fill(context_.get());
}

void drawing::text(const std::string& utf8, double x, double y, anchor where, double size_pixels) {
  const std::string shown = drawable(utf8);
  const double width = extents_of(context_.get(), shown, size_pixels).x_advance;
  const double share = where == anchor::start ? 0 : where == anchor::middle ? 0.5 : 1;
  cairo_move_to(context_.get(), x - share * width, y);
  cairo_show_text(context_.get(), shown.c_str());
}

void drawing::vertical_text(const std::string& utf8, double x, double y, double size_pixels) {
  cairo_save(context_.get());
  cairo_translate(context_.get(), x, y);
  cairo_rotate(context_.get(), -std::numbers::pi / 2);
  text(utf8, 0, 0, anchor::middle, size_pixels);
  cairo_restore(context_.get());
}

double drawing::text_width(const std::string& utf8, double size_pixels) const {
  return extents_of(context_.get(), drawable(utf8), size_pixels).x_advance;
}

double drawing::digit_height(double size_pixels) const {
  return -extents_of(context_.get(), "0", size_pixels).y_bearing;
}

std::string drawing::shortened(const std::string& utf8, double size_pixels, double width) const {
  if (text_width(utf8, size_pixels) <= width) return utf8;
  const auto cut = [&](std::size_t count) {
    std::string text = utf8.substr(0, prefix_bytes(utf8, count));
    while (!text.empty() && text.back() == ' ') text.pop_back();
    return text + "\u2026";
  };
  std::size_t fits = 0, too_many = code_points(utf8);
  while (too_many - fits > 1) {
    const std::size_t middle = fits + (too_many - fits) / 2;
    (text_width(cut(middle), size_pixels) <= width ? fits : too_many) = middle;
  }
  return cut(fits);
}

// A font may lack the characters that our own labels use; the built-in one does.
std::string drawing::drawable(std::string utf8) const {
  for (const substitute& s : substitutes) {
    const std::string character = s.character;
    if (utf8.find(character) == std::string::npos || has_glyph(context_.get(), s.character))
      continue;
    for (std::size_t at; (at = utf8.find(character)) != std::string::npos;)
      utf8.replace(at, character.size(), s.ascii);
  }
  return utf8;
}

}  // namespace papilio::render_detail
