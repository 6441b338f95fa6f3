#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "papilio/engine/isa/dma_copy.hpp"

namespace papilio::engine_detail {

/// Evenly spaced elements.
struct dma_piece {
  std::byte* first;
  std::int64_t count;
  std::int64_t stride_bytes;
};

/// One side of a transfer, element by element in the transfer's order, in evenly spaced pieces.
class dma_walk {
 public:
  /// From element `begin` on.
  dma_walk(const engine::dma_operand& side, std::int64_t begin);
  /// What is left of the piece that the walk stands in.
  dma_piece piece() const;
  /// Goes on by at most what piece() has.
  void advance(std::int64_t count);

 private:
  struct level {
    std::int64_t extent, stride_bytes;
  };
  std::byte* base_;
  std::array<level, engine::hbm_view::dims_max + 1> levels_{};
  std::array<std::int64_t, engine::hbm_view::dims_max + 1> at_{};
  int rank_ = 0;
  std::int64_t offset_bytes_ = 0;
};

/// Elements that lie one after the other on one side, from the fastest level up; on chip a
/// partition's at most.
std::int64_t dma_run(const engine::dma_operand& side);

}  // namespace papilio::engine_detail
