#include "papilio/engine/isa/vector_engine.hpp"

#include "engine/checker.hpp"
#include "engine/instruction_run.hpp"
#include "engine/isa/accumulation.hpp"
#include "engine/isa/elementwise.hpp"

namespace papilio::engine {

using namespace engine_detail;

void range_select::validate(const checker& check) const {
  check.keeps(isa_rule::range_select_exists);
  check.keeps(isa_rule::range_select_otherwise, double(on_false));
}

instruction_cost range_select::cost(const machine_spec& machine) const {
  const vector_engine_spec& v = machine.vector;
  return {.cycles = data_cycles(v, out, v.range_select_cycles_per_element)};
}

void range_select::execute(instruction_run& run) const {
  const auto n = std::size_t(out.elements());
  const auto last = std::int32_t(n);
  const float begin = start, otherwise = on_false;
  run.for_each_partition(out.partitions(), out.elements(), [&](int p, row_access& rows) {
    const float first = value_of(bound0, rows, p), second = value_of(bound1, rows, p);
    float* const above = rows.scratch(2, n);
    float* const below = rows.scratch(3, n);
    for (std::int32_t i = 0; i < last; ++i) above[i] = begin + float(i);
    apply_scalar(op1, n, above, second, false, below);
    apply_scalar(op0, n, above, first, false, above);
    const float* const from = rows.read(0, in, p);
    float* const result = rows.result(1, out, p);
    for (std::size_t i = 0; i < n; ++i)
      result[i] = (above[i] != 0) & (below[i] != 0) ? from[i] : otherwise;
    commit_and_reduce(*this, alu_op::maximum, run, rows, p, result);
  });
}

}  // namespace papilio::engine
