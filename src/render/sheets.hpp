#pragma once

#include <cstdint>
#include <exception>
#include <span>

#include "papilio/base/parallel_for.hpp"
#include "papilio/render.hpp"
#include "render/drawing.hpp"
#include "render/png_writer.hpp"

namespace papilio::render_detail {

/// Paper of `width` x `rows` pixels in full colour, for one horizontal strip of a picture.
class color_strip : public drawing {
 public:
  color_strip(std::size_t width, std::size_t rows, const rgb& paper);

  /// Blank again, and row 0 is row `top` of the picture.
  void begin(std::size_t top);
  /// error if anything drawn so far failed.
  void finish();
  /// 0x00RRGGBB of each pixel.
  std::span<const std::uint32_t> row(std::size_t y) const;

 private:
  std::size_t width_;
  rgb paper_;
};

/// Size and paper of a page, with so many pixels an inch.
struct page_size {
  std::size_t width, height;
  double dpi;
  rgb paper;
};

/// A page of an SVG or PDF file, whose bytes go to `sink`.
class page : public drawing {
 public:
  page(picture_format format, byte_sink sink, const page_size& size);
  page(const page&) = delete;
  page& operator=(const page&) = delete;
  ~page();

  /// An image of one pixel (0x00RRGGBB) to a pixel; `draw_row` is asked for each row, from the top.
  void image(const plot_extent& where,
             function_ref<void(std::size_t row, std::span<std::uint32_t> pixels)> draw_row);

  /// Writes what is left; what the sink throws is thrown here.
  void finish();

 private:
  struct target {
    byte_sink sink;
    picture_format format;
    std::exception_ptr failure = nullptr;
  };
  page(picture_format format, std::unique_ptr<target> to, const page_size& size);
  static cairo_status_t on_write(void* closure, const unsigned char* bytes, unsigned int count);

  std::unique_ptr<target> target_;
};

}  // namespace papilio::render_detail
