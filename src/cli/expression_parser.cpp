#include "cli/expression_parser.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/common.hpp"
#include "cli/plan_operation.hpp"
#include "papilio/base/error.hpp"

namespace papilio::cli {
namespace {

constexpr std::size_t most_sizes = 32;

bool is_space(char c) { return c == ' ' || c == '\t'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return c >= 'a' && c <= 'z'; }
bool is_times(char c) { return c == 'x' || c == 'X' || c == '*'; }

/// Columns that a terminal shows of the text.
std::size_t columns_of(const std::string& shown) {
  return static_cast<std::size_t>(std::ranges::count_if(
      shown, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

}  // namespace

void expression_parser::fail(const std::string& what, std::size_t at) const {
  const std::string before = printable(std::string(text_.substr(0, at)));
  throw usage_error("EXPR: {}\n  {}\n  {}^\n{}", what, printable(std::string(text_)),
                    std::string(columns_of(before), ' '), plan_grammar);
}

void expression_parser::skip_spaces() {
  while (is_space(next())) ++at_;
}

std::string_view expression_parser::letters() {
  const std::size_t first = at_;
  while (is_letter(next())) ++at_;
  return from(first);
}

std::string_view expression_parser::word() {
  const std::size_t first = at_;
  while (is_letter(next()) || is_digit(next()) || next() == '_') ++at_;
  return from(first);
}

void expression_parser::require_space_after_name() {
  if (!at_end() && !is_space(next())) fail("a space is expected after the name", at_);
}

std::size_t expression_parser::size() {
  using base_detail::whole_number;
  const std::size_t first = at_;
  const whole_number number = base_detail::read_whole_number(text_.substr(at_));
  at_ += number.length;
  if (number.fault == whole_number::fault_kind::no_digits) fail("a whole number is expected", at_);
  if (number.fault == whole_number::fault_kind::too_large) fail("the number is too large", first);
  if (number.value == 0) fail("a size must be at least 1", first);
  return number.value;
}

std::vector<placed_size> expression_parser::sizes() {
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

}  // namespace papilio::cli
