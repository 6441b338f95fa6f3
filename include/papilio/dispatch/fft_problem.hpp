#pragma once

#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

#include "papilio/base/export.hpp"

namespace papilio {

/// Sign and symmetry of a Fourier problem. Forward has exp(-2 pi i j k / n).
///   complex_*  complex to complex
///   real_*     n reals to the half spectrum of n/2 + 1 bins, and back
///   cosine_*, sine_*  reals to reals, of types 1 to 4 as scipy.fft defines them
enum class fft_kind {
  complex_forward,
  complex_inverse,
  real_forward,
  real_inverse,
  cosine_forward,
  cosine_inverse,
  sine_forward,
  sine_inverse
};

/// Factor on every output, N the product of the transformed lengths (of cosine and sine transforms,
/// of the lengths of the Fourier transforms that they are part of): 1, 1/sqrt(N) or 1/N.
/// For cosine and sine transforms by_root also scales the end points so that the matrix is
/// orthogonal.
enum class fft_scaling { none, by_root, by_count };

enum class real_type { single_precision, double_precision, extended_precision };

/// The real_type of float, double or long double.
template <class T>
inline constexpr real_type real_type_of =
    std::is_same_v<T, float>    ? real_type::single_precision
    : std::is_same_v<T, double> ? real_type::double_precision
                                : real_type::extended_precision;

/// "float", "double" or "long double".
PAPILIO_API const char* to_string(real_type type);
/// For example "real_forward".
PAPILIO_API const char* to_string(fft_kind kind);

/// Everything that decides how a Fourier transform is computed. A value: it can be compared, kept
/// and printed.
///
/// One extent: a line of that length, to be executed along any axis of arrays of any shape.
/// More: a whole array of these extents (of the real side, for real kinds), transformed over
/// `axes`, of which the last is the one that is halved in the spectrum of real kinds.
struct fft_problem {
  fft_kind kind = fft_kind::complex_forward;
  real_type type = real_type::double_precision;
  fft_scaling scaling = fft_scaling::none;
  std::vector<std::size_t> extents = {1};
  std::vector<std::size_t> axes = {0};  ///< distinct, each less than extents.size()
  int trigonometric_type = 0;           ///< 1 to 4 for cosine and sine kinds, else 0
  bool measured = false;                ///< whether candidates are timed while the plan is made

  bool is_line() const { return extents.size() == 1; }
  bool operator==(const fft_problem&) const = default;
};

/// For example "fft of 128x1024 in double along axes 0, 1" or "rfft of 1024 points in float".
PAPILIO_API std::string to_string(const fft_problem& problem);

/// invalid_argument, in the name of `function`, unless the problem is well formed: extents of at
/// least 1, axes in range and distinct, a type for cosine and sine kinds and none for others; a
/// real kind has an axis, and a cosine or sine problem is a line.
PAPILIO_API void require_valid(const char* function, const fft_problem& problem);

}  // namespace papilio
