#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "papilio/engine/dtype.hpp"
#include "papilio/engine/isa/data_movement.hpp"

namespace papilio::engine_detail {

class checker;

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

/// Refuses a queue that the machine has not, but any_queue.
void require_queue(const checker& check, int queue);

/// Elements that lie one after the other on one side, from the fastest level up; on chip a
/// partition's at most.
std::int64_t dma_run(const engine::dma_operand& side);

/// Elements [begin, end) of a transfer, converted between the sides' types; stochastic rounding
/// draws for element i by first_position + i.
void copy_elements(const engine::dma_operand& out, const engine::dma_operand& in,
                   std::int64_t begin, std::int64_t end, const engine::rounding& how,
                   std::uint64_t first_position);

}  // namespace papilio::engine_detail
