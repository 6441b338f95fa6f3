#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "audio/byte_source.hpp"

namespace papilio::audio_detail {

/// Returns where `text` first stands at or behind `from`, before `end`.
std::optional<std::uint64_t> find_bytes(byte_source& file, std::uint64_t from, std::uint64_t end,
                                        std::string_view text);
/// Whether `text` stands at `offset`.
bool has_bytes(byte_source& file, std::uint64_t offset, std::string_view text);

/// Integer of so many bytes, at most 8, the lowest first; they must be there.
std::uint64_t little_endian(std::string_view bytes, std::size_t at, unsigned count);

/// The first byte behind the ID3v2 tags at the beginning; 0 where there are none.
std::uint64_t behind_id3_tags(byte_source& file);

/// Most bytes behind the beginning in which sound is looked for that no header announces.
constexpr std::uint64_t most_junk_bytes = std::uint64_t{1} << 20;

}  // namespace papilio::audio_detail
