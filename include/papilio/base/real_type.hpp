#pragma once

#include <type_traits>

#include "papilio/base/export.hpp"

namespace papilio {

enum class real_type { single_precision, double_precision, extended_precision };

/// The real_type of float, double or long double.
template <class T>
inline constexpr real_type real_type_of =
    std::is_same_v<T, float>    ? real_type::single_precision
    : std::is_same_v<T, double> ? real_type::double_precision
                                : real_type::extended_precision;

/// "float", "double" or "long double".
PAPILIO_API const char* to_string(real_type type);

/// How an accelerator computes products of fp32 operands. The host computes in the operands' type
/// whatever is asked.
///   native        fp32 operands
///   bf16          operands rounded to bf16, sums in fp32
///   bf16_refined  bf16; then the residual, by an inverse that is no less accurate than fp32, is
///                 transformed in bf16 and added, once or twice
///   split_bf16    each operand as a sum of two or three bf16 parts, without products of small ones
///   compensated   products and sums with their rounding errors carried along
enum class precision { native, bf16, bf16_refined, split_bf16, compensated };

struct precision_options {
  precision mode = precision::native;
  int refinements = 1;  ///< of bf16_refined: 1 or 2
  int parts = 2;        ///< of split_bf16: 2 or 3
  /// Above 0: the cheapest mode whose expected relative error (Euclidean norm) is at most this.
  /// invalid_argument if one of the three members above is given too.
  double target_error = 0;

  bool operator==(const precision_options&) const = default;
};

}  // namespace papilio
