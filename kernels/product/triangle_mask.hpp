#pragma once

#include <cstdint>

#include "papilio/engine/core.hpp"
#include "papilio/kernels/triangular.hpp"

// Masks for blocks of triangular matrices.
namespace papilio::kernels_detail {

/// out = in with zeros beside the triangle whose diagonal is where column = row + diagonal; with
/// `strict` the diagonal is zeros, too.
void keep_triangle(engine::core& nc, const engine::tile_view& out, const engine::tile_view& in,
                   kernels::triangle part, std::int64_t diagonal, bool strict);
/// Writes ones on the diagonal column = row + diagonal.
void set_diagonal(engine::core& nc, const engine::tile_view& block, std::int64_t diagonal);

}  // namespace papilio::kernels_detail
