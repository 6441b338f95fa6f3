#include "papilio/engine/isa/vector_engine.hpp"

#include "engine/instruction_run.hpp"
#include "engine/isa/elementwise.hpp"

namespace papilio::engine {

using namespace engine_detail;

instruction_cost reciprocal::cost(const machine_spec& machine) const {
  const vector_engine_spec& v = machine.vector;
  return {.cycles = data_cycles(v, out, v.reciprocal_cycles_per_element)};
}

void reciprocal::execute(instruction_run& run) const {
  const auto n = std::size_t(out.elements());
  run.for_each_partition(out.partitions(), out.elements(), [&](int p, row_access& rows) {
    float* const result = rows.result(1, out, p);
    apply_scalar(alu_op::divide, n, rows.read(0, in, p), 1, true, result);
    rows.commit(out, p, result);
  });
}

}  // namespace papilio::engine
