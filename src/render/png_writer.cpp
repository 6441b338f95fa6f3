#include "render/png_writer.hpp"

#include <png.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <csetjmp>
#include <exception>
#include <string>
#include <utility>

#include "papilio/base/error.hpp"

namespace papilio::render_detail {

// libpng reports errors by longjmp. Every call into it is made by one of the functions below whose
// frame holds nothing with a destructor; no exception crosses libpng's frames, and no jump crosses
// a C++ frame that has something to destroy.
struct png_writer::state {
  byte_sink sink;
  std::size_t row_bytes = 0;
  std::exception_ptr from_sink;
  std::array<char, 200> reason{};
  png_structp png = nullptr;
  png_infop info = nullptr;
  std::array<png_color, 256> palette{};
  int palette_size = 0;  // 0: RGB
  std::optional<double> dpi;

  ~state() { png_destroy_write_struct(&png, &info); }

  bool deliver(const void* bytes, std::size_t count) noexcept {
    try {
      sink(bytes, count);
      return true;
    } catch (...) {
      from_sink = std::current_exception();
      return false;
    }
  }

  static void on_write(png_structp png, png_bytep bytes, std::size_t count) {
    if (!static_cast<state*>(png_get_io_ptr(png))->deliver(bytes, count))
      png_error(png, "the output refused the data");
  }
  static void on_flush(png_structp) {}

  [[noreturn]] static void on_error(png_structp png, png_const_charp text) {
    std::array<char, 200>& reason = static_cast<state*>(png_get_error_ptr(png))->reason;
    std::size_t length = 0;
    while (length + 1 < reason.size() && text[length] != '\0') ++length;
    std::copy_n(text, length, reason.begin());
    reason[length] = '\0';
    png_longjmp(png, 1);
  }
  static void on_warning(png_structp, png_const_charp) {}

  bool open() {
    png = png_create_write_struct(PNG_LIBPNG_VER_STRING, this, on_error, on_warning);
    if (png != nullptr) info = png_create_info_struct(png);
    return info != nullptr;
  }

  bool write_header(png_uint_32 columns, png_uint_32 rows) {
    if (setjmp(png_jmpbuf(png)) != 0) return false;
    png_set_write_fn(png, this, on_write, on_flush);
    png_set_compression_buffer_size(png, std::size_t{1} << 16);
    png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_NONE);
    if (palette_size > 0) {
      // Palette indices are not samples: differences between neighbours mean little, and matching
      // strings in noise costs twice the time for 3 % of the size. Runs and Huffman codes it is.
      png_set_compression_level(png, 1);
      png_set_compression_strategy(png, Z_RLE);
    }
    const int color_type = palette_size > 0 ? PNG_COLOR_TYPE_PALETTE : PNG_COLOR_TYPE_RGB;
    png_set_IHDR(png, info, columns, rows, 8, color_type, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    if (palette_size > 0) png_set_PLTE(png, info, palette.data(), palette_size);
    constexpr double inches_a_metre = 1 / 0.0254;
    const auto pixels_a_metre = static_cast<png_uint_32>(dpi.value_or(0) * inches_a_metre + 0.5);
    if (dpi) png_set_pHYs(png, info, pixels_a_metre, pixels_a_metre, PNG_RESOLUTION_METER);
    png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
    char keyword[] = "Software", text[] = "papilio";
    png_text software{};
    software.compression = PNG_TEXT_COMPRESSION_NONE;
    software.key = keyword;
    software.text = text;
    png_set_text(png, info, &software, 1);
    png_write_info(png, info);
    return true;
  }

  bool write_one_row(const std::uint8_t* row) {
    if (setjmp(png_jmpbuf(png)) != 0) return false;
    png_write_row(png, row);
    return true;
  }

  bool write_end() {
    if (setjmp(png_jmpbuf(png)) != 0) return false;
    png_write_end(png, info);
    return true;
  }

  void require(bool done) {
    if (done) return;
    if (from_sink) std::rethrow_exception(std::exchange(from_sink, nullptr));
    throw error(std::string("png_writer: libpng: ") + reason.data());
  }
};

png_writer::png_writer(byte_sink sink, std::size_t width, std::size_t height,
                       std::span<const rgb> palette, std::optional<double> dpi)
    : state_(std::make_unique<state>()) {
  state_->sink = std::move(sink);
  state_->row_bytes = width;
  state_->dpi = dpi;
  if (palette.empty() || palette.size() > state_->palette.size())
    throw invalid_argument(base_detail::message(
        "png_writer: palette must hold 1 to 256 colours, not ", palette.size()));
  state_->palette_size = static_cast<int>(palette.size());
  std::ranges::transform(palette, state_->palette.begin(), [](const rgb& color) {
    return png_color{color.red, color.green, color.blue};
  });
  open(width, height);
}

png_writer::png_writer(byte_sink sink, std::size_t width, std::size_t height,
                       std::optional<double> dpi)
    : state_(std::make_unique<state>()) {
  state_->sink = std::move(sink);
  state_->row_bytes = checked_multiply(width, std::size_t{3}, "png_writer: width");
  state_->dpi = dpi;
  open(width, height);
}

void png_writer::open(std::size_t width, std::size_t height) {
  if (!state_->open()) throw resource_error("png_writer: libpng cannot allocate its state");
  state_->require(state_->write_header(checked_cast<png_uint_32>(width, "png_writer: width"),
                                       checked_cast<png_uint_32>(height, "png_writer: height")));
}

png_writer::~png_writer() = default;

void png_writer::write_row(std::span<const std::uint8_t> row) {
  if (row.size() != state_->row_bytes)
    throw shape_error(base_detail::message("png_writer::write_row: the row has ", row.size(),
                                           " bytes, one of the picture ", state_->row_bytes));
  state_->require(state_->write_one_row(row.data()));
}

void png_writer::finish() { state_->require(state_->write_end()); }

}  // namespace papilio::render_detail
