#pragma once

#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "papilio/base/export.hpp"
#include "papilio/contract/path.hpp"
#include "papilio/dispatch/execution.hpp"

namespace papilio {

/// Stands for all axes without a label, in lists of numeric labels.
inline constexpr int ellipsis_label = -1;

/// Holds numeric labels, numpy's alternative to letters: a list for each operand and one for the
/// result. Numbers are at least 0; ellipsis_label occurs at most once in a list. Without an output
/// list the result has the labels that occur once, in rising order, after the ellipsis.
struct einsum_labels {
  std::vector<std::vector<int>> inputs;
  std::optional<std::vector<int>> output = {};
};

/// Holds an einsum with the extents of its operands: its network, and the label of each operand's
/// axes.
struct einsum_expression {
  contraction_network network;
  /// Label of each operand's axis. -1 is an axis of extent 1 that is broadcast along the other
  /// operands' axes; the network's operand has no label for it.
  std::vector<std::vector<int>> axes;

  bool operator==(const einsum_expression&) const = default;
};

/// Parses subscripts as numpy.einsum does.
/// - Letters a-z and A-Z are labels, and so is any character beyond U+00A0, in UTF-8; "," stands between operands, "->" before the result's labels;
///   spaces anywhere but within "..." and "->".
/// - "..." stands for the axes without a label, broadcast from the right. If it stands for any, a
///   result that is spelled out must have it too.
/// - Without "->" the result has the labels that occur once, in alphabetical order (that of code
///   points, so capitals first), after the ellipsis.
/// - A label that repeats in one operand takes its diagonal, of equal extents; otherwise the
///   extents of a label must be equal or 1.
///
/// The network's labels are the axes of the ellipsis, named "...0" ... from the left, then the
/// others by their first occurrence. Operands count from 0, here and in messages. Differences from
/// numpy 2: at most max_tensor_rank (32) axes, not 64, but any number of operands and of summed
/// labels, of any letters; a NUL does not end the text; a diagonal of extents 0 and n is refused, where numpy reads
/// out of bounds. O(length of the text + axes).
///
/// Throws invalid_argument for text that numpy refuses and for a number of operands other than that
/// of the terms; shape_error for extents and ranks that do not fit, and for more than
/// max_tensor_rank axes of an operand or the result; resource_error if the result's number of
/// elements overflows. Messages show the text with a caret under the fault.
PAPILIO_API einsum_expression parse_einsum(std::string_view subscripts,
                                           std::span<const std::vector<std::size_t>> extents);
/// Parses numeric labels likewise; messages name operand and position.
PAPILIO_API einsum_expression parse_einsum(const einsum_labels& labels,
                                           std::span<const std::vector<std::size_t>> extents);

/// Selects the type that a result is rounded to while stored in the operands' type. Real and
/// imaginary parts are rounded separately.
///   element_type  no rounding
///   bfloat16      8 bits of significand
///   float16       11 bits of significand; beyond 65504 infinite
enum class rounded_type { element_type, bfloat16, float16 };

/// Describes the rounding of a result.
struct result_rounding {
  rounded_type to = rounded_type::element_type;
  /// Rounds up with a probability equal to the distance from the lower neighbour in units of the
  /// spacing, so that the expected result is exact; otherwise to nearest even. The same seed gives
  /// the same bits for any number of threads.
  bool stochastic = false;
  std::uint64_t seed = 0;

  bool operator==(const result_rounding&) const = default;
};

/// Options of einsum and plan_contraction: result = alpha sum(products) + beta result.
struct einsum_options {
  std::complex<double> alpha = 1;  ///< real if the operands are
  std::complex<double> beta = 0;   ///< einsum_into only; 0 never reads the result
  /// Whether to conjugate each operand; false for those beyond the list.
  std::vector<bool> conjugate = {};
  path_options path = {};
  /// Pairs as in contraction_path; replaces the search.
  std::optional<std::vector<std::array<std::size_t, 2>>> pairs = {};
  result_rounding rounding = {};
  /// Where to run. Accelerators have native, bf16 and split_bf16 precision; the host has native and,
  /// for float and complex<float>, compensated: operands and sums in double, rounded once. A target
  /// error takes the fastest one whose expected error meets it.
  execution on = {};
};

}  // namespace papilio
