#pragma once

namespace papilio {

/// Sign of the exponent: forward is X[k] = sum_j x[j] exp(-2 pi i j k / n), inverse has +.
enum class direction { forward, inverse };

/// Which direction carries which factor; numpy's three, and none.
///   backward     forward 1,         inverse 1/n
///   orthonormal  both 1/sqrt(n)
///   forward      forward 1/n,       inverse 1
///   none         both 1
enum class normalization { backward, orthonormal, forward, none };

/// How a plan is chosen: by the cost model alone (no clock is read, the same plan every time), or
/// by timing the candidates while the plan is made, unless wisdom (papilio/fft/wisdom.hpp)
/// remembers the outcome. Measuring may choose other passes or another algorithm and so other last
/// bits.
enum class effort { estimate, measure };

struct fft_options {
  normalization norm = normalization::backward;
  effort plan_effort = effort::estimate;
};

/// What is kept of a bin X of a spectrum: X itself, |X| (which overflows where |X|^2 does), or
/// |X|^2.
enum class spectrum_form { bins, magnitude, power };

}  // namespace papilio
