#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "papilio/base/parallel_for.hpp"
#include "papilio/engine/core.hpp"

// Nested loops over elements that are in several places at once, as access patterns of each.
namespace papilio::kernels_detail {

/// A loop with its stride in each of up to three places, in elements.
struct view_level {
  std::int64_t extent = 1;
  std::array<std::int64_t, 3> strides = {};
};
using view_levels = std::vector<view_level>;

/// Drops loops of one value, and fuses neighbouring loops that are contiguous in all places;
/// elements and their order stay.
view_levels merged(const view_levels& levels);

/// Splits loops that have more levels than a pattern: calls `visit` for each value of the slowest
/// levels, with the offset in each place and the last `most` levels.
using part_function =
    function_ref<void(const std::array<std::int64_t, 3>& offsets, std::span<const view_level>)>;
void for_each_part(const view_levels& levels, std::size_t most, part_function visit);

/// The view of a tile that the levels make with their strides in one place, from an element on.
engine::tile_view viewed(const engine::tile_view& tile, std::int64_t offset,
                         std::span<const view_level> levels, std::size_t place);

enum class transfer : std::uint8_t { load, store };

/// Moves elements between a flat tensor in HBM and all partitions of a tile. `partitions` are the loops
/// over partitions, slowest first, with strides in HBM at 0; `free` are those along partitions,
/// with strides in HBM at 0 and in the tile at 1. Issues as many transfers as the patterns need.
void issue_transfers(engine::core& nc, transfer which, const engine::tile_view& tile,
                     const engine::hbm_view& tensor, std::int64_t offset,
                     const view_levels& partitions, const view_levels& free);

}  // namespace papilio::kernels_detail
