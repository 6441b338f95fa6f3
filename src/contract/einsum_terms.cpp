#include "contract/einsum_terms.hpp"

#include <algorithm>
#include <unordered_set>

#include "papilio/base/error.hpp"

namespace papilio::contract_detail {
namespace {

constexpr std::size_t longest_shown_text = 240;
constexpr std::size_t shown_before_fault = 100;

bool is_printable(char c) { return c >= ' ' && c <= '~'; }

/// Bytes that are no printable ASCII as "\xc3", so that every character takes one column.
std::string printable(std::string_view text) {
  constexpr char digits[] = "0123456789abcdef";
  std::string shown;
  for (const char c : text) {
    if (is_printable(c)) {
      shown += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    shown += "\\x";
    shown += digits[byte >> 4];
    shown += digits[byte & 15];
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
  head += printable(text.substr(0, at));
  std::string shown("\n  ");
  shown += head;
  shown += printable(text.substr(at));
  shown += tail;
  shown += "\n  ";
  shown.append(head.size(), ' ');
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
  // Where labels are missing, or behind the last that an operand goes with.
  const std::size_t last = std::min(operands, count) - 1;
  throw invalid_argument(terms.fault(what, last, terms.inputs[last].end));
}

}  // namespace

std::string einsum_terms::name(int label) const {
  if (!text) return std::to_string(label);
  return {'\'', static_cast<char>(label), '\''};
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
