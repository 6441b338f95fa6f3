#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "papilio/render.hpp"

namespace papilio::render_detail {

/// Takes the bytes of a file in order. What it throws reaches the caller of the writer.
using byte_sink = std::function<void(const void* bytes, std::size_t count)>;

/// Streams a PNG with an 8-bit palette or of 8-bit RGB, row by row from the top. One object writes
/// one file. Throws what the sink throws, and resource_error or error for what libpng reports.
class png_writer {
 public:
  /// Writes the header, with the pixels an inch if they are given. `palette` holds 1 to 256 colours.
  png_writer(byte_sink sink, std::size_t width, std::size_t height, std::span<const rgb> palette,
             std::optional<double> dpi = {});
  /// Writes RGB pixels; otherwise as the constructor above.
  png_writer(byte_sink sink, std::size_t width, std::size_t height, std::optional<double> dpi = {});
  ~png_writer();

  /// `row` holds width palette indices, each below the palette's size, or width times the bytes
  /// red, green and blue.
  void write_row(std::span<const std::uint8_t> row);

  /// Ends the file, after the last row.
  void finish();

 private:
  void open(std::size_t width, std::size_t height);

  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace papilio::render_detail
