#pragma once

#include <optional>

#include "kernels/transform/lines.hpp"
#include "kernels/transform/sweep.hpp"

// Transforms along axes whose points are on partitions as they are loaded and stored.
namespace papilio::kernels_detail {

/// Lines beside each other in one sweep, of the digits that dry runs find fastest; none where no
/// digits fit.
std::optional<fft_step> columns_step(const lines_problem& problem,
                                     const engine::machine_spec& machine);

}  // namespace papilio::kernels_detail
