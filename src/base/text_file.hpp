#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "base/internal.hpp"

namespace papilio::base_detail {

/// The bytes of a regular file, or of what /dev/stdin or /dev/fd/N names, such as a pipe. io_error(path)
/// with the system's reason if it cannot be read; if it is another kind of file, which might keep the
/// reader waiting; and if it holds more than `most_bytes`, of which no more is read: `what` says in
/// that message what the file should hold.
PAPILIO_INTERNAL std::string read_text_file(const std::filesystem::path& path,
                                            std::size_t most_bytes, const char* what);

}  // namespace papilio::base_detail
