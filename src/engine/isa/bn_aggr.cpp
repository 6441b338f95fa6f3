#include "papilio/engine/isa/vector_engine.hpp"

#include "engine/checker.hpp"
#include "engine/instruction_run.hpp"
#include "engine/isa/elementwise.hpp"

namespace papilio::engine {

using namespace engine_detail;

void bn_aggr::validate(const checker& check) const {
  check.that(in.elements() % 3 == 0, "in",
             "elements a partition must be a multiple of 3 (count, mean, squares), got ",
             in.elements());
}

instruction_cost bn_aggr::cost(const machine_spec& machine) const {
  const vector_engine_spec& v = machine.vector;
  return {.cycles = data_cycles(v, in, v.bn_aggr_cycles_per_element)};
}

void bn_aggr::execute(instruction_run& run) const {
  const auto n = std::size_t(in.elements());
  run.for_each_partition(in.partitions(), in.elements(), [&](int p, row_access& rows) {
    const float* const from = rows.read(0, in, p);
    float* const result = rows.scratch(1, 2);
    float count = 0, sum = 0, squares = 0;
    for (std::size_t i = 0; i < n; i += 3) {
      count += from[i];
      sum += from[i] * from[i + 1];
    }
    const float mean = sum / count;
    for (std::size_t i = 0; i < n; i += 3) {
      const float apart = from[i + 1] - mean;
      squares += from[i + 2] + from[i] * (apart * apart);
    }
    result[0] = mean;
    result[1] = squares / count;
    rows.commit(out, p, result);
  });
}

}  // namespace papilio::engine
