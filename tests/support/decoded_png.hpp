#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "papilio/render.hpp"

namespace papilio::test {

/// A PNG file decoded to 8-bit RGB by libpng's simplified reader.
struct decoded_png {
  std::size_t width = 0, height = 0;
  std::vector<rgb> pixels;

  const rgb& at(std::size_t x, std::size_t y) const { return pixels[y * width + x]; }
};

/// std::runtime_error if the bytes are not a whole PNG file.
decoded_png decode_png(std::span<const std::byte> file);

inline constexpr rgb paper{255, 255, 255};

/// Number of pixels in [left, right) x [top, bottom) that are not white.
std::size_t inked(const decoded_png& picture, std::size_t left, std::size_t top, std::size_t right,
                  std::size_t bottom);

}  // namespace papilio::test
