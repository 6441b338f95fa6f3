#include "papilio/engine/isa/vector_engine.hpp"

#include <cstring>

#include "engine/checker.hpp"
#include "engine/instruction_run.hpp"
#include "engine/isa/elementwise.hpp"

namespace papilio::engine {

using namespace engine_detail;

void tensor_copy::validate(const checker& check) const {
  if (on == unit::scalar) check.keeps(isa_rule::copy_on_scalar);
}

instruction_cost tensor_copy::cost(const machine_spec& machine) const {
  const vector_engine_spec& v = machine.vector;
  const double per_element = v.tensor_copy_cycles_per_element / copy_speedup(machine, on, out, in) *
                             elementwise_factor(on, machine);
  return {.cycles = data_cycles(v, out, per_element)};
}

void tensor_copy::execute(instruction_run& run) const {
  const bool integers = keeps_integers(in.type(), out.type());
  run.for_each_partition(out.partitions(), out.elements(), [&](int p, row_access& rows) {
    if (integers) return rows.commit_bits(out, p, rows.read_bits(0, in, p));
    const float* const from = rows.read(0, in, p);
    rows.commit(out, p, from);
  });
}

}  // namespace papilio::engine
