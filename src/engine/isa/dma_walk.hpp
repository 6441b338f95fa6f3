#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "papilio/engine/dtype.hpp"
#include "papilio/engine/isa/data_movement.hpp"

namespace papilio::engine_detail {

class checker;

/// A run of evenly spaced elements in host memory.
struct dma_piece {
  std::byte* first;
  std::int64_t count;
  std::int64_t stride_bytes;
};

/// Walks over the source or the destination of a transfer, in the transfer's order of elements, one
/// evenly spaced piece after the other.
class dma_walk {
 public:
  /// Starts at element `begin` of the operand.
  dma_walk(const engine::dma_operand& operand, std::int64_t begin);
  /// Returns the rest of the current piece, from the current element on.
  dma_piece piece() const;
  /// Advances by `count` elements, at most as many as piece() has.
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

/// Refuses a tile that DMA does not reach.
void require_reachable(const checker& check, const char* name, const engine::dma_operand& operand);
/// Refuses packed types, whose elements are no numbers.
void require_numbers(const checker& check, const char* name, engine::dtype type);
/// Returns whether two operands share elements.
bool overlapping(const engine::dma_operand& out, const engine::dma_operand& in);
/// Refuses a queue that the machine does not have; any_queue is allowed.
void require_queue(const checker& check, int queue);

/// Returns how many elements of the operand lie one after the other in memory, from the fastest
/// level up. A run on chip ends with its partition.
std::int64_t dma_run(const engine::dma_operand& operand);

/// Copies elements [begin, end) of a transfer and converts them to the type of `out`. Stochastic
/// rounding of element i draws at position first_position + i.
void copy_elements(const engine::dma_operand& out, const engine::dma_operand& in,
                   std::int64_t begin, std::int64_t end, const engine::rounding& how,
                   std::uint64_t first_position);

/// Sets elements [begin, end) of `out` to the sums of those of left and right, in fp32. Rounding as
/// in copy_elements.
void add_elements(const engine::dma_operand& out, const engine::dma_operand& left,
                  const engine::dma_operand& right, std::int64_t begin, std::int64_t end,
                  const engine::rounding& how, std::uint64_t first_position);

}  // namespace papilio::engine_detail
