#include "papilio/engine/isa/vector_engine.hpp"

#include "engine/checker.hpp"
#include "engine/instruction_run.hpp"
#include "engine/isa/accumulation.hpp"
#include "engine/isa/elementwise.hpp"
#include "engine/isa/functions.hpp"

namespace papilio::engine {

using namespace engine_detail;

void exponential::validate(const checker& check) const {
  check.keeps(isa_rule::exponential_exists);
  check.that(check.machine().vector.exponential_cycles_per_element > 0, "machine",
             "has no exponential: its vector.exponential_cycles_per_element is 0");
  require_fp32(check, "max_value", max_value);
  require_fp32(check, "initial", initial);
  require_load_for_initial(check, *this);
}

instruction_cost exponential::cost(const machine_spec& machine) const {
  const vector_engine_spec& v = machine.vector;
  return {.cycles = data_cycles(v, out, v.exponential_cycles_per_element) +
                    (reduced.empty() ? 0 : v.reduce_accumulator_cycles)};
}

void exponential::execute(instruction_run& run) const {
  const auto n = std::size_t(out.elements());
  run.for_each_partition(out.partitions(), out.elements(), [&](int p, row_access& rows) {
    const float most = value_of(max_value, rows, p), loaded = loaded_number(*this, rows, p);
    float* const result = rows.result(1, out, p);
    apply_function(activation_function::exp, run.machine().activation, n, rows.read(0, in, p), 1,
                   -most, result);
    commit_and_reduce(*this, alu_op::add, run, rows, p, result, loaded);
  });
}

}  // namespace papilio::engine
