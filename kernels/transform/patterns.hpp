#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/internal.hpp"
#include "papilio/engine/machine_spec.hpp"
#include "papilio/engine/operand.hpp"

namespace papilio::kernels_detail {

/// Part of a list of addresses that an access pattern reaches in order.
struct address_run {
  std::size_t first = 0, count = 0;
  std::vector<engine::pattern_dim> levels = {};
};

/// A list of addresses as few patterns of at most `levels_max` levels and `count_max` addresses.
PAPILIO_INTERNAL std::vector<address_run> runs_of(std::span<const std::int64_t> addresses,
                                                  std::size_t count_max, std::size_t levels_max);

/// Levels that together are one are merged, those of one element dropped; slowest first.
PAPILIO_INTERNAL std::vector<engine::pattern_dim> merged(
    const std::vector<engine::pattern_dim>& levels);

/// Whether each level steps over all that those of shorter steps reach.
PAPILIO_INTERNAL bool are_nested(std::vector<engine::pattern_dim> levels);

/// Such a part on partitions, from this one of a slot of a tile on.
struct partition_run {
  std::int64_t slot = 0, partition = 0;
  address_run run = {};
};

/// The partitions at whose multiples an access of so many may begin.
PAPILIO_INTERNAL std::int64_t start_grain(std::int64_t partitions,
                                          const engine::machine_spec& machine);

/// A list of addresses, one to a partition, over as few slots of `rows` partitions as their patterns
/// fill; none reaches over the ends of `parts`. Where a pattern begins is where the machine's
/// accesses may: with gaps; or, `is_dense`, in the next slot, as every part does.
PAPILIO_INTERNAL std::vector<partition_run> on_partitions(std::span<const std::int64_t> addresses,
                                                          std::span<const std::size_t> parts,
                                                          std::int64_t rows, bool is_dense,
                                                          std::size_t levels_max,
                                                          const engine::machine_spec& machine);

}  // namespace papilio::kernels_detail
