#include "contract/einsum_terms.hpp"

#include <algorithm>
#include <unordered_set>

#include "papilio/base/error.hpp"

namespace papilio::contract_detail {
namespace {

constexpr std::size_t longest_shown_text = 240;
constexpr std::size_t shown_before_fault = 100;

bool is_printable(char c) { return c >= ' ' && c <= '~'; }

/// Letters that take one column of a terminal: those of European alphabets.
bool is_one_column(int label) {
  return label < 0x300 || (label >= 0x370 && label < 0x483) || (label >= 0x48a && label < 0x590);
}

struct shown_text {
  std::string text;
  std::size_t columns = 0;
};

/// Bytes that are neither printable ASCII nor of a letter of one column as "\xc3".
shown_text printable(std::string_view text) {
  constexpr char digits[] = "0123456789abcdef";
  shown_text shown;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const einsum_letter letter = letter_at(text, at);
    if (is_printable(text[at])) {
      shown.text += text[at];
      ++shown.columns;
    } else if (letter.bytes > 0 && is_one_column(letter.label)) {
      shown.text += text.substr(at, letter.bytes);
      at += letter.bytes - 1;
      ++shown.columns;
    } else {
      const auto byte = static_cast<unsigned char>(text[at]);
      shown.text += "\\x";
      shown.text += digits[byte >> 4];
      shown.text += digits[byte & 15];
      shown.columns += 4;
    }
  }
  return shown;
}

/// Two lines, indented; of a long text what is around byte `at`.
std::string with_caret(std::string_view text, std::size_t at) {
  std::string head, tail;
  if (text.size() > longest_shown_text) {
    const std::size_t first = at > shown_before_fault ? at - shown_before_fault : 0;
    if (first > 0) head = "[more] ";
    if (text.size() - first > longest_shown_text) tail = " [more]";
    text = text.substr(first, longest_shown_text);
    at -= first;
  }
  const shown_text before = printable(text.substr(0, at));
  std::string shown("\n  ");
  shown += head;
  shown += before.text;
  shown += printable(text.substr(at)).text;
  shown += tail;
  shown += "\n  ";
  shown.append(head.size() + before.columns, ' ');
  return shown += '^';
}

void check_operand_count(const einsum_terms& terms, std::size_t operands) {
  const std::size_t count = terms.inputs.size();
  if (operands == 0 || count == 0) throw invalid_argument("einsum: at least one operand is needed");
  if (operands == count) return;
  const std::string what =
      base_detail::message(operands == 1 ? "there is " : "there are ", operands,
                           operands == 1 ? " operand" : " operands", ", and labels of ", count);
  // Lists have no place where one of them is missing or too much.
  if (!terms.text) throw invalid_argument(base_detail::message("einsum: ", what));
  // The caret stands where labels are missing, or behind the last that an operand goes with.
  const std::size_t last = std::min(operands, count) - 1;
  throw invalid_argument(terms.fault(what, last, terms.inputs[last].end));
}

}  // namespace

einsum_letter letter_at(std::string_view text, std::size_t at) {
  if (at >= text.size()) return {};
  const auto byte = [&](std::size_t i) { return int(static_cast<unsigned char>(text[at + i])); };
  const int first = byte(0);
  if (first < 0x80)
    return (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z')
               ? einsum_letter{first, 1}
               : einsum_letter{};
  const std::size_t bytes = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (bytes == 0 || first > 0xf4 || text.size() - at < bytes) return {};
  int label = first & (0xff >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    label = label << 6 | (byte(i) & 0x3f);
  }
  constexpr int least[] = {0, 0, 0xa1, 0x800, 0x10000};
  const bool is_surrogate = label >= 0xd800 && label < 0xe000;
  return label < least[bytes] || label > 0x10ffff || is_surrogate ? einsum_letter{}
                                                                  : einsum_letter{label, bytes};
}

std::string letter_of(int label) {
  const auto part = [&](int shift, int mark) {
    return static_cast<char>(mark | (label >> shift & (mark == 0x80 ? 0x3f : 0xff)));
  };
  if (label < 0x80) return {static_cast<char>(label)};
  if (label < 0x800) return {part(6, 0xc0), part(0, 0x80)};
  if (label < 0x10000) return {part(12, 0xe0), part(6, 0x80), part(0, 0x80)};
  return {part(18, 0xf0), part(12, 0x80), part(6, 0x80), part(0, 0x80)};
}

std::string einsum_terms::name(int label) const {
  if (!text) return std::to_string(label);
  return base_detail::message('\'', letter_of(label), '\'');
}

std::string einsum_terms::fault(const std::string& what, std::size_t operand,
                                std::size_t at) const {
  if (text) return base_detail::message("einsum: ", what, with_caret(*text, at));
  if (operand == inputs.size())
    return base_detail::message("einsum: result, position ", at, ": ", what);
  return base_detail::message("einsum: operand ", operand, ", position ", at, ": ", what);
}

void check_terms(const einsum_terms& terms, std::size_t operands) {
  check_operand_count(terms, operands);
  if (!terms.output) return;
  std::unordered_set<int> known, seen;
  for (const einsum_term& input : terms.inputs)
    for (const placed_label& l : input.labels) known.insert(l.label);
  for (const auto& [label, at] : terms.output->labels) {
    if (!seen.insert(label).second)
      throw invalid_argument(
          terms.fault(base_detail::message("the result has label ", terms.name(label), " twice"),
                      terms.inputs.size(), at));
    if (!known.contains(label))
      throw invalid_argument(terms.fault(
          base_detail::message("the result's label ", terms.name(label), " is of no operand"),
          terms.inputs.size(), at));
  }
}

}  // namespace papilio::contract_detail
