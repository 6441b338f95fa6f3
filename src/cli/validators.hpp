#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "cli/flags.hpp"

namespace papilio::cli {

// Texts are judged here, before the library reads them: it would let "nan" through, read "-1" as a
// huge unsigned number and "010" as eight.

/// A number in [low, high].
validator number_from(double low, double high);

/// A time in seconds in [low, high], or as 1:23.4 or 1:02:03.4.
validator time_from(double low, double high);

/// A whole decimal number in [low, high]; leading zeros are dropped.
validator whole_number_from(std::uint64_t low, std::uint64_t high);

/// Any text but none, which would count as an option that is not given.
validator not_empty();

/// One of the words, of any case, which becomes that of the list; or of the case in the list alone.
validator one_of(std::vector<std::string> words);
validator exactly_one_of(std::vector<std::string> words);

/// One or more of the words, of any case, with commas between them; and these again.
validator words_of(std::vector<std::string> words);
std::vector<std::string> split_words(const std::string& text, char at = ',');

/// The number that the text is, all of it.
template <class Number>
std::optional<Number> read_number(std::string_view text) {
  Number value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace papilio::cli
