#pragma once

#include "papilio/engine/isa/dma_copy.hpp"

namespace papilio::engine {

/// out[c, r] = in[r, c]: a tensor of two axes in HBM, or a tile in SBUF, into a tile in SBUF of the
/// same type, transposed on the way. in has at most 128 columns.
/// Cost: a copy of in's rows at dma.transpose_rate_hbm or _sbuf of the copy rate [A2, D3; that the
/// buffers are in's rows is ours]. Refused on a machine whose rate is 0 (trainium1): there
/// transposing_loader loads the rows and transposes blocks on the vector engine.
struct PAPILIO_API dma_transpose {
  static constexpr const char* opcode = "dma_transpose";
  tile_view out;
  dma_operand in;
  int queue = dma_copy::any_queue;

  unit runs_on() const { return unit::dma; }
  void operands(engine_detail::operand_list& list) const;
  void validate(const engine_detail::checker& check) const;
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::execution& run) const;
};

}  // namespace papilio::engine
