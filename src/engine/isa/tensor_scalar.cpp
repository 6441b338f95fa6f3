#include "papilio/engine/isa/vector_engine.hpp"

#include <algorithm>

#include "engine/checker.hpp"
#include "engine/instruction_run.hpp"
#include "engine/isa/elementwise.hpp"
#include "engine/isa/scalar_use.hpp"

namespace papilio::engine {

using namespace engine_detail;

namespace {

bool is_arithmetic(alu_op op) { return op != alu_op::bypass && !is_bitwise(op); }

bool are_scalar_engines(alu_op op0, alu_op op1) {
  return (op0 == alu_op::multiply && (op1 == alu_op::add || op1 == alu_op::bypass)) ||
         (op0 == alu_op::add && op1 == alu_op::bypass);
}

// Applies a bitwise operation with a scalar. The scalar is copied to a whole row, so that one loop
// serves both orders of the operands.
void apply_scalar_bits(alu_op op, std::size_t count, const std::int32_t* a, std::int32_t b,
                       bool reversed, std::int32_t* spread, std::int32_t* out) {
  if (op == alu_op::bypass && !reversed) {
    std::copy_n(a, count, out);
    return;
  }
  std::fill_n(spread, count, b);
  if (op == alu_op::bypass)
    std::copy_n(spread, count, out);
  else
    apply_bits(op, count, reversed ? spread : a, reversed ? a : spread, out);
}

}  // namespace

void tensor_scalar::validate(const checker& check) const {
  const bool bitwise = is_bitwise(op0) || is_bitwise(op1);
  if (on == unit::scalar && !bitwise && !are_scalar_engines(op0, op1))
    check.keeps(isa_rule::scalar_engine_operations);
  if (!bitwise) return;
  check.that(!is_arithmetic(op0) && !is_arithmetic(op1), "op1",
             "must be bitwise if op0 is: ", to_string(op0), " and ", to_string(op1));
  check.that(on != unit::scalar, "on", "must not be scalar for ",
             to_string(is_bitwise(op1) ? op1 : op0));
}

instruction_cost tensor_scalar::cost(const machine_spec& machine) const {
  const vector_engine_spec& v = machine.vector;
  const double per_element = v.tensor_scalar_cycles_per_element /
                             copy_speedup(machine, on, out, in) * elementwise_factor(on, machine);
  return {.cycles = data_cycles(v, out, per_element)};
}

void tensor_scalar::execute(instruction_run& run) const {
  const auto n = std::size_t(out.elements());
  const bool bitwise = is_bitwise(op0) || is_bitwise(op1);
  run.for_each_partition(out.partitions(), out.elements(), [&](int p, row_access& rows) {
    if (bitwise) {
      const std::int32_t first = bits_of(operand0, rows, 3, p);
      const std::int32_t second = bits_of(operand1, rows, 3, p);
      std::int32_t* const result = rows.result_bits(2, out);
      std::int32_t* const spread = rows.result_bits(1, out);
      apply_scalar_bits(op0, n, rows.read_bits(0, in, p), first, reverse0, spread, result);
      apply_scalar_bits(op1, n, result, second, reverse1, spread, result);
      return rows.commit_bits(out, p, result);
    }
    const float first = value_of(operand0, rows, p), second = value_of(operand1, rows, p);
    const float* from = rows.read(0, in, p);
    float* const result = rows.result(2, out, p);
    // A bypass that returns the tile needs no copy if the second operation reads the tile itself.
    if (op0 != alu_op::bypass || reverse0 || op1 == alu_op::bypass) {
      apply_scalar(op0, n, from, first, reverse0, result);
      from = result;
    }
    if (op1 != alu_op::bypass || reverse1) apply_scalar(op1, n, from, second, reverse1, result);
    rows.commit(out, p, result);
  });
}

}  // namespace papilio::engine
