#include "render/utf8.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace papilio::render_detail {
namespace {

bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) == 0x80; }

struct decoded {
  std::uint32_t code_point;
  std::size_t bytes;  // 0: malformed
};

/// The first code point of `text`, which is not empty; refuses overlong forms and surrogates.
decoded decode(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return {lead, 1};
  const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < bytes) return {0, 0};
  std::uint32_t value = lead & (0x7fu >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if (!is_continuation(text[i])) return {0, 0};
    value = value << 6 | (static_cast<unsigned char>(text[i]) & 0x3fu);
  }
  constexpr std::array<std::uint32_t, 5> least{0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xd800 && value <= 0xdfff;
  if (value < least[bytes] || surrogate || value > 0x10ffff) return {0, 0};
  return {value, bytes};
}

bool is_control(std::uint32_t code_point) {
  return code_point < 0x20 || (code_point >= 0x7f && code_point < 0xa0) || code_point == 0x2028 ||
         code_point == 0x2029;
}

}  // namespace

std::string one_line_utf8(std::string_view text, std::size_t most) {
  std::string result;
  for (std::size_t count = 0; !text.empty() && count < most; ++count) {
    const decoded next = decode(text);
    if (next.bytes == 0)
      result += "\ufffd";
    else if (is_control(next.code_point))
      result += ' ';
    else
      result += text.substr(0, next.bytes);
    text.remove_prefix(std::max<std::size_t>(next.bytes, 1));
  }
  return result;
}

std::size_t prefix_bytes(std::string_view well_formed, std::size_t count) {
  std::size_t bytes = 0;
  for (; bytes < well_formed.size(); ++bytes)
    if (!is_continuation(well_formed[bytes]) && count-- == 0) break;
  return bytes;
}

std::size_t code_points(std::string_view well_formed) {
  return static_cast<std::size_t>(
      std::ranges::count_if(well_formed, [](char byte) { return !is_continuation(byte); }));
}

}  // namespace papilio::render_detail
