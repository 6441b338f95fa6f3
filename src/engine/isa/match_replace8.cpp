#include "papilio/engine/isa/vector_engine.hpp"

#include <algorithm>
#include <array>

#include "engine/checker.hpp"
#include "engine/instruction_run.hpp"
#include "engine/isa/elementwise.hpp"
#include "engine/isa/ranked.hpp"

namespace papilio::engine {

using namespace engine_detail;

void match_replace8::validate(const checker& check) const {
  check.keeps(isa_rule::match_replace8_elements, double(in.elements()));
  if (!places.empty()) require_apart(check, "places", places, "in", in);
}

instruction_cost match_replace8::cost(const machine_spec& machine) const {
  const vector_engine_spec& v = machine.vector;
  return {.cycles = data_cycles(v, in, v.match_replace8_cycles_per_element)};
}

void match_replace8::execute(instruction_run& run) const {
  const auto n = std::size_t(in.elements());
  run.for_each_partition(in.partitions(), in.elements(), [&](int p, row_access& rows) {
    const float *const from = rows.read(0, in, p), *const given = rows.read(1, values, p);
    // The hardware searches from the last value to the first, which matters where values are equal.
    std::array<float, 8> sought;
    std::reverse_copy(given, given + 8, sought.begin());
    std::array<std::int32_t, 8> found = places_of(sought.data(), {from, n});
    std::ranges::reverse(found);
    float* const result = rows.result(2, out, p);
    if (result != from) std::copy_n(from, n, result);
    for (const std::int32_t place : found)
      if (place >= 0) result[place] = replacement;
    rows.commit(out, p, result);
    if (!places.empty()) rows.commit_bits(places, p, found.data());
  });
}

}  // namespace papilio::engine
