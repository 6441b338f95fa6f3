#pragma once

#include <cstdint>
#include <vector>

#include "kernels/fft/recipe.hpp"
#include "papilio/engine/machine_spec.hpp"

namespace papilio::kernels_detail {

/// An axis of n within an array [outer, n, inner].
struct fft_axis {
  std::int64_t outer = 1, n = 1, inner = 1;
};

/// Steps of transforms along an axis of any length: passes; Bluestein's algorithm where a prime
/// factor is too large for them; and where a column would be in short rows, transpositions before
/// and behind. The results are multiplied by `scale`.
std::vector<fft_step> axis_steps(const fft_axis& axis, bool inverse, double scale,
                                 const array_operands& operands,
                                 const engine::machine_spec& machine);

}  // namespace papilio::kernels_detail
