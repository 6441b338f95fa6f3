#pragma once

#include <cstdint>
#include <vector>

#include "kernels/product/design.hpp"
#include "papilio/engine/core.hpp"

// Room that a product takes: tiles in SBUF and PSUM, blocks and instructions.
namespace papilio::kernels_detail {

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
  pool_size bias = {2}, row_sums = {2}, cells = {4}, totals = {2};
  std::int64_t longest_step = 1;  ///< of a pattern in a tile
  std::int64_t twice_bytes = 0;   ///< of two blocks of everything

  std::int64_t bytes() const;
};
product_pools pools_of(const contraction_step& step, const product_step_design& design);
/// A part of a block's moving operand, which streams; all of it where it does not.
axis_ranges streamed_part(const product_step_design& design, axis_ranges block, std::int64_t part);
/// Parts of a moving operand that streams which come before they are used.
std::int64_t parts_ahead(const product_step_design& design);

/// Sums under way in PSUM; what is transposed has the other banks, two at least.
std::int64_t sums_at_once(const product_step_design& design, const engine::machine_spec& machine);

/// Blocks of the walk that are made, of a triangle not all; and how many they are.
std::vector<std::int64_t> made_blocks(const contraction_step& step,
                                      const product_step_design& design, const block_span& some);
std::int64_t blocks_made(const contraction_step& step, const product_step_design& design);
/// Blocks of a dry run, of which all are so many times as much work. A triangle's begin at its
/// middle, where panels have as many blocks as in the mean.
struct block_sample {
  block_span some;
  double scale = 1;
};
block_sample sample_of(const contraction_step& step, const product_step_design& design);
/// Blocks of a dry run, of `all` with so many instructions each, of which each result is summed in
/// so many: enough that a pipeline's start and end are not all that is seen, and that results are
/// stored as often as in all of them.
std::int64_t blocks_to_try(double all, double effort, double of_a_result);
/// Blocks that a result is summed in; instructions of one, roughly.
double blocks_of_a_result(const product_step_design& design);
double effort_of(const contraction_step& step, const product_step_design& design);

}  // namespace papilio::kernels_detail
