#include "papilio/engine/isa/scalar_engine.hpp"

#include <algorithm>

#include "engine/instruction_run.hpp"
#include "engine/isa/functions.hpp"

namespace papilio::engine {

using namespace engine_detail;

instruction_cost activation::cost(const machine_spec& machine) const {
  const scalar_engine_spec& s = machine.scalar;
  return {.cycles = std::max(s.min_cycles, double(out.elements()) * s.cycles_per_element)};
}

void activation::execute(instruction_run& run) const {
  const auto n = std::size_t(out.elements());
  run.for_each_partition(out.partitions(), out.elements(), [&](int p, row_access& rows) {
    float* const result = rows.result(1, out, p);
    const float by = scale_tile.empty() ? scale : rows.scalar(scale_tile, p);
    const float plus = bias.empty() ? 0.0f : rows.scalar(bias, p);
    apply_function(function, run.machine().activation, n, rows.read(0, in, p), by, plus, result);
    rows.commit(out, p, result);
  });
}

}  // namespace papilio::engine
