#include "papilio/engine/isa/vector_engine.hpp"

#include <algorithm>

#include "engine/instruction_run.hpp"
#include "engine/isa/elementwise.hpp"
#include "engine/isa/predicate.hpp"

namespace papilio::engine_detail {

using engine::tile_view;

double copy_predicated_cycles(const engine::vector_engine_spec& vector, const tile_view& in,
                              const tile_view& predicate) {
  const double per_element = in.space() == predicate.space()
                                 ? vector.copy_predicated_cycles_per_element
                                 : vector.split_copy_predicated_cycles_per_element;
  return data_cycles(vector, in, per_element);
}

}  // namespace papilio::engine_detail

namespace papilio::engine {

using namespace engine_detail;

instruction_cost tensor_copy_predicated::cost(const machine_spec& machine) const {
  return {.cycles = copy_predicated_cycles(machine.vector, in, predicate)};
}

void tensor_copy_predicated::execute(instruction_run& run) const {
  const auto n = std::size_t(out.elements());
  run.for_each_partition(out.partitions(), out.elements(), [&](int p, row_access& rows) {
    const std::int32_t* const given = rows.read_bits(2, predicate, p);
    rows.compute(1, out, p, !is_float(out.type()), [&](auto* row) {
      const auto* const old = rows.read_as(row, 3, out, p);
      if (old != row) std::copy_n(old, n, row);
      const auto* const from = rows.read_as(row, 0, in, p);
      for (std::size_t i = 0; i < n; ++i)
        if ((given[i] != 0) != reverse) row[i] = from[i];
    });
  });
}

}  // namespace papilio::engine
