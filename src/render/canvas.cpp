#include "render/canvas.hpp"

#include <array>
#include <numbers>

#include "papilio/base/checked.hpp"
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

void require(cairo_status_t status, const char* what) {
  if (status == CAIRO_STATUS_SUCCESS) return;
  const std::string text = base_detail::message(what, ": cairo: ", cairo_status_to_string(status));
  if (status == CAIRO_STATUS_NO_MEMORY) throw resource_error(text);
  throw error(text);
}

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

canvas::canvas(std::size_t width, std::size_t height)
    : width_(width),
      height_(height),
      surface_(cairo_image_surface_create(CAIRO_FORMAT_A8,
                                          checked_cast<int>(width, "canvas: width"),
                                          checked_cast<int>(height, "canvas: height"))) {
  require(cairo_surface_status(surface_.get()), "canvas");
  context_.reset(cairo_create(surface_.get()));
  cairo_set_source_rgba(context_.get(), 0, 0, 0, 1);
  set_font(context_.get());
  require(cairo_status(context_.get()), "canvas");
}

void canvas::fill(double x, double y, double width, double height) {
  cairo_rectangle(context_.get(), x, y, width, height);
  cairo_fill(context_.get());
}

void canvas::text(const std::string& utf8, double x, double y, anchor where, double size_pixels) {
  const std::string shown = drawable(utf8);
  const double width = extents_of(context_.get(), shown, size_pixels).x_advance;
  const double share = where == anchor::start ? 0 : where == anchor::middle ? 0.5 : 1;
  cairo_move_to(context_.get(), x - share * width, y);
  cairo_show_text(context_.get(), shown.c_str());
}

void canvas::vertical_text(const std::string& utf8, double x, double y, double size_pixels) {
  cairo_save(context_.get());
  cairo_translate(context_.get(), x, y);
  cairo_rotate(context_.get(), -std::numbers::pi / 2);
  text(utf8, 0, 0, anchor::middle, size_pixels);
  cairo_restore(context_.get());
}

double canvas::text_width(const std::string& utf8, double size_pixels) const {
  return extents_of(context_.get(), drawable(utf8), size_pixels).x_advance;
}

double canvas::digit_height(double size_pixels) const {
  return -extents_of(context_.get(), "0", size_pixels).y_bearing;
}

std::string canvas::shortened(const std::string& utf8, double size_pixels, double width) const {
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
std::string canvas::drawable(std::string utf8) const {
  for (const substitute& s : substitutes) {
    const std::string character = s.character;
    if (utf8.find(character) == std::string::npos || has_glyph(context_.get(), s.character))
      continue;
    for (std::size_t at; (at = utf8.find(character)) != std::string::npos;)
      utf8.replace(at, character.size(), s.ascii);
  }
  return utf8;
}

void canvas::finish() {
  require(cairo_status(context_.get()), "canvas");
  cairo_surface_flush(surface_.get());
}

std::span<const std::uint8_t> canvas::row(std::size_t y) const {
  const auto stride = static_cast<std::size_t>(cairo_image_surface_get_stride(surface_.get()));
  return {cairo_image_surface_get_data(surface_.get()) + y * stride, width_};
}

}  // namespace papilio::render_detail
