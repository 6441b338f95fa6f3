#pragma once

#include <cstdint>

#include "papilio/engine/machine_spec.hpp"

// How a long axis is cut into passes by columns.
namespace papilio::kernels_detail {

/// The part of a long column that one stage takes last.
std::int64_t last_factor(std::int64_t n, const engine::machine_spec& machine);

/// The divisor n1 of n for which columns over n1 that leave by rows, and then columns over n / n1,
/// are estimated to take least; 0 if there is none.
std::int64_t four_step_factor(std::int64_t n, const engine::machine_spec& machine);

}  // namespace papilio::kernels_detail
