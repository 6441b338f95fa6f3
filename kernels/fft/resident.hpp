#pragma once

#include "kernels/fft/recipe.hpp"

namespace papilio::kernels_detail {

/// Whether a line of n points, or `lines` of them one after the other, stays in SBUF from load to
/// store: n = a b c with a, b within half the array and c once or twice its side.
bool resident_fits(std::int64_t n, const engine::machine_spec& machine);

/// The transform of [outer, n] as one sweep. resource_error where a line does not fit.
fft_step resident_step(std::int64_t outer, std::int64_t n, bool inverse, double scale,
                       const engine::machine_spec& machine);

}  // namespace papilio::kernels_detail
