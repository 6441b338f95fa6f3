#pragma once

#include "papilio/engine/isa/activation.hpp"

namespace papilio::engine {

/// out = function(in * scale + bias), as activation, and reduced[p] = the sum of partition p's
/// results: of the fp32 values before they are rounded to out's type, in the order of every
/// reduction along the free axis (16 interleaved sums, then a tree over them). reduced is a (P, 1)
/// tile. Scalar engine. Cost max(64, N) + 64: a second instruction reads the accumulator
/// [I:activation_reduce, A1].
struct PAPILIO_API activation_reduce {
  static constexpr const char* opcode = "activation_reduce";
  tile_view out, reduced, in;
  activation_function function = activation_function::copy;
  float scale = 1;
  tile_view scale_tile = {};  ///< instead of `scale`, where given
  tile_view bias = {};

  unit runs_on() const { return unit::scalar; }
  void operands(engine_detail::operand_list& list) const;
  void validate(const engine_detail::checker& check) const;
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::execution& run) const;
};

}  // namespace papilio::engine
