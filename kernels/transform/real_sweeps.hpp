#pragma once

#include <cstdint>
#include <string>
#include <tuple>

#include "kernels/transform/recipe.hpp"
#include "papilio/base/error.hpp"

// Sweeps over HBM that pack real lines or Hermitian spectra for complex transforms, and unpack
// them, for lines that do not fit on chip. Complex tensors are planar; lines [lines, n] have
// h = n/2 + 1 bins. DMA bounds them.
namespace papilio::kernels_detail {

/// A sweep from spectra Z of complex lines to the spectra X of the real lines packed in them; or
/// from X to Z, whose inverse transforms are lines packed so.
///   neighbours   Z [2, lines, m], m = n / 2, of x[2j] + i x[2j+1]; X [2, lines, m + 1], times
///                scale
///   two lines    complex line p < (lines + 1) / 2 has line p as real and line p + lines / 2 as
///                imaginary part, so that contiguous lines are planes already; the middle one of an
///                odd number is in two. X [2, lines, h] is made from Z with a factor of 1/2 in it.
///                Back, imaginary parts of bins 0 and n/2 are not read
struct packed_spectra {
  bool neighbours = false;        ///< else two lines
  std::int64_t lines = 1, n = 1;  ///< real ones
  bool inverse = false;           ///< from their bins
  /// The second line of a pair is the real part, and the planes of Z are exchanged, so that Z holds
  /// inverse transforms of pairs.
  bool exchanged = false;
  double scale = 1;  ///< of neighbours

  std::int64_t bins() const { return n / 2 + 1; }
  std::int64_t points() const { return neighbours ? n / 2 : n; }  ///< of a complex line
  std::int64_t complex_lines() const { return neighbours ? lines : (lines + 1) / 2; }
  /// The line that is packed with line 0. For an odd number of lines it is in two pairs: second in
  /// pair 0, first in the last one.
  std::int64_t second() const { return lines / 2; }
  /// Number of bins whose partner is another bin, or the same one of neighbours' m/2.
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

/// Splits interleaved real and imaginary parts of `points` points to planes, or joins planes.
fft_step pairs_step(std::int64_t points, bool split);

/// Copies an odd number of lines to the two planes of packed lines, with the middle line in both.
fft_step pair_lines_step(std::int64_t lines, std::int64_t n);
/// Copies the planes of packed lines to an odd number of lines, the middle line once.
fft_step drop_middle_copy_step(std::int64_t lines, std::int64_t n);

/// Copies the real plane of [2, lines, n].
fft_step real_planes_step(std::int64_t lines, std::int64_t n);

/// Sets the imaginary parts of real bins of [2, lines, h] to 0. `written`: the step before has
/// written the other numbers; else they are copied.
fft_step clear_ends_step(std::int64_t lines, std::int64_t n, bool written);

}  // namespace papilio::kernels_detail
