#include <charconv>
#include <string>
#include <string_view>
#include <utility>

#include "fft/recipe_check.hpp"
#include "papilio/base/error.hpp"
#include "papilio/fft/recipe.hpp"

namespace papilio {
namespace {

using fft_detail::kind_name;
using fft_detail::require_valid;

// A recipe inside a recipe inside ...: a Rader or Bluestein in each, of which none needs many.
constexpr int deepest = 8;

// One pass over the text: "(" kind n {radix} {recipe} ")", one blank between.
class recipe_reader {
 public:
  explicit recipe_reader(std::string_view text) : text_(text) {}

  recipe whole() {
    recipe r = read(0);
    if (at_ != text_.size()) refuse("the end");
    return r;
  }

 private:
  recipe read(int depth) {
    if (depth > deepest) refuse("fewer recipes inside each other");
    skip('(', "\"(\"");
    recipe r;
    r.kind = read_kind();
    skip(' ', "a blank");
    r.n = read_number();
    while (!skipped(')')) {
      skip(' ', "a blank or \")\"");
      if (at_ < text_.size() && text_[at_] == '(') {
        r.parts.push_back(read(depth + 1));
      } else if (r.parts.empty()) {
        r.radices.push_back(read_number());
      } else {
        refuse("\"(\"");
      }
    }
    return r;
  }

  recipe_kind read_kind() {
    const std::string_view word = text_.substr(at_, text_.find(' ', at_) - at_);
    for (const recipe_kind kind : fft_detail::all_recipe_kinds)
      if (word == kind_name(kind)) {
        at_ += word.size();
        return kind;
      }
    refuse("the kind of a recipe");
  }

  std::size_t read_number() {
    std::size_t value = 0;
    const char* const first = text_.data() + at_;
    const auto [stop, problem] = std::from_chars(first, text_.data() + text_.size(), value);
    if (problem != std::errc() || *first == '0') refuse("a number from 1 to 2^64 - 1");
    at_ += static_cast<std::size_t>(stop - first);
    return value;
  }

  bool skipped(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void skip(char c, const char* expected) {
    if (!skipped(c)) refuse(expected);
  }

  [[noreturn]] void refuse(const char* expected) const {
    std::string found;
    for (const char c : text_.substr(at_, 20)) found += c >= ' ' && c <= '~' ? c : '?';
    throw invalid_argument(base_detail::message(
        "parse_recipe: expected ", expected, " at character ", at_ + 1, ", found ",
        found.empty() ? std::string("the end") : '"' + found + '"'));
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

recipe parse_recipe(std::string_view text) {
  recipe r = recipe_reader(text).whole();
  require_valid(r);
  return r;
}

}  // namespace papilio
