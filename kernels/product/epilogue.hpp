#pragma once

#include <array>
#include <cstdint>

#include "kernels/product/result_layout.hpp"
#include "kernels/product/rooms.hpp"

// Sums of products on their way out of PSUM.
namespace papilio::kernels_detail {

/// A block of a product among the others.
struct block_place {
  axis_ranges ranges;
  bool begins, ends;                   ///< the first and the last that its results are summed in
  bool has_new_rows, has_new_columns;  ///< others than the block before
  bool ends_rows, is_last;             ///< no block after it has these rows; there is no other
};

/// Sums that leave PSUM together.
struct leaving_sums {
  const axis_piece &m, &n;                   ///< of the first, within the block
  std::int64_t row;                          ///< of the block's pieces of rows
  std::array<engine::tile_view, 2> to = {};  ///< by plane of the result
  /// There is one for each plane, or three of three products; none of sums without terms.
  std::array<engine::tile_view, 3> banks = {};
  int parts = 1;  ///< of the result, which is then of one plane: `to` has them
};

class result_epilogue {
 public:
  result_epilogue(engine::core& nc, const contraction_step& step, const product_step_design& design,
                  const step_tensors& tensors, const product_pools& pools);

  void begin(const block_place& block);
  /// C0 comes to a result tile; its results go to HBM.
  void open(const result_layout& layout, const engine::tile_view& tile);
  void close(const result_layout& layout, const engine::tile_view& tile);
  /// Sums of the block that was begun go to their places in a tile.
  void put(const leaving_sums& s);
  /// Stores sums that are complete.
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
