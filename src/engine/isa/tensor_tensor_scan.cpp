#include "papilio/engine/isa/vector_engine.hpp"

#include "engine/instruction_run.hpp"
#include "engine/isa/elementwise.hpp"
#include "engine/isa/operations.hpp"
#include "engine/isa/scalar_use.hpp"

namespace papilio::engine {

using namespace engine_detail;

namespace {

struct scan_rows {
  const float *left, *right;
  float* out;
  std::size_t count;
  float initial;
  bool reverse0, reverse1;
};

template <class First, class Second>
void scan(const scan_rows& rows, First first, Second second) {
  float carried = rows.initial;
  for (std::size_t i = 0; i < rows.count; ++i) {
    const float left = rows.left[i], right = rows.right[i];
    const float inner = rows.reverse0 ? first(carried, left) : first(left, carried);
    carried = rows.reverse1 ? second(right, inner) : second(inner, right);
    rows.out[i] = carried;
  }
}

// The operations of common recurrences have loops of their own; other pairs make a call for each
// element.
using operation = float (*)(float, float);

operation function_of(alu_op op) {
  operation result = nullptr;
  with_operation(op, [&](auto f) { result = f; });
  return result;
}

void scan_any(alu_op op0, alu_op op1, const scan_rows& rows) {
  const auto plus = [](float a, float b) { return a + b; };
  const auto times = [](float a, float b) { return a * b; };
  const auto max = [](float a, float b) { return larger(a, b); };
  if (op0 == alu_op::multiply && op1 == alu_op::add) return scan(rows, times, plus);
  if (op0 == alu_op::add && op1 == alu_op::add) return scan(rows, plus, plus);
  if (op0 == alu_op::add && op1 == alu_op::maximum) return scan(rows, plus, max);
  if (op0 == alu_op::maximum && op1 == alu_op::add) return scan(rows, max, plus);
  scan(rows, function_of(op0), function_of(op1));
}

}  // namespace

instruction_cost tensor_tensor_scan::cost(const machine_spec& machine) const {
  const vector_engine_spec& v = machine.vector;
  return {.cycles = data_cycles(v, out, v.tensor_tensor_scan_cycles_per_element)};
}

void tensor_tensor_scan::execute(instruction_run& run) const {
  run.for_each_partition(out.partitions(), out.elements(), [&](int p, row_access& rows) {
    const float begin = value_of(initial, rows, p);
    float* const result = rows.result(2, out, p);
    scan_any(op0, op1,
             {rows.read(0, left, p), rows.read(1, right, p), result, std::size_t(out.elements()),
              begin, reverse0, reverse1});
    rows.commit(out, p, result);
  });
}

}  // namespace papilio::engine
