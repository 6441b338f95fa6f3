#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "papilio/contract/expression.hpp"

namespace papilio::contract_detail {

/// Letter of a text. The label is its code point; with 0 bytes there is no letter.
struct einsum_letter {
  int label = 0;
  std::size_t bytes = 0;
};
/// Returns the letter at a byte of a UTF-8 text: a-z, A-Z, or any character beyond U+00A0.
einsum_letter letter_at(std::string_view text, std::size_t at);
/// Returns the letter of a label in UTF-8.
std::string letter_of(int label);

/// A label and where it stands: the byte of the text, or the position in the list.
struct placed_label {
  int label;
  std::size_t at;
};

/// The labels of an operand or of the result, without the ellipsis.
struct einsum_term {
  std::vector<placed_label> labels = {};
  std::optional<std::size_t> ellipsis = {};  ///< how many labels stand before it
  std::size_t ellipsis_at = 0;
  std::size_t end = 0;  ///< behind the last label
};

/// Labels of an einsum before any extent is known, from a text or from lists.
struct einsum_terms {
  std::vector<einsum_term> inputs = {};
  std::optional<einsum_term> output = {};
  std::optional<std::string_view> text = {};

  /// Returns how messages name a label: 'j', or the number.
  std::string name(int label) const;
  /// Returns the message "einsum: what", with a caret under byte `at` of the text, or with the
  /// position in the list of the operand (inputs.size(): of the result).
  std::string fault(const std::string& what, std::size_t operand, std::size_t at) const;
};

/// Throws invalid_argument for a number of operands that is not that of the terms, and for labels
/// of the result that repeat or that no operand has.
void check_terms(const einsum_terms& terms, std::size_t operands);

/// Gives extents to the labels, as parse_einsum says; the terms have been checked.
einsum_expression resolve(const einsum_terms& terms,
                          std::span<const std::vector<std::size_t>> extents);

}  // namespace papilio::contract_detail
