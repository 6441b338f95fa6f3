#include "papilio/engine/isa/vector_engine.hpp"

#include <algorithm>

#include "engine/checker.hpp"
#include "engine/instruction_run.hpp"
#include "engine/isa/elementwise.hpp"
#include "engine/isa/ranked.hpp"
#include "engine/operand_list.hpp"

namespace papilio::engine {

using namespace engine_detail;

void max8::operands(operand_list& list) const {
  list.write("out", out);
  list.read("in", in);
}

void max8::validate(const checker& check) const {
  check.equal("out", "partitions (as in)", out.partitions(), in.partitions());
  check.equal("out", "elements a partition", out.elements(), std::int64_t{8});
  check.keeps(isa_rule::max8_elements, double(in.elements()));
  require_no_partial_overlap(check, "out", out, "in", in);
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
