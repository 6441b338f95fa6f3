#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "base/internal.hpp"

namespace papilio::base_detail {

/// The bytes of the file, a pipe or device included. io_error(path) with the system's reason if it
/// cannot be read, and if it holds more than `most_bytes`, of which no more is read; `what` says in
/// that message what the file should hold.
PAPILIO_INTERNAL std::string read_text_file(const std::filesystem::path& path,
                                            std::size_t most_bytes, const char* what);

}  // namespace papilio::base_detail
