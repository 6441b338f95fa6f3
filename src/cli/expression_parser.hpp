#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cli/common.hpp"
#include "cli/plan_operation.hpp"

namespace papilio::cli {

inline constexpr std::size_t most_sizes = 32;

inline bool is_space(char c) { return c == ' ' || c == '\t'; }
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_letter(char c) { return c >= 'a' && c <= 'z'; }
inline bool is_times(char c) { return c == 'x' || c == 'X' || c == '*'; }

/// Columns that a terminal shows of the text.
inline std::size_t columns_of(const std::string& shown) {
  return static_cast<std::size_t>(std::ranges::count_if(
      shown, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

/// A size, and the byte where it stands.
struct placed_size {
  std::size_t value = 0, at = 0;
};

/// The reader of expressions: where it stands, and faults shown where they are.
class expression_parser {
 public:
  explicit expression_parser(std::string_view text) : text_(text) {}

  /// usage_error with a caret under byte `at`, and the grammar.
  [[noreturn]] void fail(const std::string& what, std::size_t at) const {
    const std::string before = printable(std::string(text_.substr(0, at)));
    throw usage_error("EXPR: {}\n  {}\n  {}^\n{}", what, printable(std::string(text_)),
                      std::string(columns_of(before), ' '), plan_grammar);
  }

  std::size_t position() const { return at_; }
  bool at_end() const { return at_ == text_.size(); }
  /// 0 at the end.
  char next() const { return at_end() ? '\0' : text_[at_]; }
  std::string_view from(std::size_t first) const { return text_.substr(first, at_ - first); }

  void skip() { ++at_; }
  void skip_spaces() {
    while (is_space(next())) skip();
  }
  /// Lower-case letters, as many as there are; may be empty.
  std::string_view letters() {
    const std::size_t first = at_;
    while (is_letter(next())) skip();
    return from(first);
  }
  /// Letters, digits and underscores.
  std::string_view word() {
    const std::size_t first = at_;
    while (is_letter(next()) || is_digit(next()) || next() == '_') skip();
    return from(first);
  }
  void require_space_after_name() {
    if (!at_end() && !is_space(next())) fail("a space is expected after the name", at_);
  }

  /// A whole number of at least 1, or a power.
  std::size_t size() {
    using base_detail::whole_number;
    const std::size_t first = at_;
    const whole_number number = base_detail::read_whole_number(text_.substr(at_));
    at_ += number.length;
    if (number.fault == whole_number::fault_kind::no_digits)
      fail("a whole number is expected", at_);
    if (number.fault == whole_number::fault_kind::too_large) fail("the number is too large", first);
    if (number.value == 0) fail("a size must be at least 1", first);
    return number.value;
  }
  /// Sizes with times signs between, to the end of the text or the first letter behind a space.
  std::vector<placed_size> sizes() {
    std::vector<placed_size> values;
    for (;;) {
      skip_spaces();
      if (values.size() == most_sizes) fail(fmt::format("more than {} sizes", most_sizes), at_);
      const std::size_t at = at_;
      values.push_back({size(), at});
      const bool is_apart = is_space(next());
      skip_spaces();
      // "x" is a times sign, and the first letter of no setting.
      if (at_end() || (is_apart && is_letter(next()) && !is_times(next()))) return values;
      if (!is_times(next())) fail("\"x\" and a size, or the end, is expected", at_);
      ++at_;
    }
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace papilio::cli
