#pragma once

#include <cstdint>
#include <vector>

#include "papilio/engine/machine_spec.hpp"
#include "papilio/engine/operand.hpp"

namespace papilio::kernels_detail {

/// Part of an array of lines, on chip as [partitions, plane, lane, element]. Either lanes lie on
/// partitions (`across_lanes`, one lane to a partition), or runs of the same lines do.
struct sweep_block {
  bool across_lanes = false;
  std::int64_t partitions = 1;
  std::int64_t lane = 0, lanes = 1;                      ///< of a partition
  std::int64_t column = 0, run = 1;                      ///< elements of a lane on a partition
  std::int64_t elements() const { return lanes * run; }  ///< of a plane, on a partition

  /// Levels in a tensor [2, lanes, row]: partition, plane, lane, element.
  std::vector<engine::pattern_dim> levels(std::int64_t row, std::int64_t plane) const;
  std::int64_t offset(std::int64_t row) const { return lane * row + column; }
};

/// Columns [first, first + count) of `lanes` lines, in blocks of at most `most` elements of a plane
/// on a partition; blocks of the same columns follow each other.
std::vector<sweep_block> sweep_blocks(std::int64_t lanes, std::int64_t first, std::int64_t count,
                                      std::int64_t most, const engine::machine_spec& machine);

}  // namespace papilio::kernels_detail
