#pragma once

#include <cstdint>
#include <string>
#include <tuple>

#include "kernels/fft/line_twins.hpp"
#include "kernels/fft/recipe.hpp"
#include "papilio/base/error.hpp"

// Sweeps over HBM between real lines, Hermitian spectra and complex transforms, for lines that do
// not stay on chip. Complex tensors are planar. Lines [outer, n] with h = n/2 + 1 bins.
namespace papilio::kernels_detail {

/// A sweep between the bins of pairs of real lines and those of complex ones.
struct paired_spectra {
  line_twins what = {};
  bool inverse = false, exchanged = false;

  auto fields() const { return std::tie(what, inverse, exchanged); }
  std::string describe() const {
    return base_detail::message(
        inverse ? "two lines to a complex one, " : "a complex line to two, ", what.lines,
        what.lines == 1 ? " real line of " : " real lines of ", what.n);
  }
  paired_spectra without_batch() const { return {{0, what.n}, inverse, exchanged}; }
};

/// Pairs of neighbours of `points` complex points to planes, or back.
fft_step split_pairs_step(std::int64_t points);
fft_step join_pairs_step(std::int64_t points);

/// Z [2, outer, m], the transforms of the lines x[2j] + i x[2j+1], to X [2, outer, m + 1], those of
/// x, times scale.
fft_step untangle_step(std::int64_t outer, std::int64_t m, double scale);
/// X [2, outer, m + 1] to Z [2, outer, m], whose inverse transforms are x[2j] + i x[2j+1].
fft_step tangle_step(std::int64_t outer, std::int64_t m, double scale);

/// Two real lines as one complex line: line p as real, line p + lines / 2 as imaginary parts of
/// line p < (lines + 1) / 2, so that contiguous lines are planes already; one of an odd number is
/// in two. Z, transforms of complex lines of n points times 1/2, to X [2, lines, h].
fft_step separate_step(std::int64_t lines, std::int64_t n);
/// X to Z, whose inverse transforms have the lines as their parts. Imaginary parts of bins 0 and
/// n/2 are not looked at. `exchanged`: the second line of a pair is the real part, and planes of Z
/// are exchanged, so that Z are the inverse transforms of pairs.
fft_step join_lines_step(std::int64_t lines, std::int64_t n, bool exchanged = false);
/// An odd number of lines to planes of such complex lines: the middle one is in both.
fft_step pair_lines_step(std::int64_t lines, std::int64_t n);
/// Planes of such complex lines to the lines of an odd number of them.
fft_step drop_twin_step(std::int64_t lines, std::int64_t n);

/// The real planes of [lines, n].
fft_step real_planes_step(std::int64_t lines, std::int64_t n);

/// Bins [2, lines, h] with imaginary parts of 0 where they are of no account.
fft_step clear_ends_step(std::int64_t lines, std::int64_t n);
/// The same of bins where the step before has written them.
fft_step clear_written_ends_step(std::int64_t lines, std::int64_t n);

}  // namespace papilio::kernels_detail
