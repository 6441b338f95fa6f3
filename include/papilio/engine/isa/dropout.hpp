#pragma once

#include "papilio/engine/isa/alu.hpp"
#include "papilio/engine/isa/instruction_base.hpp"
#include "papilio/engine/isa/scalar_operand.hpp"

namespace papilio::engine {

/// out = 0 with the given probability, in otherwise (not rescaled), each element by itself.
/// Which elements are dropped depends on seed, partition (from the first of the view) and index in
/// the pattern alone, so that the same seed over the same shape drops the same ones again.
/// probability: a constant in [0, 1], or a (P, 1) tile (up to 0: none, from 1 on: all). Vector
/// engine; SBUF or PSUM. Cost max(64, N) [I:dropout].
struct PAPILIO_API dropout {
  static constexpr const char* opcode = "dropout";
  tile_view out, in;
  scalar_operand probability = {};
  std::uint64_t seed = 0;

  unit runs_on() const { return unit::vector; }
  void operands(engine_detail::operand_list& list) const;
  void validate(const engine_detail::checker& check) const;
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::execution& run) const;
};

}  // namespace papilio::engine
