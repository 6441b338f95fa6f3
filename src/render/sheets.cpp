#include "render/sheets.hpp"

#include <cairo-pdf.h>
#include <cairo-svg.h>

#include <string_view>
#include <utility>

#include "papilio/base/error.hpp"

namespace papilio::render_detail {
namespace {

/// Units of the format in one pixel: an inch has 72 points, and 96 of SVG's pixels.
double units_per_pixel(picture_format format, const page_size& size) {
  return (format == picture_format::pdf ? 72 : 96) / size.dpi;
}

cairo_surface_t* make_page(picture_format format, cairo_write_func_t write, void* closure,
                           const page_size& size) {
  const double unit = units_per_pixel(format, size);
  const double w = static_cast<double>(size.width) * unit,
               h = static_cast<double>(size.height) * unit;
  if (format == picture_format::pdf) {
    cairo_surface_t* const surface = cairo_pdf_surface_create_for_stream(write, closure, w, h);
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATOR, "papilio");
    return surface;
  }
  cairo_surface_t* const surface = cairo_svg_surface_create_for_stream(write, closure, w, h);
  cairo_svg_surface_set_document_unit(surface, CAIRO_SVG_UNIT_PX);
  return surface;
}

}  // namespace

color_strip::color_strip(std::size_t width, std::size_t rows, const rgb& paper)
    : drawing(cairo_image_surface_create(CAIRO_FORMAT_RGB24,
                                         checked_cast<int>(width, "color_strip: width"),
                                         checked_cast<int>(rows, "color_strip: rows"))),
      width_(width),
      paper_(paper) {}

void color_strip::begin(std::size_t top) {
  cairo_identity_matrix(context());
  set_color(paper_);
  cairo_paint(context());
  cairo_translate(context(), 0, -static_cast<double>(top));
}

void color_strip::finish() {
  require_success();
  cairo_surface_flush(surface());
}

std::span<const std::uint32_t> color_strip::row(std::size_t y) const {
  const auto stride = static_cast<std::size_t>(cairo_image_surface_get_stride(surface()));
  const unsigned char* const first = cairo_image_surface_get_data(surface()) + y * stride;
  return {reinterpret_cast<const std::uint32_t*>(first), width_};
}

page::page(picture_format format, byte_sink sink, const page_size& size)
    : page(format, std::make_unique<target>(target{std::move(sink), format}), size) {}

page::page(picture_format format, std::unique_ptr<target> to, const page_size& size)
    : drawing(make_page(format, on_write, to.get(), size)), target_(std::move(to)) {
  const double unit = units_per_pixel(format, size);
  if (unit != 1) cairo_scale(context(), unit, unit);
  set_color(size.paper);
  cairo_paint(context());
}

// An unfinished surface would write its bytes to a sink that is gone.
page::~page() {
  target_->sink = nullptr;
  cairo_surface_finish(surface());
}

cairo_status_t page::on_write(void* closure, const unsigned char* bytes, unsigned int count) {
  auto* const to = static_cast<target*>(closure);
  if (!to->sink) return CAIRO_STATUS_SUCCESS;
  try {
    to->sink(bytes, count);
    return CAIRO_STATUS_SUCCESS;
  } catch (...) {
    to->failure = std::current_exception();
    return CAIRO_STATUS_WRITE_ERROR;
  }
}

void page::image(const plot_extent& where,
                 function_ref<void(std::size_t, std::span<std::uint32_t>)> draw_row) {
  struct destroy {
    void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
  };
  const std::unique_ptr<cairo_surface_t, destroy> pixels(
      cairo_image_surface_create(CAIRO_FORMAT_RGB24, checked_cast<int>(where.width, "page: width"),
                                 checked_cast<int>(where.height, "page: height")));
  require_cairo(cairo_surface_status(pixels.get()), "page");
  const auto stride = static_cast<std::size_t>(cairo_image_surface_get_stride(pixels.get()));
  unsigned char* const first = cairo_image_surface_get_data(pixels.get());
  for (std::size_t y = 0; y < where.height; ++y)
    draw_row(y, {reinterpret_cast<std::uint32_t*>(first + y * stride), where.width});
  const memory_watch watch;
  cairo_surface_mark_dirty(pixels.get());
  cairo_save(context());
  cairo_set_source_surface(context(), pixels.get(), static_cast<double>(where.left),
                           static_cast<double>(where.top));
  cairo_pattern_set_filter(cairo_get_source(context()), CAIRO_FILTER_NEAREST);
  cairo_paint(context());
  cairo_restore(context());
  watch.require_enough();
}

void page::finish() {
  require_success();
  const memory_watch watch;
  cairo_surface_finish(surface());
  if (!target_->failure && target_->format == picture_format::svg) {
    constexpr std::string_view made_by = "<!-- made by papilio -->\n";
    on_write(target_.get(), reinterpret_cast<const unsigned char*>(made_by.data()), made_by.size());
  }
  if (target_->failure) std::rethrow_exception(std::exchange(target_->failure, nullptr));
  require_cairo(cairo_surface_status(surface()), "page");
  watch.require_enough();
}

}  // namespace papilio::render_detail
