#include "papilio/engine/isa/vector_engine.hpp"

#include <algorithm>
#include <cmath>

#include "engine/checker.hpp"
#include "engine/instruction_run.hpp"
#include "engine/isa/elementwise.hpp"

namespace papilio::engine {

using namespace engine_detail;

void memset::validate(const checker& check) const {
  if (is_float(out.type())) return;
  const bool bytes = out.type() == dtype::uint8;
  const double lo = bytes ? 0 : -0x1p31, hi = bytes ? 255 : 0x1p31 - 1;
  check.that(value == std::floor(value) && value >= lo && value <= hi, "value",
             "must be an integer that ", to_string(out.type()), " holds, got ", value);
}

instruction_cost memset::cost(const machine_spec& machine) const {
  const vector_engine_spec& v = machine.vector;
  const double per_element = value == 0 && is_16_bit(out.type()) ? v.fast_memset_cycles_per_element
                                                                 : v.memset_cycles_per_element;
  return {.cycles = data_cycles(v, out, per_element * elementwise_factor(on, machine))};
}

void memset::execute(instruction_run& run) const {
  const auto n = std::size_t(out.elements());
  run.for_each_partition(out.partitions(), out.elements(), [&](int p, row_access& rows) {
    rows.compute(0, out, p, !is_float(out.type()),
                 [&]<class T>(T* row) { std::fill_n(row, n, T(value)); });
  });
}

}  // namespace papilio::engine
