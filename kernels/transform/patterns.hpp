#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/internal.hpp"
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

}  // namespace papilio::kernels_detail
