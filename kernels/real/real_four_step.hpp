#pragma once

#include <cstdint>
#include <optional>

#include "kernels/fft/recipe.hpp"
#include "papilio/engine/machine_spec.hpp"

// Long real lines in two sweeps over HBM, each of half of the complex transform's: n = n1 n2, n1
// over real numbers.
namespace papilio::kernels_detail {

/// Transforms of [outer, n] to [2, outer, n/2 + 1], or back, in the cut that is fastest by dry runs
/// of a few lines; none where no two factors stay on chip.
std::optional<fft_recipe> fastest_four_step(std::int64_t outer, std::int64_t n, bool inverse,
                                            double scale, const engine::machine_spec& machine);

}  // namespace papilio::kernels_detail
