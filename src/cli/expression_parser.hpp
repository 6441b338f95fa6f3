#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace papilio::cli {

/// A size, and the byte where it stands.
struct placed_size {
  std::size_t value = 0, at = 0;
};

/// The reader of expressions: where it stands, and faults shown where they are.
class expression_parser {
 public:
  explicit expression_parser(std::string_view text) : text_(text) {}

  /// usage_error with a caret under byte `at`, and the grammar.
  [[noreturn]] void fail(const std::string& what, std::size_t at) const;

  std::size_t position() const { return at_; }
  bool at_end() const { return at_ == text_.size(); }
  /// 0 at the end.
  char next() const { return at_end() ? '\0' : text_[at_]; }
  std::string_view from(std::size_t first) const { return text_.substr(first, at_ - first); }

  void skip() { ++at_; }
  void skip_spaces();
  /// Lower-case letters, as many as there are; may be empty.
  std::string_view letters();
  /// Letters, digits and underscores.
  std::string_view word();
  void require_space_after_name();

  /// A whole number of at least 1, or a power.
  std::size_t size();
  /// Sizes with times signs between, to the end of the text or the first letter behind a space.
  std::vector<placed_size> sizes();

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace papilio::cli
