#include "papilio/engine/isa/vector_engine.hpp"

#include <algorithm>

#include "engine/instruction_run.hpp"
#include "engine/isa/predicate.hpp"

namespace papilio::engine_detail {

using engine::tile_view;

double copy_predicated_cycles(const engine::vector_engine_spec& vector, const tile_view& in,
                              const tile_view& predicate) {
  const double per_element = in.space() == predicate.space()
                                 ? vector.copy_predicated_cycles_per_element
                                 : vector.split_copy_predicated_cycles_per_element;
  return std::max(vector.min_cycles, double(in.elements()) * per_element);
}

}  // namespace papilio::engine_detail

namespace papilio::engine {

using namespace engine_detail;

instruction_cost tensor_copy_predicated::cost(const machine_spec& machine) const {
  return {.cycles = copy_predicated_cycles(machine.vector, in, predicate)};
}

void tensor_copy_predicated::execute(instruction_run& run) const {
  const auto n = std::size_t(out.elements());
  const auto choose = [&](const std::int32_t* given, const auto* from, auto* result) {
    for (std::size_t i = 0; i < n; ++i)
      result[i] = (given[i] != 0) != reverse ? from[i] : result[i];
  };
  run.for_each_partition(out.partitions(), out.elements(), [&](int p, row_access& rows) {
    const std::int32_t* const given = rows.read_bits(2, predicate, p);
    if (!is_float(out.type())) {
      std::int32_t* const result = rows.result_bits(1, out);
      std::copy_n(rows.read_bits(3, out, p), n, result);
      choose(given, rows.read_bits(0, in, p), result);
      return rows.commit_bits(out, p, result);
    }
    float* const result = rows.result(1, out, p);
    const float* const old = rows.read(3, out, p);
    if (old != result) std::copy_n(old, n, result);
    choose(given, rows.read(0, in, p), result);
    rows.commit(out, p, result);
  });
}

}  // namespace papilio::engine
