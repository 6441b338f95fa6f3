#pragma once

#include <optional>
#include <vector>

#include "kernels/fft/pass.hpp"

namespace papilio::kernels_detail {

/// A pass over contiguous lines of n points, one to a partition, unplanned; none if n does not fit
/// a block.
std::optional<fft_pass> line_pass(std::int64_t lanes, std::int64_t n, bool inverse,
                                  const array_operands& operands,
                                  const engine::machine_spec& machine);

}  // namespace papilio::kernels_detail
