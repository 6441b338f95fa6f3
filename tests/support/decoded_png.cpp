#include "support/decoded_png.hpp"

#include <png.h>

#include <stdexcept>

namespace papilio::test {

decoded_png decode_png(std::span<const std::byte> file) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  if (!png_image_begin_read_from_memory(&image, file.data(), file.size()))
    throw std::runtime_error(image.message);
  image.format = PNG_FORMAT_RGB;
  decoded_png result{image.width, image.height, {}};
  std::vector<png_byte> bytes(PNG_IMAGE_SIZE(image));
  const bool read = png_image_finish_read(&image, nullptr, bytes.data(), 0, nullptr) != 0;
  const bool warned = image.warning_or_error != 0;
  png_image_free(&image);
  if (!read || warned) throw std::runtime_error(image.message);
  for (std::size_t i = 0; i + 2 < bytes.size(); i += 3)
    result.pixels.push_back({bytes[i], bytes[i + 1], bytes[i + 2]});
  return result;
}

std::size_t inked(const decoded_png& picture, std::size_t left, std::size_t top, std::size_t right,
                  std::size_t bottom) {
  std::size_t count = 0;
  for (std::size_t y = top; y < bottom; ++y)
    for (std::size_t x = left; x < right; ++x) count += picture.at(x, y) != paper;
  return count;
}

}  // namespace papilio::test
