#include "audio/wav_header.hpp"

#include <algorithm>

#include "audio/encode_samples.hpp"

namespace papilio::audio_detail {
namespace {

constexpr std::uint64_t unknown_size = 0xffffffff;
constexpr std::uint64_t long_sizes_bytes = 28;  // body of a ds64 chunk without a table
constexpr unsigned integer_tag = 1, floating_point_tag = 3;

void append(std::string& bytes, std::uint64_t value, unsigned count) {
  for (unsigned i = 0; i < count; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xff);
}

/// The sizes of an RF64, or in their place, under a name that readers pass over, who wrote the file.
void append_long_sizes(std::string& bytes, bool used, std::uint64_t riff_bytes,
                       std::uint64_t data_bytes, std::uint64_t frames) {
  bytes += used ? "ds64" : "JUNK";
  append(bytes, long_sizes_bytes, 4);
  const std::size_t end = bytes.size() + long_sizes_bytes;
  if (!used)
    bytes += "papilio";
  else
    for (const std::uint64_t size : {riff_bytes, data_bytes, frames}) append(bytes, size, 8);
  bytes.resize(end);
}

void append_format(std::string& bytes, const wav_layout& layout) {
  const bool integer = is_integer(layout.encoding);
  const std::uint64_t rate = static_cast<std::uint64_t>(layout.rate_hz);
  bytes += "fmt ";
  append(bytes, integer ? 16 : 18, 4);
  append(bytes, integer ? integer_tag : floating_point_tag, 2);
  append(bytes, static_cast<std::uint64_t>(layout.channels), 2);
  append(bytes, rate, 4);
  append(bytes, std::min(rate * layout.frame_bytes(), unknown_size), 4);
  append(bytes, layout.frame_bytes(), 2);
  append(bytes, 8 * sample_bytes(layout.encoding), 2);
  if (!integer) append(bytes, 0, 2);
}

/// Returns the bytes of a file but for the samples and the first 8 bytes.
std::uint64_t overhead_bytes(const wav_layout& layout, bool long_sizes) {
  const std::uint64_t format = is_integer(layout.encoding) ? 8 + 16 : 8 + 18 + 8 + 4;
  return 4 + (long_sizes ? 8 + long_sizes_bytes : 0) + format + 8;
}

/// Returns the RIFF size, which is all of the file but its first 8 bytes.
std::uint64_t riff_bytes_of(const wav_layout& layout, bool long_sizes, std::uint64_t frames) {
  const std::uint64_t data_bytes = frames * layout.frame_bytes();
  return overhead_bytes(layout, long_sizes) + data_bytes + data_bytes % 2;
}

bool needs_long_sizes(const wav_layout& layout, std::uint64_t frames) {
  return riff_bytes_of(layout, layout.room_for_long_sizes, frames) >= unknown_size;
}

}  // namespace

std::string wav_header(const wav_layout& layout, std::optional<std::uint64_t> frames) {
  const bool long_sizes = frames && needs_long_sizes(layout, *frames);
  const bool with_room = long_sizes || layout.room_for_long_sizes;
  const std::uint64_t data_bytes = frames.value_or(0) * layout.frame_bytes();
  const std::uint64_t riff_bytes = riff_bytes_of(layout, with_room, frames.value_or(0));
  const bool short_sizes = frames && !long_sizes;
  std::string bytes = long_sizes ? "RF64" : "RIFF";
  append(bytes, short_sizes ? riff_bytes : unknown_size, 4);
  bytes += "WAVE";
  if (with_room) append_long_sizes(bytes, long_sizes, riff_bytes, data_bytes, frames.value_or(0));
  append_format(bytes, layout);
  if (!is_integer(layout.encoding)) {
    bytes += "fact";
    append(bytes, 4, 4);
    append(bytes, short_sizes ? *frames : unknown_size, 4);
  }
  bytes += "data";
  append(bytes, short_sizes ? data_bytes : unknown_size, 4);
  return bytes;
}

}  // namespace papilio::audio_detail
