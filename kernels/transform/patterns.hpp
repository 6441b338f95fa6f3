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

/// Cuts a list of addresses into few patterns of at most `levels_max` levels and `count_max`
/// addresses.
PAPILIO_INTERNAL std::vector<address_run> runs_of(std::span<const std::int64_t> addresses,
                                                  std::size_t count_max, std::size_t levels_max);

/// Merges levels that together step evenly and drops those of one element; slowest first.
PAPILIO_INTERNAL std::vector<engine::pattern_dim> merged(
    const std::vector<engine::pattern_dim>& levels);

/// Whether each level steps over everything that levels of shorter steps reach.
PAPILIO_INTERNAL bool are_nested(std::vector<engine::pattern_dim> levels);

/// A run of addresses, one to a partition, from this partition of a slot of a tile on.
struct partition_run {
  std::int64_t slot = 0, partition = 0;
  address_run run = {};
};

/// An access of so many partitions may begin at multiples of this.
PAPILIO_INTERNAL std::int64_t start_grain(std::int64_t partitions,
                                          const engine::machine_spec& machine);

/// Places a list of addresses, one to a partition, over as few slots of `rows` partitions as their
/// patterns fill; no pattern reaches over the ends of `parts`. A pattern begins where the machine's
/// accesses may: after a gap, or, if `is_dense`, in the next slot, where every part begins then.
PAPILIO_INTERNAL std::vector<partition_run> on_partitions(std::span<const std::int64_t> addresses,
                                                          std::span<const std::size_t> parts,
                                                          std::int64_t rows, bool is_dense,
                                                          std::size_t levels_max,
                                                          const engine::machine_spec& machine);

}  // namespace papilio::kernels_detail
