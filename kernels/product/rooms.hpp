#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/product/design.hpp"
#include "papilio/engine/core.hpp"

// The memory that a product takes in SBUF and PSUM, its blocks, and its number of instructions.
namespace papilio::kernels_detail {

/// A pool of `depth` tiles in SBUF, each with so many words of a partition.
struct pool_size {
  int depth = 1;
  std::int64_t words = 1;
  engine::dtype type = engine::dtype::fp32;

  /// Bytes of a partition, with the rounding of each tile.
  std::int64_t bytes() const;
  engine::tile_pool made(engine::core& nc) const;
  /// The pool; nothing where it has no tiles.
  std::optional<engine::tile_pool> made_if_any(engine::core& nc) const;
};
/// The pools of a product. Tiles that change from block to block are there twice, so that the next
/// is made while this one is in use. The last four are the epilogue's.
struct product_pools {
  pool_size stationary, moving, stationary_raw, moving_raw, result;
  pool_size stationary_scales = {0}, moving_scales = {0}, staged = {0};  ///< of packed panels
  pool_size bias = {2}, row_sums = {2}, cells = {4}, totals = {2};
  std::int64_t longest_step = 1;  ///< the longest stride of a pattern in a tile
  std::int64_t twice_bytes = 0;   ///< bytes of a partition for two blocks of everything

  std::int64_t bytes() const;
};
product_pools pools_of(const contraction_step& step, const product_step_design& design);
/// The ranges of a part of a streamed moving operand; those of the block where it is not streamed.
axis_ranges streamed_part(const product_step_design& design, axis_ranges block, std::int64_t part);
/// Parts of a streamed operand that are loaded ahead of their use.
std::int64_t parts_ahead(const product_step_design& design);

/// The number of sums in flight in PSUM; transposes have the other banks, at least two.
std::int64_t sums_at_once(const product_step_design& design, const engine::machine_spec& machine);

/// The numbers of the blocks that are made, or of some of them, and how many there are; blocks
/// beside a triangle are not made.
std::vector<std::int64_t> made_blocks(const contraction_step& step,
                                      const product_step_design& design, const block_span& some);
std::int64_t blocks_made(const contraction_step& step, const product_step_design& design);
/// The blocks of a dry run, and the factor from their work to that of all. For a triangle they
/// begin in its middle, where a row of blocks has the mean length.
struct block_sample {
  block_span some;
  double scale = 1;
};
block_sample sample_of(const contraction_step& step, const product_step_design& design);
/// The number of blocks of a dry run, of `all` blocks of `effort` instructions each, with results
/// summed over `of_a_result` blocks: enough that the pipeline's start and end are a small share,
/// and whole results, so that these are stored as often as in the full run.
std::int64_t blocks_to_try(double all, double effort, double of_a_result);
/// The number of blocks that a result is summed over; and the instructions of a block, roughly.
double blocks_of_a_result(const product_step_design& design);
double effort_of(const contraction_step& step, const product_step_design& design);

}  // namespace papilio::kernels_detail
