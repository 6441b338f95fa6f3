#pragma once

#include <filesystem>

namespace papilio::cli {

/// Whether the file is there and ends as one of its kind does, by its ending: .png, .npy (whose
/// header tells its size), .csv, .json. Reads no more than both ends.
bool is_whole(const std::filesystem::path& path);

}  // namespace papilio::cli
