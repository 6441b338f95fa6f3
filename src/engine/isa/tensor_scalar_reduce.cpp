#include "papilio/engine/isa/vector_engine.hpp"

#include <algorithm>

#include "engine/instruction_run.hpp"
#include "engine/isa/elementwise.hpp"
#include "engine/isa/reduction.hpp"
#include "engine/isa/scalar_use.hpp"

namespace papilio::engine {

using namespace engine_detail;

instruction_cost tensor_scalar_reduce::cost(const machine_spec& machine) const {
  const vector_engine_spec& v = machine.vector;
  const double elements = double(out.elements()) * v.tensor_scalar_cycles_per_element;
  return {.cycles = std::max(v.min_cycles, elements) + v.reduce_accumulator_cycles};
}

void tensor_scalar_reduce::execute(instruction_run& run) const {
  const auto n = std::size_t(out.elements());
  run.for_each_partition(out.partitions(), out.elements(), [&](int p, row_access& rows) {
    const float by = value_of(operand, rows, p);
    float* const result = rows.result(1, out, p);
    apply_scalar(op, n, rows.read(0, in, p), by, reverse, result);
    const float total = reduce_row(reduce_op, n, result);
    rows.commit(out, p, result);
    rows.commit(reduced, p, &total);
  });
}

}  // namespace papilio::engine
