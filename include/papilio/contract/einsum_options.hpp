#pragma once

#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "papilio/contract/path.hpp"
#include "papilio/dispatch/execution.hpp"

namespace papilio {

/// The type that a result is rounded to, in the memory of the operands' type: the last step of
/// mixed precision. Both parts of complex numbers are rounded.
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
