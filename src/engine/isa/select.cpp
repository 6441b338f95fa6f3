#include "papilio/engine/isa/vector_engine.hpp"

#include <algorithm>

#include "engine/instruction_run.hpp"
#include "engine/isa/elementwise.hpp"
#include "engine/isa/predicate.hpp"

namespace papilio::engine {

using namespace engine_detail;

instruction_cost select::cost(const machine_spec& machine) const {
  const vector_engine_spec& v = machine.vector;
  const double per_element =
      v.tensor_copy_cycles_per_element / copy_speedup(machine, unit::vector, out, on_false);
  return {.cycles = std::max(v.min_cycles, double(out.elements()) * per_element) +
                    copy_predicated_cycles(v, on_true, predicate)};
}

void select::execute(instruction_run& run) const {
  const auto n = std::size_t(out.elements());
  const auto choose = [n](const std::int32_t* given, const auto* yes, const auto* no,
                          auto* result) {
    for (std::size_t i = 0; i < n; ++i) result[i] = given[i] != 0 ? yes[i] : no[i];
  };
  run.for_each_partition(out.partitions(), out.elements(), [&](int p, row_access& rows) {
    const std::int32_t* const given = rows.read_bits(3, predicate, p);
    if (!is_float(out.type())) {
      std::int32_t* const result = rows.result_bits(2, out);
      choose(given, rows.read_bits(0, on_true, p), rows.read_bits(1, on_false, p), result);
      return rows.commit_bits(out, p, result);
    }
    float* const result = rows.result(2, out, p);
    choose(given, rows.read(0, on_true, p), rows.read(1, on_false, p), result);
    rows.commit(out, p, result);
  });
}

}  // namespace papilio::engine
