#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "kernels/product/step.hpp"
#include "papilio/engine/core.hpp"

// The loops of a step in blocks that SBUF holds, and how these lie there.
namespace papilio::kernels_detail {

/// Elements [first, first + count) of an axis.
struct axis_range {
  std::int64_t first = 0, count = 1;
};
using axis_ranges = std::vector<axis_range>;  ///< by axis of the step

/// What of an axis is in a block: `block` units of `unit` elements each.
struct block_loop {
  int axis = 0;
  std::int64_t unit = 1, units = 1, block = 1;
  bool is_fixed = false;  ///< a unit at a time

  std::int64_t blocks() const { return ceil_div(units, block); }
  auto fields() const { return std::tie(axis, unit, units, block, is_fixed); }
};

/// Blocks of all loops.
double blocks_of(const std::vector<block_loop>& loops);

/// Loops over these axes but for what a lane group has of them whole; the cut one in its chunks.
std::vector<block_loop> loops_of(const contraction_step& step, const std::vector<int>& axes,
                                 const axis_lanes& group);

/// Blocks are made larger while they fit: first what lies close together in memory, for long rows;
/// then what is summed, so that it need not be added up in parts; then all others in turn.
void grow(const contraction_step& step, std::vector<block_loop>& loops,
          const engine::machine_spec& machine, function_ref<bool()> fits);

/// All blocks, the last loop the fastest.
class block_walk {
 public:
  block_walk(const contraction_step& step, std::vector<block_loop> loops);

  std::int64_t blocks() const { return blocks_; }
  /// Whole axes and blocked ones.
  axis_ranges ranges(std::int64_t block) const;
  /// The same number for blocks that are at the same place in all loops over these axes.
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

/// Lanes of a group and one value of each other axis, within the ranges of a block.
struct axis_piece {
  std::vector<std::int64_t> at;  ///< by axis of the step, from the range's first on; 0 elsewhere
  std::int64_t cut_count = 1, lanes = 1;
};
/// All of them over these axes, chunks of the cut axis the fastest.
std::vector<axis_piece> pieces_of(const contraction_step& step, const axis_lanes& group,
                                  const std::vector<int>& axes, const axis_ranges& ranges);

/// How many there are: chunks of the cut axis, and values of each axis that the group has not.
std::int64_t pieces_in(const axis_lanes& group, const std::vector<int>& axes,
                       const axis_ranges& ranges);

/// Whether it is one of these; these, then those.
bool is_among(const std::vector<int>& axes, int axis);
std::vector<int> both_axes(std::vector<int> a, const std::vector<int>& b);
/// Axes by their stride in a tensor.
std::vector<int> slowest_first(const contraction_step& step, std::vector<int> axes, side in);
std::vector<int> fastest_first(const contraction_step& step, std::vector<int> axes, side in);

/// A tensor's block in SBUF: lanes of some axes on partitions, the planes and the other axes along
/// them, in HBM's order. A cut axis of the lanes lies in chunks, one behind the other.
class tile_layout {
 public:
  /// An axis along the partitions: how many values, and how far apart in HBM and here.
  struct free_axis {
    int axis;  ///< -1: the plane
    std::int64_t count, there, here;
  };

  tile_layout(const contraction_step& step, side of, const axis_lanes& lanes,
              const axis_ranges& ranges);

  const std::vector<free_axis>& free_axes() const { return axes_; }
  std::int64_t words() const { return words_; }
  std::int64_t plane() const { return plane_; }
  /// Of the cut axis that of a chunk; 0 of the other lanes.
  std::int64_t stride(int axis) const { return strides_[std::size_t(axis)]; }
  const std::vector<std::int64_t>& strides() const { return strides_; }

  /// Transfers of the block between the flat tensor and all of a tile.
  void issue(engine::core& nc, transfer which, const engine::tile_view& tile,
             const engine::hbm_view& tensor) const;

 private:
  const contraction_step& step_;
  side of_;
  axis_lanes lanes_;
  std::vector<free_axis> axes_;
  std::vector<std::int64_t> strides_;
  std::int64_t words_ = 1, plane_ = 0, first_ = 0, cut_count_ = 1;
};

}  // namespace papilio::kernels_detail
