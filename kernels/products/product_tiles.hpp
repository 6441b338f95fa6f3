#pragma once

#include <cstdint>
#include <vector>

#include "kernels/products/product_workspace.hpp"

namespace papilio::kernels_detail {

/// Rows of a group times some columns of a block: what is summed in PSUM at once.
struct product_place {
  std::int64_t batch = 0, group = 0, rows = 0;
  std::int64_t j = 0;      ///< first column in C
  std::int64_t c = 0;      ///< ... and in the block
  std::int64_t count = 0;  ///< of columns
};

/// Whether the problem's part of C has elements in these rows and columns; of a triangle the blocks
/// on the diagonal are taken for whole.
bool touches(const matrix_product& problem, std::int64_t row, std::int64_t rows,
             std::int64_t column, std::int64_t columns);
/// Stores what the epilogue sums of a panel whose values are all finished.
void finish_sums(workspace& w, const panel& rows, bool is_last);

/// Tiles of C under way, of up to `side` rows each, or where the tiling is turned columns each.
class product_tiles {
 public:
  product_tiles(workspace& w, const k_part& k, const panel& rows, const product_place& place);

  /// Adds the products of k tile t; block: [k, planes x width].
  void multiply(std::int64_t t, const engine::tile_view& block);
  /// Stores the sums, with the bias, or added to those of the parts of k before.
  void finish(const engine::tile_view& bias);

  /// The bias of some columns on all partitions; none where there is none to add.
  static engine::tile_view bias_of(workspace& w, const k_part& k, std::int64_t j,
                                   std::int64_t count);

 private:
  struct open_tile {
    engine::tile_view sums;
    std::int64_t first = 0, extent = 0;  // rows within the group, or columns within the place
    std::int64_t from = 0, count = 0;    // of the moving operand: columns of the place, or rows
  };
  // Rows of the group and columns of the place whose values leave PSUM together.
  struct window {
    std::int64_t i, rows, from, count;
  };

  void open(std::int64_t first, std::int64_t extent);
  bool is_last_part() const { return k_.first + k_.depth == w_.problem.k; }
  std::int64_t row_of(std::int64_t i) const {
    return panel_.first() + at_.group * w_.tiling.rows + i;
  }
  static engine::tile_view addend(workspace& w, std::int64_t rows, std::int64_t count);
  engine::hbm_view stored(std::int64_t i, std::int64_t rows) const;
  engine::hbm_view part_of(const engine::hbm_view& tensor, const window& at) const;
  void put(const engine::tile_view& sums, const engine::tile_view& bias, const window& at);
  void put_part(const engine::tile_view& sums, const window& at);
  engine::tile_view added(const engine::tile_view& sums, const engine::tile_view& bias,
                          const window& at);
  engine::tile_view added_before(const engine::tile_view& bias, const window& at);
  void sum_rows(const engine::tile_view& values, float scale, const window& at);
  void mask(const engine::tile_view& result, const window& at);
  engine::tile_view other_for(const engine::tile_view& bias, std::int64_t i, std::int64_t rows);
  engine::tile_view result_for(std::int64_t rows);
  void combine_three(const engine::tile_view& out, const engine::tile_view& sums);
  void finish_straight(const open_tile& tile, const engine::tile_view& bias);
  void finish_turned(const engine::tile_view& bias);

  workspace& w_;
  k_part k_;
  const panel& panel_;
  product_place at_;
  bool turned_, has_epilogue_;
  std::int64_t moving_columns_;  // of a product
  std::vector<open_tile> open_;
};

}  // namespace papilio::kernels_detail
