#pragma once

#include <cstddef>
#include <type_traits>

#include "papilio/base/export.hpp"

// Enumerations and options shared by all operations.
namespace papilio {

/// Sign of a DFT's exponent: forward is X[k] = sum_j x[j] exp(-2 pi i j k / n), inverse has +.
enum class direction { forward, inverse };

/// Scaling factors of the forward and the inverse DFT of length n; numpy's three, and none.
///   backward     forward 1,         inverse 1/n
///   orthonormal  both 1/sqrt(n)
///   forward      forward 1/n,       inverse 1
///   none         both 1
enum class normalization { backward, orthonormal, forward, none };

/// Form of the values of a spectrum with bins X.
///   complex    X itself
///   magnitude  |X|, which overflows where |X|^2 does
///   power      |X|^2
///   mel        a matrix of bands times the powers
///   decibel    10 log10 of max(power, floor); of the mel bands where there is a matrix
enum class spectrum_form { complex, magnitude, power, mel, decibel };

/// Padding of n_fft / 2 samples at either end of a centred signal x[0] ... x[m-1].
///   zero     zeros (numpy.pad "constant"; scipy.signal.stft boundary "zeros")
///   reflect  its mirror image about the first and the last sample, x[-i] = x[i], repeated where
///            the signal is shorter than the padding (numpy.pad "reflect"; scipy "even")
///   edge     the first and the last sample, repeated (numpy.pad "edge"; scipy "constant")
enum class edge_padding { zero, reflect, edge };

/// Real element type: float, double or long double.
enum class real_type { single_precision, double_precision, extended_precision };

/// Real_type enumerator of float, double or long double.
template <class T>
inline constexpr real_type real_type_of =
    std::is_same_v<T, float>    ? real_type::single_precision
    : std::is_same_v<T, double> ? real_type::double_precision
                                : real_type::extended_precision;

/// Returns "float", "double" or "long double".
PAPILIO_API const char* to_string(real_type type);

/// Returns the bytes of one real.
PAPILIO_API std::size_t size_of(real_type type);

/// Precision in which an accelerator multiplies fp32 operands. The host uses the operands' type.
///   native        fp32 operands
///   bf16          operands rounded to bf16, sums in fp32
///   bf16_refined  bf16; then the residual, by an inverse that is no less accurate than fp32, is
///                 transformed in bf16 and added, once or twice
///   split_bf16    each operand as a sum of two or three bf16 terms, without products of small ones
///   compensated   products and sums with their rounding errors carried along
///   mxfp8         operands quantised on the device to 8 bits with a scale for each 32 (OCP MXFP8
///                 E4M3), sums in fp32: products of two real matrices, on machines that have them
enum class precision { native, bf16, bf16_refined, split_bf16, compensated, mxfp8 };

/// Precision requested of an accelerator, by mode or by target error.
struct precision_options {
  precision mode = precision::native;
  int refinements = 1;  ///< for bf16_refined: 1 or 2
  int parts = 2;        ///< for split_bf16: 2 or 3 terms
  /// Largest expected relative error in the Euclidean norm; above 0 selects the cheapest mode that
  /// meets it. Throws invalid_argument where it is used if one of the members above is given too.
  double target_error = 0;

  bool operator==(const precision_options&) const = default;
};

}  // namespace papilio
