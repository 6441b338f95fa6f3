#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace papilio::cli {

/// Whether the file is there and ends as one of its kind does, by its ending: .png, .npy (whose
/// header tells its size), .csv, .json. Reads no more than both ends.
bool is_whole(const std::filesystem::path& path);

/// Its first bytes, fewer where it has fewer or cannot be read.
std::string first_bytes(const std::filesystem::path& path, std::size_t count);

/// Whether the file begins as a PNG of this size.
bool begins_as_png(const std::filesystem::path& path, std::size_t width, std::size_t height);

}  // namespace papilio::cli
