#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "papilio/base/export.hpp"
#include "papilio/base/real_type.hpp"
#include "papilio/dispatch/operand.hpp"

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

/// For example "real_forward".
PAPILIO_API const char* to_string(fft_kind kind);

/// Everything that decides how a Fourier transform is computed. A value: it can be compared, kept
/// and printed.
///
/// One extent: a line of that length, to be executed along any axis of arrays of any shape.
/// More: a whole array of these extents (of the real side, for real kinds), transformed over
/// `axes`, of which the last is the one that is halved in the spectrum of real kinds.
struct PAPILIO_API fft_problem {
  fft_kind kind = fft_kind::complex_forward;
  real_type type = real_type::double_precision;
  fft_scaling scaling = fft_scaling::none;
  std::vector<std::size_t> extents = {1};
  std::vector<std::size_t> axes = {0};  ///< distinct, each less than extents.size()
  int trigonometric_type = 0;           ///< 1 to 4 for cosine and sine kinds, else 0
  bool measured = false;                ///< whether candidates are timed while the plan is made

  bool is_line() const { return extents.size() == 1; }
  bool is_complex() const { return kind <= fft_kind::complex_inverse; }
  bool is_trigonometric() const { return kind >= fft_kind::cosine_forward; }

  /// invalid_argument, in the name of `function`, unless the problem is well formed: extents of at
  /// least 1, axes in range and distinct, a type for cosine and sine kinds and none for others; a
  /// real kind has an axis, and a cosine or sine problem one.
  void require_valid(const char* function) const;
  std::string text() const;  ///< for example "fft of 128x1024 in double along axes 0, 1"
  operand_shapes shapes() const;
  double nominal_flops() const;  ///< 5 N log2 N of complex transforms, half of it of real ones
  /// Lines by their number, single lines by their length and arrays by all transformed extents
  /// (their ratio stays), both in powers of two.
  problem_size size() const;
  fft_problem of_size(std::size_t size) const;
  bool operator==(const fft_problem&) const = default;
};

}  // namespace papilio
