#pragma once

#include <cstdint>
#include <vector>

#include "kernels/real/line_program.hpp"
#include "papilio/engine/core.hpp"

namespace papilio::kernels_detail {

/// Lines along an axis that is not the last one: an array [outer, element, inner], planes of it
/// where a program's lines have several moves. Elements come to partitions, `width` lanes in a row
/// of DMA: the pieces of the first stage as it multiplies them. Results are turned back from lines
/// on partitions, 128 at a time, on the tensor engine; or they leave line by line.
class column_access {
 public:
  column_access(engine::core& nc, const line_program& program, const engine::hbm_view& in,
                const engine::hbm_view& out);

  std::int64_t blocks() const;
  /// Lanes of a block, and the first of them in its row of `inner`.
  std::int64_t lanes(std::int64_t block) const;
  std::int64_t first_lane(std::int64_t block) const;
  /// Blocks in order, before their first stage.
  void enter(std::int64_t block);
  /// Piece number `piece` of the first stage, in the order (unit, group, piece): [rows, lanes].
  engine::tile_view entered(std::int64_t block, std::size_t piece) const;
  /// A block's lines out of a tile [lanes, columns].
  void leave(std::int64_t block, const engine::tile_view& lines, engine::tile_pool& banks);

 private:
  // Neighbouring elements of a move, up to one for each partition, in a slot of the tile.
  struct part {
    std::size_t move;
    std::int64_t first, rows, slot;
  };
  // Some blocks that share rows of DMA.
  struct batch {
    std::int64_t outer, lane, lanes;
  };

  static std::vector<part> parts_of(const std::vector<line_move>& moves, std::int64_t side);
  batch batch_of(std::int64_t block) const;
  std::int64_t lane_in_batch(std::int64_t block) const;
  void leave_lines(std::int64_t block, const engine::tile_view& lines);
  void store(const batch& b);
  void load(std::int64_t block);

  engine::core& nc_;
  const line_program& program_;
  engine::hbm_view in_, out_;
  std::int64_t side_, per_outer_;
  std::vector<line_piece> ins_;
  std::vector<part> outs_;
  engine::tile_pool loaded_, stored_;
  std::vector<engine::tile_view> loads_ = {};  ///< of the batch that is entered, and the next one
  engine::tile_view store_ = {};
};

/// Elements of a partition that the access takes.
std::int64_t access_columns(const line_program& program, std::int64_t partitions);

}  // namespace papilio::kernels_detail
