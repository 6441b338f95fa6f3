#include "cli/json_file.hpp"

#include "papilio/base/atomic_file.hpp"
#include "papilio/base/error.hpp"

namespace papilio::cli {

json_value read_json_object(const std::string& path, std::size_t most_bytes) {
  std::optional<json_value> parsed = parse_json(read_json_text(path, most_bytes));
  if (!parsed || !parsed->is_object()) throw io_error(path, "it is no JSON object");
  return *std::move(parsed);
}

}  // namespace papilio::cli
