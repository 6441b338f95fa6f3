#include "papilio/engine/isa/vector_engine.hpp"

#include <algorithm>

#include "engine/checker.hpp"
#include "engine/instruction_run.hpp"
#include "engine/isa/ranked.hpp"

namespace papilio::engine {

using namespace engine_detail;

void max8::validate(const checker& check) const {
  check.keeps(isa_rule::max8_elements, double(in.elements()));
}

instruction_cost max8::cost(const machine_spec& machine) const {
  return {.cycles = double(in.elements()) * machine.vector.max8_cycles_per_element};
}

void max8::execute(instruction_run& run) const {
  const auto n = std::size_t(in.elements());
  run.for_each_partition(in.partitions(), in.elements(), [&](int p, row_access& rows) {
    const float* const from = rows.read(0, in, p);
    float* const best = rows.scratch(1, 8);
    std::partial_sort_copy(from, from + n, best, best + 8, ranks_before);
    rows.commit(out, p, best);
  });
}

}  // namespace papilio::engine
