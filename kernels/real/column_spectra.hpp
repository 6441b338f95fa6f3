#pragma once

#include <cstdint>

#include "kernels/fft/recipe.hpp"
#include "papilio/engine/machine_spec.hpp"

// One more factor before transforms of real lines: of n = m q points, m and q odd, the m columns
// x[r + m j] are lines of q points.
namespace papilio::kernels_detail {

/// Spectra of the columns, [2, m, q/2 + 1], to the line's, [2, n/2 + 1], times scale; m at most
/// the array's side.
fft_step columns_to_line_step(std::int64_t n, std::int64_t m, double scale,
                              const engine::machine_spec& machine);
/// The line's spectrum to those of the columns, whose inverse transforms they are, times scale. The
/// imaginary part of bin 0 is not looked at.
fft_step line_to_columns_step(std::int64_t n, std::int64_t m, double scale,
                              const engine::machine_spec& machine);

}  // namespace papilio::kernels_detail
