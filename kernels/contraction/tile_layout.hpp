#pragma once

#include <cstdint>
#include <vector>

#include "kernels/contraction/blocks.hpp"
#include "papilio/engine/core.hpp"

namespace papilio::kernels_detail {

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
  void load(engine::core& nc, const engine::tile_view& to, const engine::hbm_view& from) const;
  void store(engine::core& nc, const engine::hbm_view& to, const engine::tile_view& from) const;

 private:
  template <class Transfer>
  void in_chunks(const engine::tile_view& tile, const Transfer& transfer) const;

  const contraction_step& step_;
  side of_;
  axis_lanes lanes_;
  std::vector<free_axis> axes_;
  std::vector<std::int64_t> strides_;
  std::int64_t words_ = 1, plane_ = 0, first_ = 0, cut_count_ = 1;
};

}  // namespace papilio::kernels_detail
