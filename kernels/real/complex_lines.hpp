#pragma once

#include <optional>

#include "kernels/fft/recipe.hpp"
#include "papilio/engine/machine_spec.hpp"

namespace papilio::kernels_detail {

/// Complex transforms of planes [2, outer, n] as those of 2 outer real lines, the real and the
/// imaginary parts, and a sweep that makes one spectrum of two, times scale; none where such real
/// lines do not fit partitions.
std::optional<fft_recipe> complex_lines_by_parts(std::int64_t outer, std::int64_t n, bool inverse,
                                                 double scale, const engine::machine_spec& machine);

}  // namespace papilio::kernels_detail
