#pragma once

#include <array>
#include <cstdint>

#include "papilio/engine/operand.hpp"

namespace papilio::engine {

/// An integer for each element of a tile: base + partition_step * p + the sum over the levels of
/// (index in the level * its stride). The levels, slowest first, count the elements of a partition:
/// the product of their extents is N. They need not be those of the tile's own pattern.
struct affine_pattern {
  std::int64_t base = 0;
  std::int64_t partition_step = 0;
  std::array<pattern_dim, 4> levels = {};
};

}  // namespace papilio::engine
