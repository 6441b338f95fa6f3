#pragma once

#include "papilio/engine/isa/instruction_base.hpp"
#include "papilio/engine/isa/registers.hpp"

namespace papilio::engine {

enum class dynamic_side : std::uint8_t { source, destination };

/// A tensor_copy of which one side begins at an element that a register names:
///   source:      out[p, i] = in[p, r + i]     destination: out[p, r + i] = in[p, i]
/// r is the register's value in elements of the side's only level; N, what is copied, is the other
/// side's elements a partition. r beyond [0, elements - N] is refused when executed. Whatever r is,
/// the whole of that side counts as read, or as read and written: it must have been written before.
/// Vector, scalar or gpsimd engine, whose register it is. Cost max(600, N)
/// [I:tensor_copy_dynamic_src, _dst].
struct PAPILIO_API tensor_copy_dynamic {
  static constexpr const char* opcode = "tensor_copy_dynamic";
  tile_view out, in;
  engine_register offset;
  dynamic_side side = dynamic_side::source;

  unit runs_on() const { return offset.on; }
  void operands(engine_detail::operand_list& list) const;
  void validate(const engine_detail::checker& check) const;
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::execution& run) const;
};

}  // namespace papilio::engine
