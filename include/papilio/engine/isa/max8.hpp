#pragma once

#include "papilio/engine/isa/instruction_base.hpp"

namespace papilio::engine {

/// out[p] = the eight largest of in[p], descending; equal ones each count. NaN is above everything
/// (ours). out is (P, 8), in has at least eight elements a partition. Vector engine.
/// Cost N [I:max8].
struct PAPILIO_API max8 {
  static constexpr const char* opcode = "max8";
  tile_view out, in;

  unit runs_on() const { return unit::vector; }
  void operands(engine_detail::operand_list& list) const;
  void validate(const engine_detail::checker& check) const;
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::execution& run) const;
};

}  // namespace papilio::engine
