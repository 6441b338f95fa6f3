#pragma once

#include "papilio/engine/isa/instruction_base.hpp"

namespace papilio::engine {

/// out[f, p] = in[p, f]. P partitions and F elements, each at most 128; same type on both sides.
/// Values move as they are. (On trainium1's tensor engine, which multiplies by the identity, a NaN
/// or an infinity would spread over its column; that it does not is ours.)
///
/// Tensor engine: in is in SBUF and loaded as the stationary operand, out is in one bank of PSUM;
/// cost max(P, min(64, F)) whatever the type [I:nc_transpose]. out is fp32 unless the machine's
/// transpose mode lets it be 16 bits wide. Vector engine: SBUF or PSUM on both sides, 32 x 32
/// blocks, of which four are under way at once, one for each 32 lanes; cost max(64, 32 ceil(blocks
/// / 4)) [I:nc_transpose for one block; that a block may land in other lanes is ours, see
/// lowering_spec].
struct PAPILIO_API transpose {
  static constexpr const char* opcode = "transpose";
  tile_view out, in;
  unit on = unit::tensor;

  unit runs_on() const { return on; }
  void operands(engine_detail::operand_list& list) const;
  void validate(const engine_detail::checker& check) const;
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::execution& run) const;
};

}  // namespace papilio::engine
