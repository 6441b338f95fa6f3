#include "papilio/engine/isa/gpsimd_engine.hpp"

#include <algorithm>
#include <vector>

#include "engine/checker.hpp"
#include "engine/instruction_run.hpp"
#include "engine/isa/elementwise.hpp"

namespace papilio::engine {

using namespace engine_detail;

void partition_reduce::validate(const checker& check) const {
  check.that(
      op == alu_op::add || op == alu_op::multiply || op == alu_op::maximum || op == alu_op::minimum,
      "op", "must be add, multiply, maximum or minimum, is ", to_string(op));
}

instruction_cost partition_reduce::cost(const machine_spec& machine) const {
  return {.cycles = double(in.elements()) * machine.gpsimd.partition_reduce_cycles_per_element};
}

void partition_reduce::execute(instruction_run& run) const {
  const gpsimd_engine_spec& g = run.machine().gpsimd;
  const auto n = std::size_t(in.elements());
  const int first = in.partition() / g.partitions_per_processor;
  const int last = (in.partition() + in.partitions() - 1) / g.partitions_per_processor;
  const auto processors = std::size_t(last - first + 1);
  std::vector<float> folded(processors * n);
  run.for_each(processors, in.partitions() * in.elements(), [&](std::size_t processor) {
    row_access rows(run);
    float* const sum = folded.data() + processor * n;
    const int begin =
        std::max(0, (first + int(processor)) * g.partitions_per_processor - in.partition());
    const int end =
        std::min(in.partitions(),
                 (first + int(processor) + 1) * g.partitions_per_processor - in.partition());
    std::copy_n(rows.read(0, in, begin), n, sum);
    for (int p = begin + 1; p < end; ++p) apply(op, n, sum, rows.read(0, in, p), sum);
  });
  std::size_t step = 1;
  while (step < processors) step *= 2;
  for (step /= 2; step > 0; step /= 2)
    for (std::size_t j = 0; j < step && j + step < processors; ++j)
      apply(op, n, folded.data() + j * n, folded.data() + (j + step) * n, folded.data() + j * n);
  row_access(run).commit(out, 0, folded.data());
}

}  // namespace papilio::engine
