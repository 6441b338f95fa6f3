#include <bit>
#include <charconv>
#include <cstring>
#include <system_error>

#include "io/npy_file.hpp"

namespace papilio::io_detail {
namespace {

constexpr const char* not_a_header = "its header is not that of an NPY array of one element type";

class dictionary_parser {
 public:
  dictionary_parser(std::string_view text, npy_dictionary& to) : rest_(text), to_(to) {}

  /// Parses the dictionary; returns what is wrong with it, or an empty text.
  std::string parse() {
    if (!parse_all()) return reason_;
    return {};
  }

 private:
  bool parse_all() {
    if (!take('{')) return false;
    while (!take('}')) {
      std::string key;
      if (!quoted(key) || !take(':') || !value_of(key)) return false;
      if (!take(',') && !peek('}')) return false;
    }
    skip_space();
    return rest_.empty() && has_type_ && has_order_ && has_extents_;
  }

  bool fail(const char* reason) {
    reason_ = reason;
    return false;
  }

  void skip_space() {
    while (!rest_.empty() && std::strchr(" \t\r\n", rest_.front()) != nullptr && rest_.front() != 0)
      rest_.remove_prefix(1);
  }
  bool peek(char c) {
    skip_space();
    return !rest_.empty() && rest_.front() == c;
  }
  bool take(char c) {
    if (!peek(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool take_word(std::string_view word) {
    skip_space();
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  bool quoted(std::string& to) {
    skip_space();
    if (rest_.empty() || (rest_.front() != '\'' && rest_.front() != '"')) return false;
    const std::size_t end = rest_.find(rest_.front(), 1);
    if (end == std::string_view::npos) return false;
    to = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return true;
  }

  // A key that comes twice is refused: readers would differ on which one counts.
  bool value_of(const std::string& key) {
    if (key == "descr" && !has_type_) {
      if (peek('[')) return fail("its elements are records of several fields, not numbers");
      return has_type_ = quoted(to_.element_type);
    }
    if (key == "fortran_order" && !has_order_) {
      to_.fortran_order = take_word("True");
      return has_order_ = to_.fortran_order || take_word("False");
    }
    return key == "shape" && !has_extents_ && tuple();
  }

  bool tuple() {
    if (!take('(')) return false;
    while (!take(')')) {
      if (peek('-')) return fail("its shape has a negative extent");
      std::uint64_t extent = 0;
      const auto [end, failure] =
          std::from_chars(rest_.data(), rest_.data() + rest_.size(), extent);
      if (failure == std::errc::result_out_of_range) return fail("its shape is beyond any file");
      if (failure != std::errc()) return false;
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      if (rest_.starts_with('L')) rest_.remove_prefix(1);  // as Python 2 wrote them
      to_.extents.push_back(extent);
      const bool comma = take(',');
      if (!comma && (!peek(')') || to_.extents.size() == 1)) return false;
    }
    return has_extents_ = true;
  }

  std::string_view rest_;
  npy_dictionary& to_;
  bool has_type_ = false, has_order_ = false, has_extents_ = false;
  const char* reason_ = not_a_header;
};

}  // namespace

std::string parse_npy_dictionary(std::string_view text, npy_dictionary& to) {
  return dictionary_parser(text, to).parse();
}

bool parse_npy_element(std::string_view type, npy_element& to) {
  constexpr std::string_view orders = "<>|=", kinds = "biufc";
  if (type.size() < 3 || orders.find(type[0]) == orders.npos || kinds.find(type[1]) == kinds.npos)
    return false;
  const auto [end, failure] =
      std::from_chars(type.data() + 2, type.data() + type.size(), to.size_bytes);
  if (failure != std::errc() || end != type.data() + type.size()) return false;
  to.kind = type[1];
  to.is_swapped = type[0] == (std::endian::native == std::endian::little ? '>' : '<');
  return to.size_bytes > 0 && to.size_bytes <= 64;
}

}  // namespace papilio::io_detail
