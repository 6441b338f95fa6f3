#pragma once

#include <cstdint>

#include "kernels/transform/recipe.hpp"

namespace papilio::kernels_detail {

/// [planes, a, b] -> [planes, b, a] as a sweep.
fft_step transposition_of(std::int64_t planes, std::int64_t a, std::int64_t b);

/// [2, outer, a, b] -> [2, outer, b, a] as a sweep.
fft_step transposition_step(std::int64_t outer, std::int64_t a, std::int64_t b);

}  // namespace papilio::kernels_detail
