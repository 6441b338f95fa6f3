#pragma once

#include <cstdint>
#include <string>
#include <tuple>

#include "kernels/transform/recipe.hpp"
#include "papilio/base/error.hpp"

// Sweeps over HBM between real lines, Hermitian spectra and complex transforms, for lines that do
// not stay on chip. Complex tensors are planar. Lines [lines, n] with h = n/2 + 1 bins.
namespace papilio::kernels_detail {

/// A sweep from Z, transforms of complex lines, to X, those of the real lines that are packed into them,
/// or back, where X is such that inverse transforms of Z are lines packed so.
///   neighbours   Z [2, lines, m], m = n / 2, of x[2j] + i x[2j+1]; X [2, lines, m + 1], times scale
///   two lines    line p as real, line p + lines / 2 as imaginary parts of line p < (lines + 1) / 2, so
///                that contiguous lines are planes already; one of an odd number is in two. Z, times
///                1/2, to X [2, lines, h]. Back, imaginary parts of bins 0 and n/2 are not looked at
struct packed_spectra {
  bool neighbours = false;        ///< else two lines
  std::int64_t lines = 1, n = 1;  ///< real ones
  bool inverse = false;           ///< from their bins
  /// The second line of a pair is the real part, and planes of Z are exchanged, so that Z are the
  /// inverse transforms of pairs.
  bool exchanged = false;
  double scale = 1;  ///< of neighbours

  std::int64_t bins() const { return n / 2 + 1; }
  std::int64_t points() const { return neighbours ? n / 2 : n; }  ///< of a complex line
  std::int64_t complex_lines() const { return neighbours ? lines : (lines + 1) / 2; }
  /// The line that is packed with line 0. Of an odd number one line is in two pairs, as the first of
  /// the last one and the second of pair 0.
  std::int64_t second() const { return lines / 2; }
  /// Bins with a partner; of two lines those whose partner is another one.
  std::int64_t partnered() const { return neighbours ? points() / 2 : (n - 1) / 2; }
  double half() const { return inverse ? scale : scale / 2; }
  std::int64_t elements(bool of_lines) const {
    return of_lines ? 2 * lines * bins() : 2 * complex_lines() * points();
  }

  auto fields() const { return std::tie(neighbours, lines, n, inverse, exchanged, scale); }
  std::string describe() const {
    using base_detail::message;
    if (neighbours)
      return message(inverse ? "pack" : "unpack", " bins k and ", points(), " - k, ", lines,
                     " lines");
    return message(inverse ? "two lines to a complex one, " : "a complex line to two, ", lines,
                   lines == 1 ? " real line of " : " real lines of ", n);
  }
  packed_spectra without_batch() const {
    packed_spectra one = *this;
    one.lines = 0;
    return one;
  }
};

fft_step packed_spectra_step(const packed_spectra& what);

/// Pairs of neighbours of `points` complex points to planes (split), or back.
fft_step pairs_step(std::int64_t points, bool split);

/// An odd number of lines to planes of such complex lines: the middle one is in both.
fft_step pair_lines_step(std::int64_t lines, std::int64_t n);
/// Planes of such complex lines to the lines of an odd number of them.
fft_step drop_twin_step(std::int64_t lines, std::int64_t n);

/// The real planes of [lines, n].
fft_step real_planes_step(std::int64_t lines, std::int64_t n);

/// Bins [2, lines, h] with imaginary parts of 0 where they are of no account. `written`: the step
/// before has written the others.
fft_step clear_ends_step(std::int64_t lines, std::int64_t n, bool written);

}  // namespace papilio::kernels_detail
