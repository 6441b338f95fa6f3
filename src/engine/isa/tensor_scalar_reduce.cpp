#include "papilio/engine/isa/vector_engine.hpp"

#include "engine/checker.hpp"
#include "engine/instruction_run.hpp"
#include "engine/isa/accumulation.hpp"
#include "engine/isa/elementwise.hpp"

namespace papilio::engine {

using namespace engine_detail;

void tensor_scalar_reduce::validate(const checker& check) const {
  require_fp32(check, "initial", initial);
  require_load_for_initial(check, *this);
}

instruction_cost tensor_scalar_reduce::cost(const machine_spec& machine) const {
  const vector_engine_spec& v = machine.vector;
  return {.cycles = data_cycles(v, out, v.tensor_scalar_cycles_per_element) +
                    (reduced.empty() ? 0 : v.reduce_accumulator_cycles)};
}

void tensor_scalar_reduce::execute(instruction_run& run) const {
  const auto n = std::size_t(out.elements());
  run.for_each_partition(out.partitions(), out.elements(), [&](int p, row_access& rows) {
    const float by = value_of(operand, rows, p), loaded = loaded_number(*this, rows, p);
    float* const result = rows.result(1, out, p);
    apply_scalar(op, n, rows.read(0, in, p), by, reverse, result);
    commit_and_reduce(*this, reduce_op, run, rows, p, result, loaded);
  });
}

}  // namespace papilio::engine
