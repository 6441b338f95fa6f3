#include "engine/isa/dma_walk.hpp"

#include "engine/execution.hpp"
#include "engine/storage.hpp"

namespace papilio::engine_detail {

dma_walk::dma_walk(const engine::dma_operand& side, std::int64_t begin) {
  const auto size = std::int64_t(size_bytes(side.type()));
  std::span<const engine::pattern_dim> dims;
  if (side.on_chip()) {
    base_ = address(side.tile, 0);
    levels_[std::size_t(rank_++)] = {side.tile.partitions(),
                                     std::int64_t(side.tile.storage()->pitch_bytes)};
    dims = side.tile.dims();
  } else {
    base_ = side.hbm.storage()->data + side.hbm.offset() * size;
    dims = side.hbm.dims();
  }
  for (const engine::pattern_dim& d : dims) {
    if (d.extent == 1) continue;
    const level next{d.extent, d.stride * size};
    // Levels that continue each other are one (but for partitions, whose rows have gaps).
    if (rank_ > 0 && levels_[std::size_t(rank_) - 1].stride_bytes == next.stride_bytes * d.extent)
      levels_[std::size_t(rank_) - 1] = {levels_[std::size_t(rank_) - 1].extent * d.extent,
                                         next.stride_bytes};
    else
      levels_[std::size_t(rank_++)] = next;
  }
  if (rank_ == 0) levels_[std::size_t(rank_++)] = {1, size};
  for (int i = rank_; i-- > 0;) {
    const level& l = levels_[std::size_t(i)];
    at_[std::size_t(i)] = begin % l.extent;
    offset_bytes_ += at_[std::size_t(i)] * l.stride_bytes;
    begin /= l.extent;
  }
}

dma_piece dma_walk::piece() const {
  const std::size_t last = std::size_t(rank_) - 1;
  return {base_ + offset_bytes_, levels_[last].extent - at_[last], levels_[last].stride_bytes};
}

void dma_walk::advance(std::int64_t count) {
  for (int i = rank_; i-- > 0;) {
    const level& l = levels_[std::size_t(i)];
    std::int64_t& at = at_[std::size_t(i)];
    at += count;
    offset_bytes_ += count * l.stride_bytes;
    if (at < l.extent) return;
    offset_bytes_ -= at * l.stride_bytes;
    at = 0;
    count = 1;
  }
}

std::int64_t dma_run(const engine::dma_operand& side) {
  std::int64_t run = 1;
  const auto dims = side.on_chip() ? side.tile.dims() : side.hbm.dims();
  for (std::size_t i = dims.size(); i-- > 0;) {
    if (dims[i].extent == 1) continue;
    if (dims[i].stride != run) break;
    run *= dims[i].extent;
  }
  return run;
}

}  // namespace papilio::engine_detail
