#include "papilio/engine/isa/vector_engine.hpp"

#include "engine/checker.hpp"
#include "engine/instruction_run.hpp"
#include "engine/isa/ranked.hpp"

namespace papilio::engine {

using namespace engine_detail;

void find_index8::validate(const checker& check) const {
  check.keeps(isa_rule::find_index8_elements, double(in.elements()));
}

instruction_cost find_index8::cost(const machine_spec& machine) const {
  return {.cycles = double(in.elements()) * machine.vector.find_index8_cycles_per_element};
}

void find_index8::execute(instruction_run& run) const {
  const auto n = std::size_t(in.elements());
  run.for_each_partition(in.partitions(), in.elements(), [&](int p, row_access& rows) {
    const float* const from = rows.read(0, in, p);
    rows.commit_bits(out, p, places_of(rows.read(1, values, p), {from, n}).data());
  });
}

}  // namespace papilio::engine
