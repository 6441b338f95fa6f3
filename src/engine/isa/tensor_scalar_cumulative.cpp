#include "papilio/engine/isa/vector_engine.hpp"

#include "engine/checker.hpp"
#include "engine/instruction_run.hpp"
#include "engine/isa/accumulation.hpp"
#include "engine/isa/elementwise.hpp"
#include "engine/isa/operations.hpp"

namespace papilio::engine {

using namespace engine_detail;

void tensor_scalar_cumulative::validate(const checker& check) const {
  require_fp32(check, "operand0", operand0);
  require_fp32(check, "initial", initial);
  require_load_for_initial(check, *this);
  check.that(in.type() != dtype::int32, "in", "must not be int32");
  check.that(out.type() != dtype::int32, "out", "must not be int32");
}

instruction_cost tensor_scalar_cumulative::cost(const machine_spec& machine) const {
  const vector_engine_spec& v = machine.vector;
  return {.cycles = data_cycles(v, out, v.cumulative_cycles_per_element)};
}

void tensor_scalar_cumulative::execute(instruction_run& run) const {
  const auto n = std::size_t(out.elements());
  run.for_each_partition(out.partitions(), out.elements(), [&](int p, row_access& rows) {
    float& held = run.reduced.value(unit::vector, in.partition() + p);
    if (command == reduce_command::load_reduce) held = value_of(initial, rows, p);
    if (command == reduce_command::reset_reduce)
      held = op1 == alu_op::subtract ? 0.0f : neutral(op1);
    float* const result = rows.result(1, out, p);
    apply_scalar(op0, n, rows.read(0, in, p), value_of(operand0, rows, p), false, result);
    with_operation(op1, [&](auto f) {
      for (std::size_t j = 0; j < n; ++j) result[j] = held = f(result[j], held);
    });
    rows.commit(out, p, result);
  });
}

}  // namespace papilio::engine
