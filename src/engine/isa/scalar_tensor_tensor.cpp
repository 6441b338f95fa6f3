#include "papilio/engine/isa/vector_engine.hpp"

#include <algorithm>
#include <array>

#include "engine/instruction_run.hpp"
#include "engine/isa/elementwise.hpp"
#include "engine/isa/scalar_use.hpp"

namespace papilio::engine {

using namespace engine_detail;

instruction_cost scalar_tensor_tensor::cost(const machine_spec& machine) const {
  const vector_engine_spec& v = machine.vector;
  const bool all_bf16 =
      out.type() == dtype::bf16 && in.type() == dtype::bf16 && right.type() == dtype::bf16;
  const bool fast =
      all_bf16 && op0 == alu_op::subtract && op1 == alu_op::multiply && out.elements() % 2 == 0;
  return {.cycles = double(out.elements()) * (fast ? v.fast_scalar_tensor_tensor_cycles_per_element
                                                   : v.scalar_tensor_tensor_cycles_per_element)};
}

void scalar_tensor_tensor::execute(instruction_run& run) const {
  const auto n = std::size_t(out.elements());
  run.for_each_partition(out.partitions(), out.elements(), [&](int p, row_access& rows) {
    const float by = value_of(operand0, rows, p);
    const float* const from = rows.read(0, in, p);
    const float* const other = rows.read(1, right, p);
    float* const result = rows.result(2, out, p);
    // `out` may be `right`, so that the first operation has its result in a buffer, piece by piece.
    std::array<float, 1024> first;
    for (std::size_t i = 0; i < n; i += first.size()) {
      const std::size_t count = std::min(first.size(), n - i);
      apply_scalar(op0, count, from + i, by, reverse0, first.data());
      if (reverse1)
        apply(op1, count, other + i, first.data(), result + i);
      else
        apply(op1, count, first.data(), other + i, result + i);
    }
    rows.commit(out, p, result);
  });
}

}  // namespace papilio::engine
