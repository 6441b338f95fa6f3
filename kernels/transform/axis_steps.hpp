#pragma once

#include "kernels/transform/lines.hpp"
#include "kernels/transform/recipe.hpp"
#include "papilio/engine/machine_spec.hpp"

// Transforms along an axis of any length, as recipes of sweeps that dry runs find fastest.
namespace papilio::kernels_detail {

/// Transforms complex lines: in sweeps of digits; by Bluestein's algorithm where a prime factor is
/// too large; between two transpositions where adjacent lines are so few that DMA rows are short.
fft_recipe complex_axis(const lines_problem& lines, const engine::machine_spec& machine);

/// Transforms real lines to their n/2 + 1 bins, or back.
fft_recipe real_axis(const lines_problem& lines, const engine::machine_spec& machine);

/// Transforms contiguous real lines by complex transforms of n points: two-for-one packing, with a
/// sweep that packs or unpacks spectra. In fp32 with a large prime factor, a single line, and few
/// lines where a dry run finds it faster, are convolutions from n points to n/2 + 1 bins.
fft_recipe real_lines_by_complex(const lines_problem& lines, const engine::machine_spec& machine);

/// Transforms contiguous complex lines by Bluestein's algorithm, with convolutions of a smooth
/// length of at least points_in + points_out - 1 that is cheap for the array.
fft_recipe bluestein(const lines_problem& lines, const engine::machine_spec& machine,
                     chirp_weight weight = chirp_weight::none);

}  // namespace papilio::kernels_detail
