#pragma once

#include <cstdint>

#include "kernels/transform/recipe.hpp"

namespace papilio::kernels_detail {

/// Transposes [planes, a, b] to [planes, b, a] in one sweep.
fft_step transposition_of(std::int64_t planes, std::int64_t a, std::int64_t b);

/// Transposes complex [2, outer, a, b] to [2, outer, b, a] in one sweep.
fft_step transposition_step(std::int64_t outer, std::int64_t a, std::int64_t b);

}  // namespace papilio::kernels_detail
