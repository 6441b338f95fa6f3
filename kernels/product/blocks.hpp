#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "kernels/product/step.hpp"
#include "papilio/engine/core.hpp"

// The loops of a step, cut into blocks that SBUF holds, and the layout of a tensor's block there.
namespace papilio::kernels_detail {

/// Elements [first, first + count) of an axis.
struct axis_range {
  std::int64_t first = 0, count = 1;
};
using axis_ranges = std::vector<axis_range>;  ///< by axis of the step

/// A loop over the blocks of an axis: a block has `block` units of `unit` elements each.
struct block_loop {
  int axis = 0;
  std::int64_t unit = 1, units = 1, block = 1;
  bool is_fixed = false;  ///< blocks stay one unit

  std::int64_t blocks() const { return ceil_div(units, block); }
  auto fields() const { return std::tie(axis, unit, units, block, is_fixed); }
};

/// The number of blocks that the loops have together.
double blocks_of(const std::vector<block_loop>& loops);

/// Loops over these axes. Axes that lie whole on partitions need none; the unit of the axis that is
/// cut on them is its chunk.
std::vector<block_loop> loops_of(const contraction_step& step, const std::vector<int>& axes,
                                 const axis_partitions& group);

/// Makes blocks larger while they fit: first along axes with short strides, for long DMA rows; then
/// along summed axes, so that sums need not be added up in parts; then along all others in turn.
void grow(const contraction_step& step, std::vector<block_loop>& loops,
          const engine::machine_spec& machine, function_ref<bool()> fits);

/// The blocks of nested loops by number; the last loop is the innermost.
class block_walk {
 public:
  block_walk(const contraction_step& step, std::vector<block_loop> loops);

  std::int64_t blocks() const { return blocks_; }
  /// The range of each axis in a block; axes without a loop are whole.
  axis_ranges ranges(std::int64_t block) const;
  /// The number of a block among the loops over these axes alone: it changes where their ranges do.
  std::int64_t place(std::int64_t block, const std::vector<int>& axes) const;

 private:
  std::int64_t index(std::int64_t block, std::size_t loop) const {
    return block / steps_[loop] % loops_[loop].blocks();
  }

  const contraction_step& step_;
  std::vector<block_loop> loops_;
  std::vector<std::int64_t> steps_;
  std::int64_t blocks_ = 1;
};

/// A piece of a block: partitions of an axis_partitions, at one value of each of the other axes.
struct axis_piece {
  std::vector<std::int64_t> at;  ///< by axis of the step, counted within the block
  std::int64_t cut_count = 1, partitions = 1;
};
/// The pieces of a block over these axes; chunks of the cut axis follow each other fastest.
std::vector<axis_piece> pieces_of(const contraction_step& step, const axis_partitions& group,
                                  const std::vector<int>& axes, const axis_ranges& ranges);

/// The number of these pieces: chunks of the cut axis times values of axes not on partitions.
std::int64_t pieces_in(const axis_partitions& group, const std::vector<int>& axes,
                       const axis_ranges& ranges);

/// Whether an axis is one of these; and one list behind the other.
bool is_among(const std::vector<int>& axes, int axis);
std::vector<int> both_axes(std::vector<int> a, const std::vector<int>& b);
/// The axes sorted by their strides in a tensor.
std::vector<int> slowest_first(const contraction_step& step, std::vector<int> axes,
                               operand_role in);
std::vector<int> fastest_first(const contraction_step& step, std::vector<int> axes,
                               operand_role in);

/// The layout of a tensor's block in a tile: some axes lie on partitions, the planes and the other
/// axes along them, in HBM's order. The chunks of an axis that is cut on partitions lie one behind
/// the other along them.
class tile_layout {
 public:
  /// An axis along the partitions, with its strides in HBM (`there`) and in the tile (`here`).
  struct free_axis {
    int axis;  ///< -1: the plane
    std::int64_t count, there, here;
  };

  tile_layout(const contraction_step& step, operand_role of, const axis_partitions& partitions,
              const axis_ranges& ranges);

  const std::vector<free_axis>& free_axes() const { return axes_; }
  std::int64_t words() const { return words_; }
  std::int64_t plane() const { return plane_; }
  /// The stride of an axis in the tile, in elements; for the cut axis it is that from chunk to
  /// chunk, for other axes on partitions 0.
  std::int64_t stride(int axis) const { return strides_[std::size_t(axis)]; }
  const std::vector<std::int64_t>& strides() const { return strides_; }

  /// Moves the block between the flat tensor and a tile, by as few DMA transfers as patterns allow.
  void issue(engine::core& nc, transfer which, const engine::tile_view& tile,
             const engine::hbm_view& tensor) const;

 private:
  const contraction_step& step_;
  operand_role of_;
  axis_partitions partitions_;
  std::vector<free_axis> axes_;
  std::vector<std::int64_t> strides_;
  std::int64_t words_ = 1, plane_ = 0, first_ = 0, cut_count_ = 1;
};

}  // namespace papilio::kernels_detail
