#include "papilio/engine/isa/gpsimd_engine.hpp"

#include <limits>
#include <vector>

#include "engine/checker.hpp"
#include "engine/instruction_run.hpp"
#include "engine/isa/affine_pattern.hpp"

namespace papilio::engine {

using namespace engine_detail;

void iota::validate(const checker& check) const {
  using word = std::numeric_limits<std::int32_t>;
  const bool byte = out.type() == dtype::uint8;
  check_affine(check, pattern, out, byte ? 0 : word::min(), byte ? 255 : word::max());
}

instruction_cost iota::cost(const machine_spec& machine) const {
  return {.cycles = double(out.elements()) * machine.gpsimd.iota_cycles_per_element};
}

void iota::execute(instruction_run& run) const {
  run.for_each_partition(out.partitions(), out.elements(), [&](int p, row_access& rows) {
    rows.compute(0, out, p, !is_float(out.type()), [&]<class T>(T* row) {
      for_each_affine(pattern, p, [&](std::size_t i, std::int64_t v) { row[i] = T(v); });
    });
  });
}

}  // namespace papilio::engine
