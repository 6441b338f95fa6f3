#pragma once

#include <compare>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "papilio/base/vocabulary.hpp"
#include "papilio/fft/recipe.hpp"

namespace papilio::fft_detail {

struct wisdom_key {
  real_type element;
  std::size_t n;
  auto operator<=>(const wisdom_key&) const = default;
};
using wisdom_entries = std::map<wisdom_key, recipe>;

/// The process's wisdom for a key, if any.
std::optional<recipe> recall(const wisdom_key& key);

/// Remembers a recipe unless another thread was first; the one that is remembered now.
recipe remember(const wisdom_key& key, recipe r);

/// Text of the form described in papilio/fft/wisdom.hpp, and back: invalid_argument, its message
/// beginning with the line, where it is damaged or foreign.
std::string format_wisdom(const wisdom_entries& entries);
wisdom_entries parse_wisdom(std::string_view text);

/// Processor and instruction set: what makes times comparable. One word.
std::string cpu_key();

}  // namespace papilio::fft_detail
