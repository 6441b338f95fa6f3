#pragma once

#include "engine/checker.hpp"
#include "papilio/engine/machine_spec.hpp"
#include "papilio/engine/operand.hpp"

namespace papilio::engine_detail {

/// Refuses a predicate that is no integer tile of the shape of `out`, or is in PSUM as `in` is.
void require_predicate(const checker& check, const engine::tile_view& predicate,
                       const engine::tile_view& out, const char* in_name,
                       const engine::tile_view& in);

/// Cycles of tensor_copy_predicated.
double copy_predicated_cycles(const engine::vector_engine_spec& vector, const engine::tile_view& in,
                              const engine::tile_view& predicate);

}  // namespace papilio::engine_detail
