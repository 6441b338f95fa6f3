#pragma once

#include "papilio/engine/isa/alu.hpp"
#include "papilio/engine/isa/instruction_base.hpp"

namespace papilio::engine {

/// out[0, i] = in[0, i] op in[1, i] op ...: over the partitions. `op` is add, multiply, maximum or
/// minimum, in fp32. Each processor of gpsimd folds its 16 partitions in order, then processor j
/// takes j + 4, j + 2, j + 1 (the order is ours). out is (1, N); gpsimd.
/// Cost 150 + 4 N (ours: no document has a formula; see gpsimd.partition_reduce_...).
struct PAPILIO_API partition_reduce {
  static constexpr const char* opcode = "partition_reduce";
  tile_view out, in;
  alu_op op = alu_op::add;

  unit runs_on() const { return unit::gpsimd; }
  void operands(engine_detail::operand_list& list) const;
  void validate(const engine_detail::checker& check) const;
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::execution& run) const;
};

}  // namespace papilio::engine
