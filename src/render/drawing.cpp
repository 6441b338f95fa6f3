#include "render/drawing.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <numbers>

#include "papilio/base/error.hpp"

namespace papilio::render_detail {
namespace {

struct font_options_release {
  void operator()(cairo_font_options_t* options) const { cairo_font_options_destroy(options); }
};

/// Sets a rendering that does not depend on the desktop's settings: grey antialiasing, and widths
/// that scale with the size.
void set_rendering(PangoContext* context) {
  const std::unique_ptr<cairo_font_options_t, font_options_release> options(
      cairo_font_options_create());
  cairo_font_options_set_antialias(options.get(), CAIRO_ANTIALIAS_GRAY);
  cairo_font_options_set_hint_style(options.get(), CAIRO_HINT_STYLE_SLIGHT);
  cairo_font_options_set_hint_metrics(options.get(), CAIRO_HINT_METRICS_OFF);
  pango_cairo_context_set_font_options(context, options.get());
  pango_context_set_round_glyph_positions(context, FALSE);
}

// All text is set at one size and drawn scaled: to find fonts for a size takes milliseconds.
constexpr double set_size_pixels = 32;

constexpr long longest_text = 1000;  // code points; the rest is cut and never measured

/// Returns the text as well-formed UTF-8, short enough, with spaces for characters that would end
/// the line.
std::string one_line(std::string text) {
  std::ranges::replace(text, '\0', ' ');
  const std::unique_ptr<char, decltype(&g_free)> valid(
      g_utf8_make_valid(text.data(), static_cast<gssize>(text.size())), &g_free);
  std::string line;
  long count = 0;
  for (const char* at = valid.get(); *at != '\0' && count < longest_text; ++count) {
    const char* const next = g_utf8_next_char(at);
    const GUnicodeType kind = g_unichar_type(g_utf8_get_char(at));
    const bool ends_line = kind == G_UNICODE_CONTROL || kind == G_UNICODE_LINE_SEPARATOR ||
                           kind == G_UNICODE_PARAGRAPH_SEPARATOR;
    line += ends_line ? " " : std::string(at, next);
    at = next;
  }
  return line;
}

void set_font(PangoLayout* layout) {
  const std::unique_ptr<PangoFontDescription, decltype(&pango_font_description_free)> font(
      pango_font_description_from_string("DejaVu Sans"), &pango_font_description_free);
  pango_font_description_set_absolute_size(font.get(), set_size_pixels * PANGO_SCALE);
  pango_layout_set_font_description(layout, font.get());
}

// Throws if Pango could not load a font, which would be missing from then on.
void require_fonts(const PangoLayoutLine* line) {
  for (const GSList* run = line->runs; run != nullptr; run = run->next) {
    PangoFont* const font = static_cast<const PangoGlyphItem*>(run->data)->item->analysis.font;
    if (font == nullptr) continue;  // none is installed
    cairo_scaled_font_t* const scaled = pango_cairo_font_get_scaled_font(PANGO_CAIRO_FONT(font));
    if (scaled == nullptr || cairo_scaled_font_status(scaled) != CAIRO_STATUS_SUCCESS)
      memory_watch::end();
  }
}

}  // namespace

void require_cairo(cairo_status_t status, const char* what) {
  if (status == CAIRO_STATUS_SUCCESS) return;
  const std::string text = base_detail::message(what, ": cairo: ", cairo_status_to_string(status));
  if (status == CAIRO_STATUS_NO_MEMORY) throw resource_error(text);
  throw error(text);
}

memory_watch::memory_watch() { errno = 0; }

void memory_watch::require_enough() const {
  if (errno == ENOMEM) end();
}

void memory_watch::end() {
  // The fonts of this thread may be crippled: the next picture gets its own.
  pango_cairo_font_map_set_default(nullptr);
  throw resource_error("drawing: out of memory");
}

namespace {

/// Throws unless there is address space for the threads that Pango starts, and for the files of
/// fonts that fontconfig maps: without it the one aborts and the other crashes.
void require_room() {
  constexpr std::size_t room_bytes = std::size_t{64} << 20;
  void* const trial =
      ::mmap(nullptr, room_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (trial == MAP_FAILED)
    throw resource_error("drawing: out of memory: texts need 64 MiB of address space");
  ::munmap(trial, room_bytes);
}

}  // namespace

drawing::drawing(cairo_surface_t* surface) : surface_(surface) {
  require_cairo(cairo_surface_status(surface), "drawing");
  require_room();
  const memory_watch watch;
  context_.reset(cairo_create(surface));
  cairo_set_source_rgba(context_.get(), 0, 0, 0, 1);
  layout_.reset(pango_cairo_create_layout(context_.get()));
  set_rendering(pango_layout_get_context(layout_.get()));
  set_font(layout_.get());
  pango_layout_set_single_paragraph_mode(layout_.get(), TRUE);
  pango_layout_set_ellipsize(layout_.get(), PANGO_ELLIPSIZE_END);
  require_success();
  watch.require_enough();
  set("0", set_size_pixels, any_width);
  if (pango_layout_get_unknown_glyphs_count(layout_.get()) > 0)
    throw resource_error(
        "drawing: fontconfig finds no font with digits; install one, such as "
        "DejaVu Sans");
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

void drawing::move_origin(double down) { cairo_translate(context_.get(), 0, down); }

void drawing::polyline(std::span<const point> points, double line_width,
                       std::span<const double> dashes) {
  if (points.empty()) return;
  const memory_watch watch;
  cairo_t* const context = context_.get();
  cairo_set_line_width(context, line_width);
  cairo_set_line_join(context, CAIRO_LINE_JOIN_ROUND);
  cairo_set_line_cap(context, dashes.empty() ? CAIRO_LINE_CAP_ROUND : CAIRO_LINE_CAP_BUTT);
  cairo_set_dash(context, dashes.data(), static_cast<int>(dashes.size()), 0);
  cairo_move_to(context, points[0].x, points[0].y);
  for (const point& p : points.subspan(points.size() > 1 ? 1 : 0)) cairo_line_to(context, p.x, p.y);
  cairo_stroke(context);
  watch.require_enough();
}

void drawing::polygon(std::span<const point> points) {
  const memory_watch watch;
  for (const point& p : points) cairo_line_to(context_.get(), p.x, p.y);
  cairo_fill(context_.get());
  watch.require_enough();
}

void drawing::fill(double x, double y, double width, double height) {
  const memory_watch watch;
  cairo_rectangle(context_.get(), x, y, width, height);
  cairo_fill(context_.get());
  watch.require_enough();
}

drawing::set_line drawing::set(const std::string& utf8, double size_pixels, double room) const {
  const std::string text = one_line(utf8);
  const double scale = size_pixels / set_size_pixels, unit = scale / PANGO_SCALE;
  const memory_watch watch;
  pango_layout_set_width(layout_.get(), room < 0 ? -1 : static_cast<int>(room / unit));
  pango_layout_set_text(layout_.get(), text.data(), static_cast<int>(text.size()));
  PangoLayoutLine* const line = pango_layout_get_line_readonly(layout_.get(), 0);
  PangoRectangle extents;
  pango_layout_line_get_extents(line, nullptr, &extents);
  watch.require_enough();
  require_fonts(line);
  return {line, scale, extents.width * unit};
}

void drawing::text(const std::string& utf8, double x, double y, anchor where, double size_pixels,
                   double room) {
  const set_line text = set(utf8, size_pixels, room);
  const double share = where == anchor::start ? 0 : where == anchor::middle ? 0.5 : 1;
  const memory_watch watch;
  cairo_save(context_.get());
  cairo_translate(context_.get(), x - share * text.width, y);
  cairo_scale(context_.get(), text.scale, text.scale);
  cairo_move_to(context_.get(), 0, 0);
  pango_cairo_show_layout_line(context_.get(), text.line);
  cairo_restore(context_.get());
  watch.require_enough();
}

void drawing::vertical_text(const std::string& utf8, double x, double y, double size_pixels,
                            double room) {
  cairo_save(context_.get());
  cairo_translate(context_.get(), x, y);
  cairo_rotate(context_.get(), -std::numbers::pi / 2);
  text(utf8, 0, 0, anchor::middle, size_pixels, room);
  cairo_restore(context_.get());
}

double drawing::text_width(const std::string& utf8, double size_pixels, double room) const {
  return set(utf8, size_pixels, room).width;
}

double drawing::digit_height(double size_pixels) const {
  const set_line digit = set("0", size_pixels, any_width);
  PangoRectangle ink;
  pango_layout_line_get_extents(digit.line, &ink, nullptr);
  return -ink.y * digit.scale / PANGO_SCALE;
}

}  // namespace papilio::render_detail
