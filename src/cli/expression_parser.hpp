#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/common.hpp"
#include "cli/plan_operation.hpp"

namespace papilio::cli {

inline constexpr std::size_t most_sizes = 32;

inline bool is_space(char c) { return c == ' ' || c == '\t'; }
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_letter(char c) { return c >= 'a' && c <= 'z'; }
inline bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }
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
  /// Letters of either case, digits and underscores.
  std::string_view word() {
    const std::size_t first = at_;
    while (is_letter(next()) || is_capital(next()) || is_digit(next()) || next() == '_') skip();
    return from(first);
  }
  void require_space_after_name() {
    if (!at_end() && !is_space(next())) fail("a space is expected after the name", at_);
  }

  /// A whole number of at least 1, or a power.
  std::size_t size() {
    const std::size_t first = at_, value = count();
    if (value == 0) fail("a size must be at least 1", first);
    return value;
  }
  /// A whole number, or a power.
  std::size_t count() {
    using base_detail::whole_number;
    const std::size_t first = at_;
    const whole_number number = base_detail::read_whole_number(text_.substr(at_));
    at_ += number.length;
    if (number.fault == whole_number::fault_kind::no_digits)
      fail("a whole number is expected", at_);
    if (number.fault == whole_number::fault_kind::too_large) fail("the number is too large", first);
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

/// NAME=VALUE behind the sizes. `read` reads the value, or fails where it stands.
struct setting {
  const char* name;
  std::function<void(expression_parser&)> read;
};

inline setting size_setting(const char* name, placed_size& size) {
  return {name, [&size](expression_parser& p) {
            size.at = p.position();
            size.value = p.size();
          }};
}

/// A number that may be 0.
inline setting count_setting(const char* name, std::optional<placed_size>& count) {
  return {name, [&count](expression_parser& p) {
            const std::size_t at = p.position();
            count = {p.count(), at};
          }};
}

template <class Value>
setting word_setting(const char* name, Value& value,
                     std::vector<std::pair<std::string, Value>> words) {
  return {name, [&value, words = std::move(words)](expression_parser& p) {
            const std::size_t at = p.position();
            const std::string_view word = p.word();
            std::string known;
            for (const auto& [text, meaning] : words) {
              if (text == word) {
                value = meaning;
                return;
              }
              known += (known.empty() ? "" : ", ") + text;
            }
            p.fail(fmt::format("one of {} is expected", known), at);
          }};
}

inline setting elements_setting(bool& is_complex) {
  return word_setting<bool>("elements", is_complex, {{"real", false}, {"complex", true}});
}

inline void read_settings(expression_parser& p, const std::vector<setting>& all) {
  std::string known;
  for (const setting& s : all) known += (known.empty() ? "" : ", ") + std::string(s.name);
  std::vector<std::string_view> given;
  for (p.skip_spaces(); !p.at_end(); p.skip_spaces()) {
    const std::size_t at = p.position();
    const std::string_view name = p.word();
    const auto found = std::ranges::find_if(all, [&](const setting& s) { return name == s.name; });
    if (found == all.end())
      p.fail(all.empty() ? "the end is expected" : fmt::format("a setting is expected: {}", known),
             at);
    if (std::ranges::find(given, name) != given.end())
      p.fail(fmt::format("{} is given twice", name), at);
    given.push_back(name);
    if (p.next() != '=') p.fail(fmt::format("\"=\" is expected after {}", name), p.position());
    p.skip();
    found->read(p);
    if (!p.at_end() && p.next() != ' ' && p.next() != '\t')
      p.fail("a space and a setting, or the end, is expected", p.position());
  }
}

inline std::size_t one_size(expression_parser& p, std::string_view name) {
  const std::vector<placed_size> sizes = p.sizes();
  if (sizes.size() > 1) p.fail(fmt::format("one size too many: {} takes one", name), sizes[1].at);
  return sizes[0].value;
}

inline constexpr const char* too_many = "so many elements have more bytes than there are addresses";

/// Bytes of so many operands. resource_error where they are more than there are addresses.
inline double bytes_of(const operand_shape& s, std::size_t times, real_type type) {
  std::size_t bytes = checked_multiply(times, size_of(type) * (s.is_complex ? 2 : 1), "bytes");
  for (const std::size_t extent : s.extents) bytes = checked_multiply(bytes, extent, "bytes");
  checked_cast<std::ptrdiff_t>(bytes, "bytes");
  return static_cast<double>(bytes);
}

}  // namespace papilio::cli
