#pragma once

#include <cstdint>
#include <optional>

#include "kernels/fft/recipe.hpp"

namespace papilio::kernels_detail {

/// Transforms of real lines beside each other, [outer, n, inner] to bins [2, outer, n / 2 + 1,
/// inner], by columns: two lines as one complex line, of two values of outer, or of the two halves
/// of inner where there is one value. None where that is odd, or there are no passes by columns.
std::optional<fft_recipe> twin_columns_forward(std::int64_t outer, std::int64_t n,
                                               std::int64_t inner, double scale,
                                               const engine::machine_spec& machine);
/// The inverse.
std::optional<fft_recipe> twin_columns_backward(std::int64_t outer, std::int64_t n,
                                                std::int64_t inner, double scale,
                                                const engine::machine_spec& machine);

}  // namespace papilio::kernels_detail
