#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace papilio::cli {

/// Where the result of each file goes: `out` itself, or NAME + `ending` in it where it is a
/// directory. usage_error where it is a file and there are several, where a result would replace
/// its own input, or where two files would become one result.
std::vector<std::filesystem::path> outputs_of(const std::vector<std::string>& files,
                                              const std::string& out, const std::string& ending);

}  // namespace papilio::cli
