#pragma once

#include <cstdint>
#include <vector>

#include "kernels/transform/groups.hpp"
#include "kernels/transform/sweep.hpp"

// Where the numbers of a sweep's lanes lie in HBM and in the tiles that they are loaded to.
namespace papilio::kernels_detail {

/// An axis of an end with lanes on partitions.
struct packed_axis {
  std::int64_t extent, hbm, tile;  ///< steps in HBM and in a tile
};

/// All axes of such an end as they lie in HBM, the slowest first; `bins`: of these, else of points.
std::vector<packed_axis> packed(const transform_sweep& s, const sweep_end& end, bool bins);

/// The places of an end's numbers, as stages are compiled for them.
line_layout layout_of(const transform_sweep& s, const sweep_end& end, bool bins);

}  // namespace papilio::kernels_detail
