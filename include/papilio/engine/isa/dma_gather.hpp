#pragma once

#include "papilio/engine/isa/dma_copy.hpp"

namespace papilio::engine {

/// out[p, :] = in[indices[p], :]: rows of a tensor in HBM into the partitions of a tile in SBUF,
/// converted to its type. The first axis of `in` is the row; the others have as many elements as a
/// partition of out. indices is a (P, 1) tile of int32 in SBUF; one that is no row is refused when
/// executed.
/// Cost: gpsimd writes a descriptor for each buffer (dma.software_dge_cycles_per_descriptor), then
/// the transfer runs as dma_copy's, each buffer taking at least dma.indirect_descriptor_ns [D3 that
/// gpsimd pays; the numbers are ours]. A buffer is what is contiguous on both sides, at most a row.
struct PAPILIO_API dma_gather {
  static constexpr const char* opcode = "dma_gather";
  tile_view out;
  hbm_view in;
  tile_view indices;
  int queue = dma_copy::any_queue;

  unit runs_on() const { return unit::dma; }
  void operands(engine_detail::operand_list& list) const;
  void validate(const engine_detail::checker& check) const;
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::execution& run) const;
};

}  // namespace papilio::engine
