#pragma once

#include "engine/checker.hpp"
#include "papilio/engine/machine_spec.hpp"
#include "papilio/engine/operand.hpp"

namespace papilio::engine_detail {

/// Returns the cycles of tensor_copy_predicated, which other predicated instructions share.
double copy_predicated_cycles(const engine::vector_engine_spec& vector, const engine::tile_view& in,
                              const engine::tile_view& predicate);

}  // namespace papilio::engine_detail
