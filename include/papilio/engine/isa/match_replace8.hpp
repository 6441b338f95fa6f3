#pragma once

#include "papilio/engine/isa/instruction_base.hpp"

namespace papilio::engine {

/// out = in, but that the places which find_index8 finds for values[p, 0 ... 7] hold `replacement`.
/// out and in are (P, N) and may be the same elements, values is (P, 8). Vector engine.
/// Cost max(64, N) [I:nc_match_replace8 prints min(64, N); ours].
struct PAPILIO_API match_replace8 {
  static constexpr const char* opcode = "match_replace8";
  tile_view out, in, values;
  float replacement = 0;

  unit runs_on() const { return unit::vector; }
  void operands(engine_detail::operand_list& list) const;
  void validate(const engine_detail::checker& check) const;
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::execution& run) const;
};

}  // namespace papilio::engine
