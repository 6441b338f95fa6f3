#include "papilio/engine/isa/vector_engine.hpp"

#include "engine/instruction_run.hpp"
#include "engine/isa/elementwise.hpp"
#include "engine/isa/scalar_use.hpp"
#include "engine/number_codec.hpp"

namespace papilio::engine {

using namespace engine_detail;

instruction_cost dropout::cost(const machine_spec& machine) const {
  const vector_engine_spec& v = machine.vector;
  return {.cycles = data_cycles(v, out, v.dropout_cycles_per_element)};
}

void dropout::execute(instruction_run& run) const {
  const auto n = std::size_t(out.elements());
  // Another stream keeps these numbers apart from those of stochastic rounding with this seed.
  constexpr std::uint64_t stream = 0x64726f706f7574u;
  const position_hash hash(position_hash(seed)(stream));
  run.for_each_partition(out.partitions(), out.elements(), [&](int p, row_access& rows) {
    const double below =
        probability.tile.empty() ? probability.value : double(rows.scalar(probability.tile, p));
    const float* const from = rows.read(0, in, p);
    float* const result = rows.result(1, out, p);
    const std::uint64_t first = std::uint64_t(p) << 32;
    for (std::size_t i = 0; i < n; ++i)
      result[i] = unit_interval(hash(first + i)) < below ? 0.0f : from[i];
    rows.commit(out, p, result);
  });
}

}  // namespace papilio::engine
