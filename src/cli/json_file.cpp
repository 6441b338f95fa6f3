#include "cli/json_file.hpp"

#include "papilio/base/error.hpp"
#include "papilio/base/json_text.hpp"

namespace papilio::cli {

nlohmann::json read_json_object(const std::string& path, std::size_t most_bytes) {
  auto parsed = nlohmann::json::parse(read_json_text(path, most_bytes), nullptr, false);
  if (!parsed.is_object()) throw io_error(path, "it is no JSON object");
  return parsed;
}

}  // namespace papilio::cli
