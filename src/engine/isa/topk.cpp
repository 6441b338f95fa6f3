#include "papilio/engine/isa/gpsimd_engine.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "engine/checker.hpp"
#include "engine/instruction_run.hpp"
#include "engine/isa/ranked.hpp"

namespace papilio::engine {

using namespace engine_detail;

void topk::validate(const checker& check) const {
  check.at_most("values", "elements a partition (as in has)", values.elements(), in.elements());
}

instruction_cost topk::cost(const machine_spec& machine) const {
  const gpsimd_engine_spec& g = machine.gpsimd;
  return {.cycles = double(in.elements()) * g.topk_cycles_per_element +
                    double(values.elements()) * g.topk_cycles_per_result};
}

void topk::execute(instruction_run& run) const {
  const std::int64_t n = in.elements(), k = values.elements();
  run.for_each_partition(in.partitions(), n, [&](int p, row_access& rows) {
    const float* const from = rows.read(0, in, p);
    std::vector<std::int32_t> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), 0);
    std::partial_sort(order.begin(), order.begin() + k, order.end(),
                      [&](std::int32_t a, std::int32_t b) {
                        if (ranks_before(from[a], from[b])) return true;
                        return !ranks_before(from[b], from[a]) && a < b;
                      });
    float* const best = rows.scratch(1, std::size_t(k));
    for (std::int64_t i = 0; i < k; ++i) best[i] = from[order[std::size_t(i)]];
    rows.commit(values, p, best);
    rows.commit_bits(indices, p, order.data());
  });
}

}  // namespace papilio::engine
