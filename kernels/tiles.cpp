#include "kernels/tiles.hpp"

#include "kernels/ceil_div.hpp"

namespace papilio::kernels_detail {

using namespace engine;

std::int64_t pool_shape::bytes(const machine_spec& machine) const {
  const std::int64_t step = machine.sbuf.alignment_bytes,
                     wide = (depth == 0 ? 1 : columns) * std::int64_t(size_bytes(type));
  return std::max(depth, 1) * ceil_div(wide, step) * step;
}

tile_pool pool_shape::make(core& nc, std::int64_t partitions) const {
  return depth == 0 ? nc.sbuf_pool(1, 1, 1, type)
                    : nc.sbuf_pool(depth, int(partitions), columns, type);
}

void fill_zeros(core& nc, const hbm_view& matrix) {
  const std::int64_t rows = matrix.extent(0), columns = matrix.extent(1),
                     partitions = std::min<std::int64_t>(nc.machine().sbuf.partitions, rows),
                     width = std::min(columns, nc.machine().thresholds.vector_run_elements_max);
  const tile zeros = nc.sbuf(int(partitions), width);
  nc.issue(memset{.out = zeros});
  for (std::int64_t i = 0; i < rows; i += partitions)
    for (std::int64_t j = 0; j < columns; j += width) {
      const std::int64_t down = std::min(partitions, rows - i),
                         across = std::min(width, columns - j);
      nc.issue(dma_copy{.out = block_of(matrix, i, down, j, across),
                        .in = zeros->partition_range(0, int(down)).columns(0, across)});
    }
}

}  // namespace papilio::kernels_detail
