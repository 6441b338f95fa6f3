#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "papilio/base/parallel_for.hpp"
#include "papilio/engine/core.hpp"

// Loops over elements as access patterns of several places at once.
namespace papilio::kernels_detail {

/// A loop, with what a step of it is in each of up to three places, in elements.
struct view_level {
  std::int64_t extent = 1;
  std::array<std::int64_t, 3> strides = {};
};
using view_levels = std::vector<view_level>;

/// The same elements in the same order: extents of 1 dropped, and neighbours that are one in all
/// places made one.
view_levels merged(const view_levels& levels);

/// For each value of as many of the slowest levels as leave at most `most`: where the rest begins
/// in each place, and the rest.
using part_function =
    function_ref<void(const std::array<std::int64_t, 3>& offsets, std::span<const view_level>)>;
void for_each_part(const view_levels& levels, std::size_t most, part_function visit);

/// The levels in one of the places, from an element of the tile on.
engine::tile_view viewed(const engine::tile_view& tile, std::int64_t offset,
                         std::span<const view_level> levels, std::size_t place);

enum class transfer : std::uint8_t { load, store };

/// Transfers between a flat tensor in HBM and all partitions of a tile: `lanes` are the partitions,
/// slowest first, with their strides in HBM at 0; `free` has those in HBM at 0, in the tile at 1.
/// As many transfers as the patterns need.
void issue_transfers(engine::core& nc, transfer which, const engine::tile_view& tile,
                     const engine::hbm_view& tensor, std::int64_t offset, const view_levels& lanes,
                     const view_levels& free);

}  // namespace papilio::kernels_detail
