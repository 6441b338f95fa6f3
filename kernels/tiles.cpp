#include "kernels/tiles.hpp"

namespace papilio::kernels_detail {

using namespace engine;

void fill_zeros(core& nc, const hbm_view& matrix) {
  const std::int64_t rows = matrix.extent(0), columns = matrix.extent(1),
                     lanes = std::min<std::int64_t>(nc.machine().sbuf.partitions, rows),
                     width = std::min(columns, nc.machine().thresholds.vector_run_elements_max);
  const tile zeros = nc.sbuf(int(lanes), width);
  nc.issue(memset{.out = zeros});
  for (std::int64_t i = 0; i < rows; i += lanes)
    for (std::int64_t j = 0; j < columns; j += width) {
      const std::int64_t down = std::min(lanes, rows - i), across = std::min(width, columns - j);
      nc.issue(dma_copy{.out = block_of(matrix, i, down, j, across),
                        .in = zeros->partition_range(0, int(down)).columns(0, across)});
    }
}

}  // namespace papilio::kernels_detail
