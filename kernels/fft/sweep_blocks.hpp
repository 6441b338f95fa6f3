#pragma once

#include <cstdint>
#include <vector>

#include "papilio/engine/machine_spec.hpp"
#include "papilio/engine/operand.hpp"

namespace papilio::kernels_detail {

/// Part of an array of lines: runs of some lines, one to a partition, as [plane, element]. Lanes
/// are the slow index of the partitions.
struct sweep_block {
  std::int64_t lane = 0, lanes = 1;
  std::int64_t column = 0, runs = 1, run = 1;  ///< of a line: `runs` of `run` elements each
  std::int64_t partitions() const { return lanes * runs; }

  /// Levels in a tensor [2, lanes, row]: lane, run, plane, element.
  std::vector<engine::pattern_dim> levels(std::int64_t row, std::int64_t plane) const {
    return {{lanes, row}, {runs, run}, {2, plane}, {run, 1}};
  }
  std::int64_t offset(std::int64_t row) const { return lane * row + column; }
};

/// Columns [first, first + count) of `lanes` lines, in blocks of runs of at most `most`
/// elements; blocks of the same columns follow each other.
std::vector<sweep_block> sweep_blocks(std::int64_t lanes, std::int64_t first, std::int64_t count,
                                      std::int64_t most, const engine::machine_spec& machine);

}  // namespace papilio::kernels_detail
