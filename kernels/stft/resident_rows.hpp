#pragma once

#include <algorithm>
#include <cstdint>

#include "papilio/engine/core.hpp"

namespace papilio::kernels_detail {

/// A table [k, columns] with k on partitions, tiles of `side` rows side by side.
inline engine::tile resident_rows(engine::core& nc, const engine::hbm_view& table,
                                  std::int64_t side) {
  const std::int64_t k = table.extent(0), columns = table.extent(1);
  engine::tile whole =
      nc.sbuf(int(std::min(k, side)), (k + side - 1) / side * columns, table.type());
  for (std::int64_t first = 0; first < k; first += side) {
    const std::int64_t here = std::min(side, k - first);
    nc.issue(engine::dma_copy{
        .out = whole->partition_range(0, int(here)).columns(first / side * columns, columns),
        .in = table.slice(0, first, here)});
  }
  return whole;
}

}  // namespace papilio::kernels_detail
