#include "cli/whole_file.hpp"

#include <charconv>
#include <cstdint>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

namespace papilio::cli {
namespace {

namespace fs = std::filesystem;

std::string bytes_at(std::ifstream& file, std::uint64_t offset, std::size_t count) {
  std::string bytes(count, '\0');
  file.seekg(static_cast<std::streamoff>(offset));
  file.read(bytes.data(), static_cast<std::streamsize>(count));
  bytes.resize(static_cast<std::size_t>(file.gcount()));
  file.clear();
  return bytes;
}

bool ends_with(std::ifstream& file, std::uint64_t size, std::string_view ending) {
  return size > ending.size() && bytes_at(file, size - ending.size(), ending.size()) == ending;
}

/// The next whole number in the text, and the text behind it.
std::optional<std::uint64_t> take_number(std::string_view& text) {
  const std::size_t at = text.find_first_of("0123456789");
  if (at == std::string_view::npos) return std::nullopt;
  std::uint64_t value = 0;
  const auto [end, failure] = std::from_chars(text.data() + at, text.data() + text.size(), value);
  text = text.substr(static_cast<std::size_t>(end - text.data()));
  return failure == std::errc() ? std::optional(value) : std::nullopt;
}

/// As papilio writes them: version 1.0, "'descr': '<f4'", "'shape': (2, 3), }".
bool is_whole_npy(std::ifstream& file, std::uint64_t size) {
  const std::string start = bytes_at(file, 0, 10);
  if (start.size() < 10 || start.substr(0, 8) != std::string("\x93NUMPY\x01\x00", 8)) return false;
  const auto low = static_cast<unsigned char>(start[8]),
             high = static_cast<unsigned char>(start[9]);
  const std::size_t length = low + 256u * high;
  const std::string header = bytes_at(file, 10, length);
  std::string_view text = header;
  const std::size_t type = text.find("'descr': "), shape = text.find("'shape': (");
  if (header.size() < length || type == std::string::npos || shape == std::string::npos)
    return false;
  std::string_view of_type = text.substr(type);
  const auto element_bytes = take_number(of_type);
  if (!element_bytes) return false;
  std::uint64_t bytes = *element_bytes;
  text = text.substr(shape, text.find(')', shape) - shape);
  while (const auto extent = take_number(text))
    if (__builtin_mul_overflow(bytes, *extent, &bytes)) return false;
  return size == 10 + length + bytes;
}

}  // namespace

bool is_whole(const fs::path& path) {
  std::error_code failure;
  if (!fs::is_regular_file(path, failure)) return false;
  const std::uint64_t size = fs::file_size(path, failure);
  std::ifstream file(path, std::ios::binary);
  if (failure || !file) return false;
  const std::string ending = path.extension().string();
  if (ending == ".npy") return is_whole_npy(file, size);
  if (ending == ".png") return ends_with(file, size, std::string_view("IEND\xae\x42\x60\x82", 8));
  if (ending == ".json") return ends_with(file, size, "}\n");
  return ends_with(file, size, "\n");
}

std::string first_bytes(const fs::path& path, std::size_t count) {
  std::ifstream file(path, std::ios::binary);
  return bytes_at(file, 0, count);
}

bool begins_as_png(const fs::path& path, std::size_t width, std::size_t height) {
  const std::string start = first_bytes(path, 24);
  const auto number_at = [&](std::size_t at) {
    std::size_t value = 0;
    for (std::size_t i = at; i < at + 4; ++i)
      value = value << 8 | static_cast<unsigned char>(start[i]);
    return value;
  };
  return start.size() == 24 && start.substr(1, 3) == "PNG" && number_at(16) == width &&
         number_at(20) == height;
}

}  // namespace papilio::cli
