#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/internal.hpp"
#include "papilio/render.hpp"

namespace papilio::render_detail {

/// A terminal's size in characters, and in pixels, which are 0 where it does not say.
struct terminal_size {
  std::size_t columns = 0, rows = 0, pixel_width = 0, pixel_height = 0;
};

inline constexpr std::size_t minimum_terminal_columns = 30, minimum_terminal_rows = 8;

/// The picture as lines of characters with 24-bit colours, a line each, without their ends: upper
/// half blocks show two pixels in a character, labels of the axes stand at the left and below.
/// Only the picture's content counts, not its width, height and dpi.
/// Throws as spectrogram_png, and invalid_argument for fewer columns or rows than the minimum.
PAPILIO_INTERNAL std::vector<std::string> terminal_lines(const spectrogram_picture& picture,
                                                         std::size_t columns, std::size_t rows);

/// The sequence that draws the picture where the terminal knows sixels, 256 colours of them.
/// Throws as spectrogram_png.
PAPILIO_INTERNAL std::string terminal_sixels(const spectrogram_picture& picture);

/// The sequence that draws the picture by kitty's graphics protocol over so many characters, in the
/// place of the one before; the cursor stays. Throws as spectrogram_png.
PAPILIO_INTERNAL std::string terminal_kitty_image(const spectrogram_picture& picture,
                                                  std::size_t columns, std::size_t rows);

}  // namespace papilio::render_detail
