#pragma once

#include "base/spec_check.hpp"
#include "papilio/engine/machine_spec.hpp"

namespace papilio::engine_detail {

/// Refuses the first field out of its bounds, and then the first that contradicts another.
void check_machine(const engine::machine_spec& machine, base_detail::refusal refuse);

}  // namespace papilio::engine_detail
