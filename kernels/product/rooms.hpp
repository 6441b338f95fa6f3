#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "kernels/product/design.hpp"
#include "papilio/engine/core.hpp"

// Room that a product takes: tiles in SBUF and PSUM, blocks and instructions.
namespace papilio::kernels_detail {

/// A tile of each kind: elements of a partition, and the longest step of a pattern in it.
struct product_tile_sizes {
  panel_size stationary, moving;
  std::int64_t result = 1;  ///< of a group of rows
  std::int64_t groups = 1;  ///< of a block
  std::int64_t bias = 1, row_sums = 1;

  std::int64_t longest_step() const {
    return std::max({stationary.tile, moving.tile, stationary.raw, moving.raw, result});
  }
};
product_tile_sizes sizes_of(const contraction_step& step, const product_step_design& design);

/// Tiles in SBUF that take turns, each with so many words of a partition.
struct pool_size {
  int depth = 1;
  std::int64_t words = 1;
  engine::dtype type = engine::dtype::fp32;

  /// With what each tile is rounded up by.
  std::int64_t bytes() const;
  engine::tile_pool made(engine::core& nc) const;
};
/// Two of what changes from block to block, so that the next is made beside the work on this one;
/// the last four are the epilogue's.
struct product_pools {
  pool_size stationary, moving, stationary_raw, moving_raw, result;
  pool_size bias, row_sums, cells, totals;

  std::array<pool_size, 9> all() const {
    return {stationary, moving, stationary_raw, moving_raw, result, bias, row_sums, cells, totals};
  }
};
product_pools pools_of(const contraction_step& step, const product_step_design& design,
                       const product_tile_sizes& sizes);
/// Parts of a moving operand that streams which come before they are used.
std::int64_t parts_ahead(const product_step_design& design);

/// Bytes of a partition: of all pools; of two blocks of everything.
std::int64_t room_of(const contraction_step& step, const product_step_design& design,
                     const product_tile_sizes& sizes);
std::int64_t twice_room_of(const contraction_step& step, const product_tile_sizes& sizes);
/// Sums under way in PSUM, beside what is transposed.
std::int64_t sums_at_once(const product_step_design& design, const engine::machine_spec& machine);

/// Blocks that are made at all, of a triangle not all of the loops'.
std::int64_t blocks_made(const contraction_step& step, const product_step_design& design);
/// Share of all work that is in the first of them.
double share_of_blocks(const contraction_step& step, const product_step_design& design,
                       std::int64_t some);
/// Blocks that a result is summed in; instructions of one, roughly.
double blocks_of_a_result(const product_step_design& design);
double effort_of(const contraction_step& step, const product_step_design& design);

}  // namespace papilio::kernels_detail
