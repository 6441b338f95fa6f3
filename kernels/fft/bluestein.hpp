#pragma once

#include <cstdint>
#include <vector>

#include "kernels/fft/recipe.hpp"
#include "papilio/engine/machine_spec.hpp"

namespace papilio::kernels_detail {

/// A smooth length of at least 2 n - 1, cheap for the passes.
std::int64_t bluestein_length(std::int64_t n, const engine::machine_spec& machine);

/// Steps of transforms of `lanes` contiguous lines of any length n by Bluestein's algorithm. The
/// results are multiplied by `scale`.
std::vector<fft_step> bluestein_steps(std::int64_t lanes, std::int64_t n, bool inverse,
                                      double scale, const array_operands& operands,
                                      const engine::machine_spec& machine);

}  // namespace papilio::kernels_detail
