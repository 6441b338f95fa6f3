#pragma once

#include <cstdint>

#include "papilio/engine/core.hpp"
#include "papilio/kernels/triangle_layout.hpp"

// Square matrices in HBM of which one triangle is given, completed for products. The other triangle
// passes by in blocks on the diagonal, where it is masked, so that it may hold anything.
namespace papilio::kernels_detail {

/// A's symmetric matrix, whole. a: [n, n].
engine::hbm_view symmetric_matrix(engine::core& nc, const engine::hbm_view& a,
                                  kernels::triangle part);

/// A's triangle, with zeros beside it within blocks of `strip` rows on the diagonal; `strip` is a
/// multiple of `side`. What the other blocks of the other triangle hold is not written. `unit`:
/// ones on the diagonal.
engine::hbm_view triangular_matrix(engine::core& nc, const engine::hbm_view& a,
                                   kernels::triangle part, bool unit, std::int64_t strip);

/// Of a block: as many rows and columns as the array transposes at once.
std::int64_t side_of(const engine::machine_spec& machine);

}  // namespace papilio::kernels_detail
