#pragma once

#include "kernels/fft/recipe.hpp"

namespace papilio::kernels_detail {

/// Of a dry run.
double modelled_seconds(const fft_recipe& recipe, const engine::machine_spec& machine);

}  // namespace papilio::kernels_detail
