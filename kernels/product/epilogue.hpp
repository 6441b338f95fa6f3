#pragma once

#include <array>
#include <cstdint>

#include "kernels/product/result_layout.hpp"
#include "kernels/product/rooms.hpp"

// The epilogue of a product: sums leave PSUM, scaled and with C0, bias, function and sums of rows.
namespace papilio::kernels_detail {

/// The place of a block among the others.
struct block_place {
  axis_ranges ranges;
  bool begins, ends;                   ///< first and last block of its results' sums
  bool has_new_rows, has_new_columns;  ///< unlike the block before
  bool ends_rows, is_last;             ///< last block of these rows; last block
};

/// Sums that leave PSUM together.
struct leaving_sums {
  const axis_piece &m, &n;                   ///< pieces of the first sum, within the block
  std::int64_t row;                          ///< number of the block's piece of rows
  std::array<engine::tile_view, 2> to = {};  ///< by plane of the result
  /// A bank for each plane, or three for three products; empty where sums have no terms.
  std::array<engine::tile_view, 3> banks = {};
  int parts = 1;  ///< parts of a result of one plane; `to` then has a view for each part
};

class result_epilogue {
 public:
  result_epilogue(engine::core& nc, const contraction_step& step, const product_step_design& design,
                  const step_tensors& tensors, const product_pools& pools);

  void begin(const block_place& block);
  /// Loads C0 into a result tile; and stores a finished tile.
  void open(const result_layout& layout, const engine::tile_view& tile);
  void close(const result_layout& layout, const engine::tile_view& tile);
  /// Moves sums of the current block from PSUM to their places in a tile.
  void put(const leaving_sums& s);
  /// Stores row sums or totals that the block completes.
  void end();

 private:
  bool has_sums() const;
  engine::tile_view bias_of(int plane, const leaving_sums& s) const;
  void put_plane(const leaving_sums& s, int plane);
  void put_three(const leaving_sums& s);
  void sum_row(const leaving_sums& s, const engine::tile_view& values, float scale);
  void store_row_sums();
  void add_to_total();
  axis_range rows() const { return block_.ranges[std::size_t(design_.m_axes[0])]; }

  engine::core& nc_;
  const contraction_step& step_;
  const product_step_design& design_;
  const kernels::product_epilogue& what_;
  const step_tensors& tensors_;
  engine::tile_pool biases_, row_sums_, cells_, totals_;
  block_place block_ = {};
  engine::tile_view bias_, row_sum_, total_;
};

}  // namespace papilio::kernels_detail
