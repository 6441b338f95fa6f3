#include "render/canvas.hpp"

#include "papilio/base/error.hpp"

namespace papilio::render_detail {

canvas::canvas(std::size_t width, std::size_t height)
    : drawing(cairo_image_surface_create(CAIRO_FORMAT_A8, checked_cast<int>(width, "canvas: width"),
                                         checked_cast<int>(height, "canvas: height"))),
      width_(width),
      height_(height) {}

void canvas::finish() {
  require_success();
  cairo_surface_flush(surface());
}

std::span<const std::uint8_t> canvas::row(std::size_t y) const {
  const auto stride = static_cast<std::size_t>(cairo_image_surface_get_stride(surface()));
  return {cairo_image_surface_get_data(surface()) + y * stride, width_};
}

}  // namespace papilio::render_detail
