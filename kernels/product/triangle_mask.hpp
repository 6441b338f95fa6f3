#pragma once

#include <cstdint>

#include "papilio/engine/core.hpp"
#include "papilio/kernels/triangular.hpp"

// Blocks of matrices of which one triangle counts.
namespace papilio::kernels_detail {

/// out = in with zeros beside the triangle whose diagonal is where column = row + diagonal;
/// `strict`: and on it.
void keep_triangle(engine::core& nc, const engine::tile_view& out, const engine::tile_view& in,
                   kernels::triangle part, std::int64_t diagonal, bool strict);
/// Ones on that diagonal.
void set_diagonal(engine::core& nc, const engine::tile_view& block, std::int64_t diagonal);

}  // namespace papilio::kernels_detail
