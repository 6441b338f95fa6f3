#pragma once

#include <cstdint>
#include <vector>

#include "kernels/transform/groups.hpp"
#include "kernels/transform/sweep.hpp"

// Addresses of the numbers of a sweep's lines in HBM and in tiles.
namespace papilio::kernels_detail {

/// An axis of an end with lines on partitions.
struct packed_axis {
  std::int64_t extent, hbm, tile;  ///< steps in HBM and in a tile
};

/// All axes of such an end in the order of HBM, the slowest first; `bins`: of bins, else of points.
std::vector<packed_axis> packed(const transform_sweep& s, const sweep_end& end, bool bins);

/// The layout of an end's numbers for the compiler of stages.
line_layout layout_of(const transform_sweep& s, const sweep_end& end, bool bins);

}  // namespace papilio::kernels_detail
