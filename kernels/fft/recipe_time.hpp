#pragma once

#include <vector>

#include "kernels/fft/recipe.hpp"

namespace papilio::kernels_detail {

/// Device seconds of a dry run.
double modelled_seconds(const fft_recipe& recipe, const engine::machine_spec& machine);

/// The fastest of some ways by dry runs, the first of equal ones; one alone is not run.
fft_recipe fastest(std::vector<fft_recipe> ways, const engine::machine_spec& machine);

}  // namespace papilio::kernels_detail
