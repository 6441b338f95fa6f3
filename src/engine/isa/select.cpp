#include "papilio/engine/isa/vector_engine.hpp"

#include "engine/instruction_run.hpp"
#include "engine/isa/elementwise.hpp"
#include "engine/isa/predicate.hpp"

namespace papilio::engine {

using namespace engine_detail;

instruction_cost select::cost(const machine_spec& machine) const {
  const vector_engine_spec& v = machine.vector;
  const double per_element =
      v.tensor_copy_cycles_per_element / copy_speedup(machine, unit::vector, out, on_false);
  return {.cycles =
              data_cycles(v, out, per_element) + copy_predicated_cycles(v, on_true, predicate)};
}

void select::execute(instruction_run& run) const {
  const auto n = std::size_t(out.elements());
  run.for_each_partition(out.partitions(), out.elements(), [&](int p, row_access& rows) {
    const std::int32_t* const given = rows.read_bits(3, predicate, p);
    rows.compute(2, out, p, !is_float(out.type()), [&](auto* row) {
      const auto* const yes = rows.read_as(row, 0, on_true, p);
      const auto* const no = rows.read_as(row, 1, on_false, p);
      for (std::size_t i = 0; i < n; ++i) row[i] = given[i] != 0 ? yes[i] : no[i];
    });
  });
}

}  // namespace papilio::engine
