#include "contract/einsum_terms.hpp"
#include "papilio/base/error.hpp"

namespace papilio {
namespace {

using contract_detail::einsum_term;
using contract_detail::einsum_terms;

/// Reads the text once, from left to right.
class subscript_reader {
 public:
  explicit subscript_reader(std::string_view text) : text_(text) { terms_.text = text; }

  einsum_terms terms() && {
    do terms_.inputs.push_back(term());
    while (take(','));
    if (take('-')) {
      if (!take('>')) fail("\"-\" is followed by no \">\"", at_ - 1);
      is_result_ = true;
      terms_.output = term();
    }
    if (at_ < text_.size()) fail(stray(text_[at_]), at_);
    return std::move(terms_);
  }

 private:
  [[noreturn]] void fail(const std::string& what, std::size_t at) const {
    throw invalid_argument(terms_.fault(what, 0, at));
  }

  std::string stray(char c) const {
    if (is_result_ && c == ',') return "the result takes no comma";
    if (is_result_ && (c == '-' || c == '>')) return "there is a \"->\" already";
    if (c == '>') return "\">\" without \"-\" before it";
    return "labels are letters: a-z, A-Z, or any beyond ASCII, in UTF-8";
  }

  char next() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char c) {
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  /// Ends before what can be no part of a term.
  einsum_term term() {
    einsum_term result{.end = at_};
    for (;; ++at_) {
      const contract_detail::einsum_letter letter = contract_detail::letter_at(text_, at_);
      if (letter.bytes > 0) {
        result.labels.push_back({letter.label, at_});
        at_ += letter.bytes - 1;
      } else if (next() == '.') {
        take_ellipsis(result);
      } else if (next() != ' ') {
        return result;
      }
      if (next() != ' ') result.end = at_ + 1;
    }
  }

  /// Stops at its last dot.
  void take_ellipsis(einsum_term& to) {
    const std::size_t first = at_;
    if (text_.substr(first, 3) != "...") fail("a \".\" that is no part of \"...\"", first);
    if (to.ellipsis) fail("a second \"...\"", first);
    to.ellipsis = to.labels.size();
    to.ellipsis_at = first;
    at_ += 2;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool is_result_ = false;
  einsum_terms terms_;
};

einsum_term term_of(const std::vector<int>& labels, const einsum_terms& terms,
                    std::size_t operand) {
  einsum_term term{.end = labels.size()};
  term.labels.reserve(labels.size());
  for (std::size_t at = 0; at < labels.size(); ++at) {
    if (labels[at] >= 0) {
      term.labels.push_back({labels[at], at});
    } else if (labels[at] != ellipsis_label) {
      throw invalid_argument(terms.fault(
          base_detail::message("labels must be at least 0, got ", labels[at]), operand, at));
    } else if (term.ellipsis) {
      throw invalid_argument(terms.fault("a second ellipsis", operand, at));
    } else {
      term.ellipsis = term.labels.size();
      term.ellipsis_at = at;
    }
  }
  return term;
}

}  // namespace

einsum_expression parse_einsum(std::string_view subscripts,
                               std::span<const std::vector<std::size_t>> extents) {
  const einsum_terms terms = subscript_reader(subscripts).terms();
  contract_detail::check_terms(terms, extents.size());
  return contract_detail::resolve(terms, extents);
}

einsum_expression parse_einsum(const einsum_labels& labels,
                               std::span<const std::vector<std::size_t>> extents) {
  einsum_terms terms;
  // Faults tell the result from the operands by their number.
  terms.inputs.resize(labels.inputs.size());
  for (std::size_t k = 0; k < labels.inputs.size(); ++k)
    terms.inputs[k] = term_of(labels.inputs[k], terms, k);
  if (labels.output) terms.output = term_of(*labels.output, terms, labels.inputs.size());
  contract_detail::check_terms(terms, extents.size());
  return contract_detail::resolve(terms, extents);
}

}  // namespace papilio
