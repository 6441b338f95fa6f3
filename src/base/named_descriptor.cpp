#include "base/named_descriptor.hpp"

#include <unistd.h>

#include <charconv>
#include <string_view>
#include <system_error>

namespace papilio::base_detail {

std::optional<int> named_descriptor(const std::string& path) {
  if (path == "/dev/stdin") return STDIN_FILENO;
  if (path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!std::string_view(path).starts_with(folder)) continue;
    int number = -1;
    const char* const end = path.data() + path.size();
    const auto [stop, problem] = std::from_chars(path.data() + folder.size(), end, number);
    if (problem == std::errc() && stop == end && number >= 0) return number;
  }
  return std::nullopt;
}

}  // namespace papilio::base_detail
