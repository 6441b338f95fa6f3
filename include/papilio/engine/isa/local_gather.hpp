#pragma once

#include "papilio/engine/isa/instruction_base.hpp"

namespace papilio::engine {

/// Each processor of gpsimd gathers within its own 16 partitions, with indices that they share:
/// out[p, i e ... i e + e - 1] = in[p, j e ... j e + e - 1], e = elements_per_index and j the i-th
/// index of p's processor. The i-th index lies in partition i % 16 of its 16, element i / 16 of
/// `indices`, which is int32 (ours). P is a multiple of 16 for all three; out holds as many
/// groups of e as there are valid indices. All in SBUF, out of in's type. An index beyond in is
/// refused when executed.
/// Cost 150 + valid * e / C with C = ((28 + 4 e) / (4 e)) / min(4 / bytes of the type, e)
/// [I:local_gather].
struct PAPILIO_API local_gather {
  static constexpr const char* opcode = "local_gather";
  tile_view out, in, indices;
  int elements_per_index = 1;

  unit runs_on() const { return unit::gpsimd; }
  void operands(engine_detail::operand_list& list) const;
  void validate(const engine_detail::checker& check) const;
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::execution& run) const;
};

}  // namespace papilio::engine
