#pragma once

#include <cstdint>

#include "kernels/product/design.hpp"
#include "papilio/engine/core.hpp"

// The layout of products' results in SBUF, and which blocks of a triangular result are made.
namespace papilio::kernels_detail {

/// The layout of a result tile: rows on partitions, all other axes along them in the output's
/// order.
class result_layout {
 public:
  /// `ranges` are the tile's: those of the block, or of a group of its rows.
  result_layout(const contraction_step& step, const product_step_design& design,
                const axis_ranges& ranges, const axis_ranges& block);

  chip_layout chip() const;
  /// The tile's ranges of rows and columns, for results with one axis each.
  axis_range rows() const { return ranges_[std::size_t(design_.m_axes[0])]; }
  axis_range columns() const { return ranges_[std::size_t(design_.n_axes[0])]; }

  /// The offset of a sum in the tile, in elements; pieces are counted within the block.
  std::int64_t offset(const axis_piece& b, const axis_piece& m, const axis_piece& n) const;
  /// The view of `count` sums whose offsets are `apart` from each other.
  engine::tile_view sums(const engine::tile_view& tile, int plane, std::int64_t offset,
                         std::int64_t count, std::int64_t apart, const axis_piece& m,
                         const axis_piece& n) const;
  /// The number of pattern levels that one sum needs.
  std::size_t levels() const { return merged(one_sum(2)).size(); }

  /// Moves the results to HBM or from it; a triangle lies there as a triangle_layout.
  void issue(engine::core& nc, transfer which, const engine::tile_view& tile,
             const engine::hbm_view& tensor) const;

 private:
  view_levels one_sum(std::int64_t cut_count) const;

  const contraction_step& step_;
  const product_step_design& design_;
  axis_ranges ranges_, block_;
  tile_layout lies_;
};

/// The axis along which a block's rows are made in groups, each stored when it is finished.
struct row_groups {
  int axis = -1;           ///< -1: the block is one group
  std::int64_t count = 1;  ///< elements of the axis in a group

  std::int64_t groups(const axis_ranges& ranges) const {
    return axis < 0 ? 1 : ceil_div(ranges[std::size_t(axis)].count, count);
  }
  axis_ranges part(axis_ranges ranges, std::int64_t group) const;
};
/// Cuts a block along the batch, else along its rows.
row_groups row_groups_of(const contraction_step& step, const product_step_design& design,
                         const axis_ranges& ranges);

/// The columns that these rows have in the triangle, with all columns of blocks on the diagonal;
/// all columns where the result is no triangle.
axis_range in_part(const contraction_step& step, const axis_range& rows, const axis_range& columns);
/// Whether a block has elements of the triangle; true where the result is none.
bool is_made(const contraction_step& step, const product_step_design& design,
             const axis_ranges& ranges);

}  // namespace papilio::kernels_detail
