#include "kernels/transposer.hpp"

#include <algorithm>
#include <ranges>

#include "papilio/engine/lowering.hpp"

namespace papilio::kernels_detail {

using namespace engine;

void transposer::make(std::int64_t t, const tile_view& out, std::int64_t stride) {
  const std::int64_t rows = block_.extent(1), planes = block_.extent(2);
  const std::int64_t within = t * array_rows_ % slice_;
  if (t * array_rows_ - within != first_) load(t * array_rows_ - within);
  const std::int64_t depth = std::min(array_rows_, block_.extent(3) - t * array_rows_);
  const std::int64_t chunk = nc_.machine().psum.bank_bytes / 4 / array_rows_ * array_rows_;
  for (std::int64_t p = 0; p < planes; ++p)
    for (std::int64_t first = 0; first < rows; first += chunk) {
      const std::int64_t count = std::min(chunk, rows - first);
      const tile_view bank = banks_.next().partition_range(0, int(depth)).columns(0, count);
      for (std::int64_t i = 0; i < count; i += array_rows_) {
        const std::int64_t partitions = std::min(array_rows_, count - i);
        nc_.issue(transpose{.out = bank.columns(i, partitions),
                            .in = loaded_[std::size_t((first + i) / array_rows_)]
                                      .partition_range(0, int(partitions))
                                      .columns(p * slice_ + within, depth)});
      }
      evacuate(nc_, out.partition_range(0, int(depth)).columns(p * stride + first, count), bank);
    }
}

void transposer::load(std::int64_t first) {
  loaded_.clear();
  first_ = first;
  const std::int64_t rows = block_.extent(1), width = std::min(slice_, block_.extent(3) - first);
  for (std::int64_t i = 0; i < rows; i += array_rows_) {
    const std::int64_t partitions = std::min(array_rows_, rows - i);
    loaded_.push_back(slices_.next());
    nc_.issue(dma_copy{.out = loaded_.back()
                                  .partition_range(0, int(partitions))
                                  .reshape({block_.extent(2), slice_})
                                  .columns(0, width),
                       .in = block_.slice(1, i, partitions).slice(3, first, width)});
    if (edit_)
      edit_(loaded_.back().partition_range(0, int(partitions)).columns(0, width), i, first);
  }
}

void transpose_in_blocks(core& nc, const tile_view& out, const tile_view& in) {
  const std::int64_t block_rows = nc.machine().vector.transpose_block, all = in.elements();
  if (all <= block_rows) {
    for (int p = 0; p < in.partitions(); p += int(block_rows)) {
      const int count = std::min(int(block_rows), in.partitions() - p);
      nc.issue(transpose{
          .out = out.columns(p, count), .in = in.partition_range(p, count), .on = unit::vector});
    }
    return;
  }
  std::size_t level = 0;
  while (in.dims()[level].extent == 1) ++level;
  const std::int64_t extent = in.dims()[level].extent, within = all / extent,
                     together = std::max<std::int64_t>(1, block_rows / within);
  for (std::int64_t i = 0; i < extent; i += together) {
    const std::int64_t count = std::min(together, extent - i);
    transpose_in_blocks(nc, out.partition_range(int(i * within), int(count * within)),
                        in.slice(int(level) + 1, i, count));
  }
}

bool is_in_blocks(const machine_spec& machine, std::span<const pattern_dim> dims) {
  const std::int64_t block_rows = machine.vector.transpose_block;
  std::int64_t within = 1;
  for (const pattern_dim& d : dims | std::views::reverse) {
    if (within * d.extent > block_rows && within % block_rows != 0 && block_rows % within != 0)
      return false;
    within *= d.extent;
  }
  return true;
}

}  // namespace papilio::kernels_detail
