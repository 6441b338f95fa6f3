#include "papilio/base/atomic_file.hpp"

#include <filesystem>

#include "base/text_file.hpp"
#include "papilio/base/error.hpp"

namespace papilio {

void require_json_levels(std::string_view text, const std::string& origin) {
  std::size_t levels = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"')
      quoted = !quoted;
    else if (quoted)
      i += c == '\\';
    else if (c == '[' || c == '{')
      ++levels;
    else if ((c == ']' || c == '}') && levels > 0)
      --levels;
    if (levels > most_json_levels)
      throw io_error(origin,
                     base_detail::message("nested deeper than ", most_json_levels, " levels"));
  }
}

std::string read_json_text(const std::filesystem::path& path, std::size_t most_bytes) {
  std::string text = base_detail::read_text_file(path, most_bytes, "JSON");
  require_json_levels(text, path.string());
  return text;
}

}  // namespace papilio
