#include "dispatch/figure_text.hpp"

#include <fmt/format.h>

#include <iterator>

namespace papilio::dispatch_detail {

std::string seconds_text(double seconds) {
  if (seconds == 0) return "0 s";
  if (seconds >= 0.9995) return fmt::format("{:.3g} s", seconds);
  if (seconds >= 0.9995e-3) return fmt::format("{:.3g} ms", seconds * 1e3);
  if (seconds >= 0.9995e-6) return fmt::format("{:.3g} us", seconds * 1e6);
  return fmt::format("{:.3g} ns", seconds * 1e9);
}

std::string scaled_text(double value) {
  const char* const prefixes[] = {"", "k", "M", "G", "T", "P", "E"};
  std::size_t prefix = 0;
  for (; value >= 999.5 && prefix + 1 < std::size(prefixes); ++prefix) value /= 1000;
  return fmt::format("{:.3g} {}", value, prefixes[prefix]);
}

std::string bytes_text(double bytes) { return scaled_text(bytes) + "B"; }

std::string indented(const std::string& text, std::size_t spaces) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n' && i + 1 == text.size()) break;
    result += text[i];
    if (text[i] == '\n') result.append(spaces, ' ');
  }
  return result;
}

}  // namespace papilio::dispatch_detail
