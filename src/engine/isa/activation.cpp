#include "papilio/engine/isa/scalar_engine.hpp"

#include "engine/checker.hpp"
#include "engine/instruction_run.hpp"
#include "engine/isa/accumulation.hpp"
#include "engine/isa/elementwise.hpp"
#include "engine/isa/functions.hpp"

// activation, activation_reduce and activate2: one pipeline of the scalar engine.
namespace papilio::engine {

using namespace engine_detail;

namespace {

// A function's argument is scaled and shifted before it; reduce registers are read by an
// instruction of their own.
double activation_cycles(const machine_spec& machine, const tile_view& out,
                         const tile_view& reduced) {
  const scalar_engine_spec& s = machine.scalar;
  return data_cycles(s, out, s.cycles_per_element) +
         (reduced.empty() ? 0 : s.read_accumulator_cycles);
}

template <class Activation>
void scale_and_activate(const Activation& i, instruction_run& run) {
  const auto n = std::size_t(i.out.elements());
  run.for_each_partition(i.out.partitions(), i.out.elements(), [&](int p, row_access& rows) {
    float* const result = rows.result(1, i.out, p);
    const float by = i.scale_tile.empty() ? i.scale : rows.scalar(i.scale_tile, p);
    const float plus = i.bias.empty() ? 0.0f : rows.scalar(i.bias, p);
    apply_function(i.function, run.machine().activation, n, rows.read(0, i.in, p), by, plus,
                   result);
    commit_and_reduce(i, alu_op::add, run, rows, p, result);
  });
}

bool are_paired(alu_op op0, alu_op op1) {
  if (op1 == alu_op::bypass)
    return op0 == alu_op::multiply || op0 == alu_op::add || op0 == alu_op::subtract ||
           op0 == alu_op::bypass;
  return op0 == alu_op::multiply && (op1 == alu_op::add || op1 == alu_op::subtract);
}

}  // namespace

instruction_cost activation::cost(const machine_spec& machine) const {
  return {.cycles = activation_cycles(machine, out, reduced)};
}

void activation::execute(instruction_run& run) const { scale_and_activate(*this, run); }

instruction_cost activation_reduce::cost(const machine_spec& machine) const {
  return {.cycles = activation_cycles(machine, out, reduced)};
}

void activation_reduce::execute(instruction_run& run) const { scale_and_activate(*this, run); }

void activate2::validate(const checker& check) const {
  check.keeps(isa_rule::activate2_exists);
  check.that(are_paired(op0, op1), "op1",
             "must be bypass, or add or subtract after multiply: ", to_string(op0), " and ",
             to_string(op1));
  check.that(!reverse0 || op0 != alu_op::bypass, "reverse0", "needs an op0");
  check.that(!reverse1 || op1 != alu_op::bypass, "reverse1", "needs an op1");
  check.that(operand0.tile.empty() || operand1.tile.empty() ||
                 operand0.tile.type() == operand1.tile.type(),
             "operand1", "must have operand0's type");
  const bool has_slope = !slope.tile.empty() || slope.value != 0;
  check.that(!has_slope || function == activation_function::relu, "slope",
             "is relu's, the function is ", to_string(function));
}

instruction_cost activate2::cost(const machine_spec& machine) const {
  return {.cycles = activation_cycles(machine, out, reduced)};
}

void activate2::execute(instruction_run& run) const {
  const auto n = std::size_t(out.elements());
  run.for_each_partition(out.partitions(), out.elements(), [&](int p, row_access& rows) {
    const float first = value_of(operand0, rows, p), second = value_of(operand1, rows, p);
    const float below = value_of(slope, rows, p);
    float* const result = rows.result(1, out, p);
    apply_scalar(op0, n, rows.read(0, in, p), first, reverse0, result);
    apply_scalar(op1, n, result, second, reverse1, result);
    if (function == activation_function::relu && below != 0)
      for (std::size_t j = 0; j < n; ++j) result[j] = result[j] > 0 ? result[j] : below * result[j];
    else
      apply_function(function, run.machine().activation, n, result, 1, 0, result);
    commit_and_reduce(*this, reduce_op, run, rows, p, result);
  });
}

}  // namespace papilio::engine
