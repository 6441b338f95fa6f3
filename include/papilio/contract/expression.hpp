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

/// Stands for all axes that no label names, in lists of labels that are numbers.
inline constexpr int ellipsis_label = -1;

/// numpy's alternative to letters: a list of numbers for each operand (0 or above, as many
/// different ones as one likes; ellipsis_label once in each list), and one for the result. Without
/// it the result has the labels that occur once, in rising order, after the ellipsis.
struct einsum_labels {
  std::vector<std::vector<int>> inputs;
  std::optional<std::vector<int>> output = {};
};

/// An einsum with the extents of its operands: the network that it is, and which label each axis of
/// an operand has.
struct einsum_expression {
  contraction_network network;
  /// By operand and axis. -1: an axis of extent 1 that is broadcast along what other operands have
  /// there; the network's operand has no label for it.
  std::vector<std::vector<int>> axes;

  bool operator==(const einsum_expression&) const = default;
};

/// Reads subscripts as numpy.einsum does: letters a-z and A-Z as labels, "," between operands,
/// "..." for the axes that are not named (broadcast from the right), "->" before the result's
/// labels, spaces anywhere but within "..." and "->". Without "->" the result has the labels that
/// occur once, in alphabetical order (capitals first), after the ellipsis. A label that repeats in
/// one operand takes its diagonal, of equal extents; otherwise extents of a label must be equal or
/// 1. Where "..." stands for axes, a result that is spelled out must have it too.
///
/// The network's labels are the axes of the ellipsis, named "...0" ... from the left, then the
/// others by their first occurrence. Operands are counted from 0, here and in messages.
///
/// invalid_argument for what numpy refuses in the text, and for a number of operands that is not
/// that of the terms; shape_error for extents and ranks that do not fit, and for more than
/// max_tensor_rank axes of an operand or of the result; the message shows the text with a caret
/// under the fault. resource_error where the number of elements of the result overflows.
/// Otherwise than numpy 2: the limit is 32 axes, not 64, and is on no number of operands or of
/// labels that are summed; a NUL ends no text (it is no letter); a diagonal of extents 0 and n is
/// refused, where numpy reads what is not there. O(length of the text + axes).
PAPILIO_API einsum_expression parse_einsum(std::string_view subscripts,
                                           std::span<const std::vector<std::size_t>> extents);
/// The same of labels that are numbers; messages name operand and position.
PAPILIO_API einsum_expression parse_einsum(const einsum_labels& labels,
                                           std::span<const std::vector<std::size_t>> extents);

/// The type that a result is rounded to, in the memory of the operands' type: the last step of
/// mixed precision. Real and imaginary parts of complex numbers are rounded.
///   element_type  no rounding
///   bfloat16      8 bits of significand
///   float16       11 bits of significand; beyond 65504 infinite
enum class rounded_type { element_type, bfloat16, float16 };

struct result_rounding {
  rounded_type to = rounded_type::element_type;
  /// Up with a probability that is the distance from the lower neighbour, so that the expected
  /// result is exact; else to nearest even. The same seed gives the same bits, whatever the
  /// threads.
  bool stochastic = false;
  std::uint64_t seed = 0;

  bool operator==(const result_rounding&) const = default;
};

/// Of einsum and plan_contraction. result = alpha sum(products) + beta result.
struct einsum_options {
  std::complex<double> alpha = 1;  ///< real where the operands are
  std::complex<double> beta = 0;   ///< only of einsum_into; 0 never reads the result
  /// By operand: its complex conjugate is taken. Shorter than the operands: none of the others.
  std::vector<bool> conjugate = {};
  path_options path = {};
  /// Instead of a search: the pairs of contraction_path.
  std::optional<std::vector<std::array<std::size_t, 2>>> pairs = {};
  result_rounding rounding = {};
  /// Of precision, accelerators have native and bf16, and take bf16 where a target error allows it.
  /// The host has native; compensated too, for float and complex<float>: operands and
  /// sums in double, rounded once. A target error takes the cheaper one whose expected error meets
  /// it.
  execution on = {};
};

}  // namespace papilio
