#pragma once

#include <cstddef>
#include <string>

#include "cli/json_value.hpp"

namespace papilio::cli {

/// The object that a JSON file holds; io_error if it holds none, or as of `read_json_text`.
json_value read_json_object(const std::string& path, std::size_t most_bytes);

}  // namespace papilio::cli
