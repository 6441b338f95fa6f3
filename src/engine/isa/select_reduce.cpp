#include "papilio/engine/isa/vector_engine.hpp"

#include "engine/instruction_run.hpp"
#include "engine/isa/accumulation.hpp"
#include "engine/isa/elementwise.hpp"
#include "engine/isa/predicate.hpp"

namespace papilio::engine {

using namespace engine_detail;

instruction_cost select_reduce::cost(const machine_spec& machine) const {
  const vector_engine_spec& v = machine.vector;
  return {.cycles = data_cycles(v, out, v.select_reduce_cycles_per_element) +
                    (reduced.empty() ? 0 : v.reduce_accumulator_cycles)};
}

void select_reduce::execute(instruction_run& run) const {
  const auto n = std::size_t(out.elements());
  run.for_each_partition(out.partitions(), out.elements(), [&](int p, row_access& rows) {
    const std::int32_t* const given = rows.read_bits(2, predicate, p);
    const float other = value_of(on_false, rows, p);
    const float* const from = rows.read(0, on_true, p);
    float* const result = rows.result(1, out, p);
    for (std::size_t i = 0; i < n; ++i) result[i] = (given[i] != 0) != reverse ? from[i] : other;
    commit_and_reduce(*this, reduce_op, run, rows, p, result);
  });
}

}  // namespace papilio::engine
