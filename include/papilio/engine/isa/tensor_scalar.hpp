#pragma once

#include "papilio/engine/isa/alu.hpp"
#include "papilio/engine/isa/instruction_base.hpp"
#include "papilio/engine/isa/scalar_operand.hpp"

namespace papilio::engine {

/// out = (in op0 operand0) op1 operand1, element by element; with `reverse`, the scalar is the left
/// operand. Each operation rounds to fp32, and the result to the type of out. Bitwise operations go
/// with bitwise ones and bypass only, on integer tiles, and not to the scalar engine (ours).
/// Vector, scalar or gpsimd engine; SBUF or PSUM (gpsimd: SBUF). Cost max(64, N) with one operation
/// or two [I:tensor_scalar; on gpsimd ours]. In trainium2's performance mode, on the vector engine
/// and with 16-bit tiles, as tensor_copy [A2].
struct PAPILIO_API tensor_scalar {
  static constexpr const char* opcode = "tensor_scalar";
  tile_view out, in;
  alu_op op0 = alu_op::bypass;
  scalar_operand operand0 = {};
  bool reverse0 = false;
  alu_op op1 = alu_op::bypass;
  scalar_operand operand1 = {};
  bool reverse1 = false;
  unit on = unit::vector;

  unit runs_on() const { return on; }
  void operands(engine_detail::operand_list& list) const;
  void validate(const engine_detail::checker& check) const;
  instruction_cost cost(const machine_spec& machine) const;
  void execute(engine_detail::execution& run) const;
};

}  // namespace papilio::engine
