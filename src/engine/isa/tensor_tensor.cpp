#include "papilio/engine/isa/vector_engine.hpp"

#include <algorithm>

#include "engine/instruction_run.hpp"
#include "engine/isa/elementwise.hpp"

namespace papilio::engine {

using namespace engine_detail;

instruction_cost tensor_tensor::cost(const machine_spec& machine) const {
  const vector_engine_spec& v = machine.vector;
  const bool both_sbuf = left.space() == memory_space::sbuf && right.space() == memory_space::sbuf;
  const bool plain = op == alu_op::add || op == alu_op::subtract || op == alu_op::multiply;
  const bool fast_bf16 = out.space() == memory_space::sbuf && plain && out.type() == dtype::bf16 &&
                         left.type() == dtype::bf16 && right.type() == dtype::bf16 &&
                         is_unit_stride(out) && is_unit_stride(left) && is_unit_stride(right);
  double per_element = !both_sbuf || fast_bf16 ? v.fast_tensor_tensor_cycles_per_element
                                               : v.tensor_tensor_cycles_per_element;
  const bool all_16_bit =
      is_16_bit(out.type()) && is_16_bit(left.type()) && is_16_bit(right.type());
  if (v.performance_mode && on == unit::vector && both_sbuf && all_16_bit)
    per_element =
        std::min(per_element, v.tensor_tensor_cycles_per_element / v.fast_tensor_tensor_factor);
  return {.cycles = data_cycles(v, out, per_element * elementwise_factor(on, machine))};
}

void tensor_tensor::execute(instruction_run& run) const {
  const auto n = std::size_t(out.elements());
  run.for_each_partition(out.partitions(), out.elements(), [&](int p, row_access& rows) {
    if (is_bitwise(op)) {
      std::int32_t* const result = rows.result_bits(2, out);
      apply_bits(op, n, rows.read_bits(0, left, p), rows.read_bits(1, right, p), result);
      return rows.commit_bits(out, p, result);
    }
    float* const result = rows.result(2, out, p);
    apply(op, n, rows.read(0, left, p), rows.read(1, right, p), result);
    rows.commit(out, p, result);
  });
}

}  // namespace papilio::engine
