#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "papilio/base/error.hpp"
#include "render/spectrogram_sheet.hpp"
#include "render/terminal_picture.hpp"

namespace papilio::render_detail {
namespace {

constexpr std::size_t sixel_rows = 6;

/// Rows of a picture as sixels, six at a time: for each colour of the band a line of characters
/// whose bits are the rows, with runs of the same character counted.
class sixel_writer {
 public:
  sixel_writer(std::size_t width, std::size_t height, std::span<const rgb> palette)
      : width_(width), bits_(palette.size() * width), used_(palette.size()) {
    text_ = fmt::format("\033P0;1q\"1;1;{};{}", width, height);
    for (std::size_t i = 0; i < palette.size(); ++i)
      text_ += fmt::format("#{};2;{};{};{}", i, percent(palette[i].red), percent(palette[i].green),
                           percent(palette[i].blue));
  }

  void add(std::span<const std::uint8_t> row) {
    for (std::size_t x = 0; x < width_; ++x) {
      used_[row[x]] = true;
      bits_[row[x] * width_ + x] |= static_cast<std::uint8_t>(1u << rows_);
    }
    if (++rows_ == sixel_rows) flush();
  }

  std::string finish() {
    if (rows_ > 0) flush();
    return text_ + "\033\\";
  }

 private:
  static int percent(std::uint8_t value) { return (value * 100 + 127) / 255; }

  void flush() {
    for (std::size_t color = 0; color < used_.size(); ++color) {
      if (!used_[color]) continue;
      text_ += fmt::format("#{}", color);
      add_line(std::span(bits_).subspan(color * width_, width_));
      text_ += '$';
      used_[color] = false;
    }
    text_.back() = '-';
    rows_ = 0;
  }

  /// Writes a line of sixels and clears their bits.
  void add_line(std::span<std::uint8_t> bits) {
    for (std::size_t x = 0; x < width_;) {
      const std::uint8_t first = bits[x];
      std::size_t run = 0;
      for (; x < width_ && bits[x] == first; ++x, ++run) bits[x] = 0;
      const char sixel = static_cast<char>('?' + first);
      if (run > 3)
        text_ += fmt::format("!{}{}", run, sixel);
      else
        text_.append(run, sixel);
    }
  }

  std::size_t width_, rows_ = 0;
  std::string text_;
  std::vector<std::uint8_t> bits_;  // [colour, column]: a bit for each row of the band
  std::vector<bool> used_;
};

std::string base64(std::span<const std::byte> bytes) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    unsigned group = 0;
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8 | (k < count ? std::to_integer<unsigned>(bytes[i + k]) : 0);
    for (std::size_t k = 0; k < 4; ++k)
      text += k <= count ? digits[group >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

}  // namespace

std::string terminal_sixels(const spectrogram_picture& picture) {
  const spectrogram_picture whole = checked_panels("terminal_sixels", picture);
  const spectrogram_layout layout = lay_out_spectrogram("terminal_sixels", whole);
  sixel_writer sixels(layout.width, layout.height, palette_of(whole));
  draw_rows(whole, layout, [&](std::span<const std::uint8_t> row) { sixels.add(row); });
  return sixels.finish();
}

std::string terminal_kitty_image(const spectrogram_picture& picture, std::size_t columns,
                                 std::size_t rows) {
  constexpr std::size_t most_characters = 4096;
  const std::string data = base64(spectrogram_png(picture));
  std::string text;
  for (std::size_t i = 0; i < data.size(); i += most_characters) {
    const int more = i + most_characters < data.size() ? 1 : 0;
    // Image 1, placement 1: another of these takes its place. q: no reply, C: the cursor stays.
    text +=
        i == 0 ? fmt::format("\033_Ga=T,f=100,i=1,p=1,q=2,C=1,c={},r={},m={};", columns, rows, more)
               : fmt::format("\033_Gm={};", more);
    text += data.substr(i, most_characters) + "\033\\";
  }
  return text;
}

}  // namespace papilio::render_detail
