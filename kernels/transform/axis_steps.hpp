#pragma once

#include "kernels/transform/lines.hpp"
#include "kernels/transform/recipe.hpp"
#include "papilio/engine/machine_spec.hpp"

// Transforms along an axis of any length, as the sweeps that dry runs find fastest.
namespace papilio::kernels_detail {

/// Complex lines: sweeps of digits; Bluestein's algorithm where a prime factor is too large for
/// them; where a column would be in short rows, transpositions before and behind.
fft_recipe complex_axis(const lines_problem& lines, const engine::machine_spec& machine);

/// Real lines to their bins, or back.
fft_recipe real_axis(const lines_problem& lines, const engine::machine_spec& machine);

/// Contiguous real lines by complex ones of as many points: two lines as one, which is packed and
/// unpacked in sweeps; in fp32 one by itself with a large prime factor, and few where a dry run
/// finds it faster, as convolutions of their points with half of the bins.
fft_recipe real_lines_by_complex(const lines_problem& lines, const engine::machine_spec& machine);

/// Contiguous complex lines by Bluestein's algorithm, with lines of a smooth length of at least
/// points_in + points_out - 1 in between that is cheap for the array.
fft_recipe bluestein(const lines_problem& lines, const engine::machine_spec& machine,
                     chirp_weight weight = chirp_weight::none);

}  // namespace papilio::kernels_detail
