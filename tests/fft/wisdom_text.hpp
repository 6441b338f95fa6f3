#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "papilio/fft.hpp"

namespace papilio::test {

/// The end line that belongs to a text: the number of its entries, and FNV-1a of its bytes.
inline std::string wisdom_end(std::string_view text, std::size_t entries) {
  std::uint64_t sum = 0xcbf29ce484222325u;
  for (const char c : text) {
    sum ^= static_cast<unsigned char>(c);
    sum *= 0x100000001b3u;
  }
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(sum));
  return "end entries=" + std::to_string(entries) + " checksum=" + digits + "\n";
}

/// The first line of this build's wisdom on this machine.
inline std::string wisdom_header() {
  const std::string text = export_wisdom();
  return text.substr(0, text.find('\n') + 1);
}

/// Whole wisdom with the given entry lines.
inline std::string wisdom_of(const std::vector<std::string>& lines) {
  std::string text = wisdom_header();
  for (const std::string& line : lines) text += line + "\n";
  return text + wisdom_end(text, lines.size());
}

template <class T>
inline constexpr const char* type_name = "long-double";
template <>
inline constexpr const char* type_name<float> = "float";
template <>
inline constexpr const char* type_name<double> = "double";

/// A plan that runs the given recipe.
template <class T>
fft_plan<T> plan_with(const std::string& recipe_text, direction dir = direction::forward,
                      normalization norm = normalization::none) {
  const recipe r = parse_recipe(recipe_text);
  import_wisdom(wisdom_of(
      {std::string("complex ") + type_name<T> + " " + std::to_string(r.n) + " " + recipe_text}));
  return fft_plan<T>(r.n, dir, {.norm = norm, .plan_effort = effort::measure});
}

}  // namespace papilio::test
