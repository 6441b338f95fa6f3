#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "papilio/base/export.hpp"

namespace papilio {

/// Levels of arrays and objects that JSON from outside may have. What copies, prints or frees a
/// value calls itself at each of them.
inline constexpr std::size_t most_json_levels = 32;

/// io_error(origin) if the text has more levels; text that is no JSON may pass.
PAPILIO_API void require_json_levels(std::string_view text, const std::string& origin);

/// The text of a file, which has no more levels. io_error(path) if it has, with the system's reason
/// if it cannot be read, and if it has more than `most_bytes`, of which no more is read.
PAPILIO_API std::string read_json_text(const std::filesystem::path& path, std::size_t most_bytes);

}  // namespace papilio
