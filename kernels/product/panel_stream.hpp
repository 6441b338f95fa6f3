#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "kernels/product/design.hpp"

// A moving operand that streams past products.
namespace papilio::kernels_detail {

/// Parts of some k tiles each, of all blocks in turn: a few come before they are used, and a part
/// goes when the next is asked for.
class panel_stream {
 public:
  /// `made` are the blocks of the walk.
  panel_stream(engine::core& nc, const contraction_step& step, const product_step_design& design,
               const engine::hbm_view& tensor, const panel_pools& pools,
               const engine::tile_view& given, const block_walk& walk,
               const std::vector<std::int64_t>& made);

  /// The part that k tile t of the block under way is in.
  product_panel& at(std::size_t t);
  /// The block, which had so many k tiles, is done.
  void end_block(std::size_t k_tiles);

 private:
  void bring_until(std::int64_t count);

  engine::core& nc_;
  const contraction_step& step_;
  const product_step_design& design_;
  const engine::hbm_view& tensor_;
  const panel_pools& pools_;
  const engine::tile_view& given_;
  const block_walk& walk_;
  const std::vector<std::int64_t>& made_;
  std::deque<product_panel> parts_;
  // Parts that were brought, that went, and that blocks before used.
  std::int64_t brought_ = 0, gone_ = 0, used_ = 0;
  std::size_t next_block_ = 0;
  std::int64_t next_part_ = 0;
};

}  // namespace papilio::kernels_detail
