#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "kernels/product/design.hpp"
#include "kernels/product/rooms.hpp"

// Panels of a product's operands, block by block.
namespace papilio::kernels_detail {

/// The panels of a block are there when its products begin, but for the first block; those of the
/// next one come evenly between its products. An operand that streams comes in parts of some k
/// tiles.
class product_operands {
 public:
  /// `made`: the blocks of the walk that are made, in turn.
  product_operands(engine::core& nc, const contraction_step& step,
                   const product_step_design& design, const step_tensors& tensors,
                   const product_pools& pools, engine::tile_pool& transposes,
                   const block_walk& walk, const std::vector<std::int64_t>& made);

  /// The chips have what all blocks before `end` read.
  void take(const product_chips& chips, std::size_t end);
  /// Brings the panels of a block, unless they are those of the block before: what is loaded as it
  /// lies at once, what is transposed or taken apart as its time comes.
  void bring(std::size_t at);

  /// The products of a block with so many sums begin, go on for so many k tiles of sums, and end.
  void begin(std::size_t at, std::int64_t sums);
  void advance(std::int64_t tiles);
  void end();

  std::size_t k_tiles() const { return now_.rows->k_tiles().size(); }
  product_panel& rows() { return *now_.rows; }
  /// A panel with k tile t of the columns, and which of its tiles that is.
  struct tile_of_columns {
    product_panel& panel;
    std::size_t tile;
  };
  tile_of_columns columns(std::size_t t);

 private:
  // The panel that blocks have now, and that of the next block where its parts are taken of what is
  // loaded: that is loaded one block earlier.
  struct operand_now {
    std::shared_ptr<product_panel> panel, next;
    std::int64_t place = 0;
  };
  // Panels of the block under way, and how far the next ones are: in k tiles of sums.
  struct progress {
    std::size_t at = 0;
    std::shared_ptr<product_panel> rows, columns;  // none: they stream
    std::int64_t all = 0, done = 0, start = 0;
    bool has_next = false;
  };

  bool streams() const { return design_.stream > 0; }
  void bring_one(std::size_t at, const panel_design& design, const panel_pools& pools,
                 operand_now& now);
  product_panel& streamed(std::size_t t);

  engine::core& nc_;
  const contraction_step& step_;
  const product_step_design& design_;
  const step_tensors& tensors_;
  const block_walk& walk_;
  const std::vector<std::int64_t>& made_;
  engine::tile_pool stationary_, moving_, stationary_raw_, moving_raw_;
  panel_pools stationary_pools_, moving_pools_;
  product_chips chips_ = {};
  std::size_t end_ = 0;  // of the blocks whose operands are there
  operand_now rows_, columns_;
  progress now_ = {};
  std::deque<product_panel> parts_;                 // of an operand that streams
  std::int64_t brought_ = 0, gone_ = 0, used_ = 0;  // parts; `used_`: by the blocks before
  std::size_t next_block_ = 0;                      // of the next part to be brought
  std::int64_t next_part_ = 0;
};

}  // namespace papilio::kernels_detail
