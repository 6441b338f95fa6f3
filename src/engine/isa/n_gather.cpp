#include "papilio/engine/isa/gpsimd_engine.hpp"

#include <algorithm>
#include <cmath>

#include "engine/checker.hpp"
#include "engine/instruction_run.hpp"
#include "engine/isa/elementwise.hpp"

namespace papilio::engine {

using namespace engine_detail;

void n_gather::validate(const checker& check) const {
  require_apart(check, "out", out, "in", in);
  require_apart(check, "out", out, "indices", indices);
}

// Each group of elements begins anew; the first start is every instruction's.
instruction_cost n_gather::cost(const machine_spec& machine) const {
  const gpsimd_engine_spec& g = machine.gpsimd;
  const auto n = double(out.elements());
  return {.cycles = n * g.cycles_per_element +
                    (std::ceil(n / g.gather_group_elements) - 1) * g.start_cycles};
}

void n_gather::execute(instruction_run& run) const {
  const auto n = std::size_t(out.elements());
  for (int p = 0; p < out.partitions(); ++p) {
    const std::int32_t* const places = row_access(run).read_bits(0, indices, p);
    const std::int32_t* const wrong = std::find_if(places, places + n, [&](std::int32_t place) {
      return place < 0 || place >= in.elements();
    });
    run.check().that(wrong == places + n, "indices", "must be in [0, ", in.elements(),
                     "), partition ", p, " holds ", wrong == places + n ? 0 : *wrong);
  }
  run.for_each_partition(out.partitions(), out.elements(), [&](int p, row_access& rows) {
    const std::int32_t* const places = rows.read_bits(0, indices, p);
    const auto gather = [&](const auto* from, auto* to) {
      for (std::size_t j = 0; j < n; ++j) to[j] = from[places[j]];
    };
    if (!is_float(in.type())) {
      std::int32_t* const result = rows.result_bits(2, out);
      gather(rows.read_bits(1, in, p), result);
      return rows.commit_bits(out, p, result);
    }
    float* const result = rows.result(2, out, p);
    gather(rows.read(1, in, p), result);
    rows.commit(out, p, result);
  });
}

}  // namespace papilio::engine
