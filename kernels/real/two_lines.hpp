#pragma once

#include <cstdint>

#include "kernels/fft/recipe.hpp"

namespace papilio::kernels_detail {

/// Transforms of contiguous real lines of any length, [lines, n] to bins [2, lines, n / 2 + 1]: two
/// lines as one complex line (line_twins); in fp32 one by itself with a large prime factor, and few
/// where a dry run finds it faster, as convolutions of their points with half of the bins.
fft_recipe two_lines_forward(std::int64_t lines, std::int64_t n, double scale,
                             const array_operands& operands, const engine::machine_spec& machine);
/// The inverse.
fft_recipe two_lines_backward(std::int64_t lines, std::int64_t n, double scale,
                              const array_operands& operands, const engine::machine_spec& machine);

}  // namespace papilio::kernels_detail
