#pragma once

#include "papilio/engine/isa/instruction_base.hpp"

namespace papilio::engine {

/// One side of a transfer: a tile in SBUF or part of a tensor in HBM.
struct dma_operand {
  tile_view tile;
  hbm_view hbm;

  dma_operand() = default;
  dma_operand(const tile_view& view) : tile(view) {}
  dma_operand(const hbm_view& view) : hbm(view) {}
  bool on_chip() const { return !tile.empty(); }
  dtype type() const { return on_chip() ? tile.type() : hbm.type(); }
  std::int64_t elements() const {
    return on_chip() ? tile.elements() * tile.partitions() : hbm.elements();
  }
};

/// Copies through a DMA engine, with conversion between types (fp32 in the middle, free).
/// On chip the partitions are the slowest index: element (p, i) of a tile is element
/// p * tile.elements() + i of the transfer; a tensor in HBM is read row by row. Both sides have the
/// same number of elements. PSUM is refused on both sides.
/// Cost: a transfer is a list of buffers, the runs that are contiguous on both sides, at least one
/// for each partition; they are shared among the engines, and each takes the larger of its bytes
/// at the engine's rate and the time of a descriptor; 1.3 us from the operands being ready to the
/// start [A1, D1, D2].
struct PAPILIO_API dma_copy {
  static constexpr const char* opcode = "dma_copy";
  static constexpr int any_queue = -1;
  dma_operand out, in;
  /// In-order queue; any_queue: loads go round the lower half of the queues, stores the upper.
  int queue = any_queue;

  unit runs_on() const { return unit::dma; }
  void operands(engine_detail::operand_list& list) const;
  void validate(const engine_detail::checker& check) const;
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::execution& run) const;
};

}  // namespace papilio::engine
