#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "cli/common.hpp"

namespace papilio::cli {
namespace {

/// Characters that a terminal acts on instead of showing them: control characters (C0, DEL, C1),
/// marks and overrides of direction, separators of lines, and others that are never seen.
constexpr std::pair<std::uint32_t, std::uint32_t> unprintable[] = {
    {0x00, 0x1f},     {0x7f, 0x9f},       {0xad, 0xad},          {0x61c, 0x61c},   {0x180e, 0x180e},
    {0x200b, 0x200f}, {0x2028, 0x202e},   {0x2060, 0x206f},      {0xfeff, 0xfeff}, {0xfff9, 0xfffb},
    {0xd800, 0xdfff}, {0xe0000, 0xe0fff}, {0x110000, 0xffffffff}};

bool is_printable(std::uint32_t point) {
  return std::none_of(std::begin(unprintable), std::end(unprintable), [&](const auto& range) {
    return point >= range.first && point <= range.second;
  });
}

struct character {
  std::uint32_t point;
  std::size_t bytes;  // 0: not UTF-8
};

character first_of(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x80) return {byte(0), 1};
  const std::size_t length = byte(0) >= 0xf0 ? 4 : byte(0) >= 0xe0 ? 3 : 2;
  if (byte(0) < 0xc2 || byte(0) > 0xf4 || text.size() < length) return {0, 0};
  std::uint32_t point = byte(0) & (0x7fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {0, 0};
    point = point << 6 | (byte(i) & 0x3f);
  }
  constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  return {point, point < least[length] ? 0 : length};
}

}  // namespace

std::string printable(std::string_view text) {
  std::string safe;
  while (!text.empty()) {
    const character c = first_of(text);
    const std::size_t bytes = std::max<std::size_t>(c.bytes, 1);
    if (c.bytes > 0 && is_printable(c.point))
      safe += text.substr(0, bytes);
    else
      for (const char byte : text.substr(0, bytes))
        safe += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
    text.remove_prefix(bytes);
  }
  return safe;
}

std::string_view first_columns(std::string_view text, std::size_t columns) {
  constexpr std::uint32_t first_wide = 0x1100;
  std::size_t bytes = 0;
  for (std::size_t taken = 0; bytes < text.size();) {
    const character c = first_of(text.substr(bytes));
    taken += c.point < first_wide ? 1 : 2;
    if (taken > columns) break;
    bytes += std::max<std::size_t>(c.bytes, 1);
  }
  return text.substr(0, bytes);
}

std::string printable_lines(std::string_view text) {
  std::string safe;
  for (;;) {
    const std::size_t end = text.find('\n');
    safe += printable(text.substr(0, end));
    if (end == std::string_view::npos) return safe;
    safe += '\n';
    text.remove_prefix(end + 1);
  }
}

std::string counted(std::uint64_t count, const char* noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace papilio::cli
