#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "kernels/product/design.hpp"
#include "kernels/product/rooms.hpp"

// The panels of a product's operands, block by block, made ahead of their use.
namespace papilio::kernels_detail {

/// Makes the panels of the next block evenly between the products of this one, so that they are
/// complete when the next block begins; the first block makes its own as it needs them. A streamed
/// operand is loaded in parts of some k tiles.
class product_operands {
 public:
  /// `made`: the numbers of the blocks that are made, in order.
  product_operands(engine::core& nc, const contraction_step& step,
                   const product_step_design& design, const step_tensors& tensors,
                   const product_pools& pools, engine::tile_pool& transposes,
                   const block_walk& walk, const std::vector<std::int64_t>& made);

  /// Gives the tiles in SBUF that blocks before `end` read.
  void take(const on_chip_values& on_chip, std::size_t end);
  /// Begins the panels of a block, unless they are those of the block before. Panels that need no
  /// transposition or split are loaded at once, others unit by unit between products.
  void bring(std::size_t at);

  /// Tell that a block's products, with so many sums, begin; that so many k tiles of sums are done;
  /// and that they end.
  void begin(std::size_t at, std::int64_t sums);
  void advance(std::int64_t tiles);
  void end();

  std::size_t k_tiles() const { return now_.rows->k_tiles().size(); }
  product_panel& rows() { return *now_.rows; }
  /// The panel that has k tile t of the moving operand, and the tile's number in it.
  struct tile_of_columns {
    product_panel& panel;
    std::size_t tile;
  };
  tile_of_columns columns(std::size_t t);

 private:
  // The panel of the current blocks. A panel that is split into parts is loaded one block earlier:
  // `next` is that of the next block.
  struct operand_now {
    std::shared_ptr<product_panel> panel, next;
    std::int64_t place = 0;
  };
  // The panels of the current block, and its progress in k tiles of sums, by which the next ones
  // are made.
  struct progress {
    std::size_t at = 0;
    std::shared_ptr<product_panel> rows, columns;  // columns: null where they stream
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
  std::optional<engine::tile_pool> stationary_scales_, moving_scales_, staged_;
  panel_pools stationary_pools_, moving_pools_;
  on_chip_values on_chip_ = {};
  std::size_t end_ = 0;  // blocks before it have their operands in SBUF
  operand_now rows_, columns_;
  progress now_ = {};
  std::deque<product_panel> parts_;                 // parts of a streamed operand
  std::int64_t brought_ = 0, gone_ = 0, used_ = 0;  // parts; `used_`: by the blocks before
  std::size_t next_block_ = 0;                      // block of the next part to load
  std::int64_t next_part_ = 0;
};

}  // namespace papilio::kernels_detail
