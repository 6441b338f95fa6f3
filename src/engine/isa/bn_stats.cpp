#include "papilio/engine/isa/vector_engine.hpp"

#include <algorithm>
#include <array>

#include "engine/checker.hpp"
#include "engine/instruction_run.hpp"
#include "engine/isa/elementwise.hpp"
#include "engine/isa/reduction.hpp"

namespace papilio::engine {

using namespace engine_detail;

void bn_stats::validate(const checker& check) const {
  check.at_most("in", "elements a partition", in.elements(),
                std::int64_t(check.machine().vector.bn_stats_elements_max));
}

instruction_cost bn_stats::cost(const machine_spec& machine) const {
  const vector_engine_spec& v = machine.vector;
  return {.cycles = data_cycles(v, in, v.bn_stats_cycles_per_element)};
}

void bn_stats::execute(instruction_run& run) const {
  const auto n = std::size_t(in.elements());
  run.for_each_partition(in.partitions(), in.elements(), [&](int p, row_access& rows) {
    const float* const from = rows.read(0, in, p);
    float* const half = rows.scratch(1, n);
    float* const result = rows.scratch(2, 6);
    for (std::size_t odd = 0; odd < 2; ++odd) {
      std::size_t count = 0;
      for (std::size_t i = odd; i < n; i += 2) half[count++] = from[i];
      float mean = 0, squares = 0;
      if (count > 0) {
        mean = reduce_row(alu_op::add, count, half) / float(count);
        for (std::size_t i = 0; i < count; ++i) half[i] = (half[i] - mean) * (half[i] - mean);
        squares = reduce_row(alu_op::add, count, half);
      }
      std::copy_n(std::array{float(count), mean, squares}.data(), 3, result + 3 * odd);
    }
    rows.commit(out, p, result);
  });
}

}  // namespace papilio::engine
