#pragma once

#include <cstddef>
#include <type_traits>

#include "papilio/base/export.hpp"

// The words in which operations say what is to be computed.
namespace papilio {

/// Sign of the exponent: forward is X[k] = sum_j x[j] exp(-2 pi i j k / n), inverse has +.
enum class direction { forward, inverse };

/// Which direction carries which factor; numpy's three, and none.
///   backward     forward 1,         inverse 1/n
///   orthonormal  both 1/sqrt(n)
///   forward      forward 1/n,       inverse 1
///   none         both 1
enum class normalization { backward, orthonormal, forward, none };

/// What is kept of a bin X of a spectrum.
///   complex    X itself
///   magnitude  |X|, which overflows where |X|^2 does
///   power      |X|^2
///   mel        a matrix of bands times the powers
///   decibel    10 log10 of max(power, floor); of the mel bands where there is a matrix
enum class spectrum_form { complex, magnitude, power, mel, decibel };

/// What stands within n_fft / 2 samples of either end of a centred signal x[0] ... x[m-1].
///   zero     zeros (numpy.pad "constant"; scipy.signal.stft boundary "zeros")
///   reflect  its mirror image about the first and the last sample, x[-i] = x[i], repeated where
///            the signal is shorter than the padding (numpy.pad "reflect"; scipy "even")
///   edge     the first and the last sample, repeated (numpy.pad "edge"; scipy "constant")
enum class edge_padding { zero, reflect, edge };

enum class real_type { single_precision, double_precision, extended_precision };

/// The real_type of float, double or long double.
template <class T>
inline constexpr real_type real_type_of =
    std::is_same_v<T, float>    ? real_type::single_precision
    : std::is_same_v<T, double> ? real_type::double_precision
                                : real_type::extended_precision;

/// "float", "double" or "long double".
PAPILIO_API const char* to_string(real_type type);

/// Bytes of one real.
PAPILIO_API std::size_t size_of(real_type type);

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
