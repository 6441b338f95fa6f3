#pragma once

#include <cstdint>
#include <string>

#include "kernels/fft/recipe.hpp"

// Sweeps over HBM between real lines, Hermitian spectra and complex transforms, for lines that do
// not stay on chip. Complex tensors are planar. Lines [outer, n] with h = n/2 + 1 bins.
namespace papilio::kernels_detail {

/// Pairs of neighbours of `points` complex points to planes, or back.
fft_step split_pairs_step(std::int64_t points);
fft_step join_pairs_step(std::int64_t points);

/// Z [2, outer, m], the transforms of the lines x[2j] + i x[2j+1], to X [2, outer, m + 1], those of
/// x, times scale.
fft_step untangle_step(std::int64_t outer, std::int64_t m, double scale);
/// X [2, outer, m + 1] to Z [2, outer, m], whose inverse transforms are x[2j] + i x[2j+1].
fft_step tangle_step(std::int64_t outer, std::int64_t m, double scale);

/// Real numbers to planes, the imaginary one zero.
fft_step widen_step(std::int64_t count);
/// The first h bins of each line.
fft_step crop_step(std::int64_t outer, std::int64_t n);
/// All n bins from the first h: X[n - k] = conj X[k]. Imaginary parts of bins 0 and n/2 are taken
/// for 0.
fft_step expand_step(std::int64_t outer, std::int64_t n);
/// The real plane.
fft_step real_plane_step(std::int64_t count);

}  // namespace papilio::kernels_detail
