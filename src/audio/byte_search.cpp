#include "audio/byte_search.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace papilio::audio_detail {

std::optional<std::uint64_t> find_bytes(byte_source& file, std::uint64_t from, std::uint64_t end,
                                        std::string_view text) {
  std::string block(std::size_t{1} << 16, '\0');
  for (std::uint64_t at = from; at < end;) {
    const std::size_t got = file.read(at, block.data(), block.size());
    const std::size_t found = std::string_view(block).substr(0, got).find(text);
    if (found != std::string_view::npos)
      return at + found < end ? std::optional(at + found) : std::nullopt;
    if (got < block.size()) break;
    at += got - (text.size() - 1);
  }
  return std::nullopt;
}

bool has_bytes(byte_source& file, std::uint64_t offset, std::string_view text) {
  std::string there(text.size(), '\0');
  return file.read(offset, there.data(), there.size()) == there.size() && there == text;
}

std::uint64_t little_endian(std::string_view bytes, std::size_t at, unsigned count) {
  std::uint64_t value = 0;
  for (unsigned i = count; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

std::uint64_t behind_id3_tags(byte_source& file) {
  std::uint64_t at = 0;
  std::array<unsigned char, 10> head{};
  for (int tags = 0; tags < 8; ++tags) {
    if (!has_bytes(file, at, "ID3") || file.read(at, head.data(), head.size()) != head.size())
      break;
    // Four times seven bits, and ten bytes more where the tag has a footer.
    std::uint64_t size = 0;
    for (std::size_t i = 6; i < 10; ++i) size = size << 7 | (head[i] & 0x7f);
    at += 10 + size + ((head[5] & 0x10) != 0 ? 10 : 0);
  }
  return at;
}

}  // namespace papilio::audio_detail
