#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>

namespace papilio::cli {

/// The object that a JSON file holds; io_error if it holds none, or as of `read_json_text`.
nlohmann::json read_json_object(const std::string& path, std::size_t most_bytes);

}  // namespace papilio::cli
