#include "papilio/engine/isa/vector_engine.hpp"

#include "engine/checker.hpp"
#include "engine/instruction_run.hpp"
#include "engine/isa/elementwise.hpp"
#include "engine/isa/reduction.hpp"

namespace papilio::engine {

using namespace engine_detail;

namespace {

// Returns how many elements are reduced to one.
std::int64_t group_of(const tensor_reduce& i) {
  std::int64_t group = 1;
  const auto dims = i.in.dims();
  for (std::size_t k = dims.size() - std::size_t(i.levels); k < dims.size(); ++k)
    group *= dims[k].extent;
  return group;
}

}  // namespace

void tensor_reduce::validate(const checker& check) const {
  const auto rank = int(in.dims().size());
  check.that(levels <= rank, "levels", "must be in [1, ", rank, "], got ", levels);
  check.equal("out", "elements a partition (of the levels of in that are left)", out.elements(),
              in.elements() / group_of(*this));
  check.that(!negate || !is_bitwise(op), "negate", "does not go with ", to_string(op));
}

instruction_cost tensor_reduce::cost(const machine_spec& machine) const {
  const vector_engine_spec& v = machine.vector;
  const bool fast = out.type() == dtype::bf16 && in.type() == dtype::bf16 &&
                    (op == alu_op::add || op == alu_op::maximum);
  return {.cycles = double(in.elements()) * (fast ? v.fast_tensor_reduce_cycles_per_element
                                                  : v.tensor_reduce_cycles_per_element)};
}

void tensor_reduce::execute(instruction_run& run) const {
  const auto group = std::size_t(group_of(*this)), results = std::size_t(out.elements());
  run.for_each_partition(out.partitions(), in.elements(), [&](int p, row_access& rows) {
    if (is_bitwise(op)) {
      const std::int32_t* from = rows.read_bits(0, in, p);
      std::int32_t* const result = rows.result_bits(1, out);
      for (std::size_t j = 0; j < results; ++j, from += group) {
        result[j] = from[0];
        for (std::size_t i = 1; i < group; ++i) apply_bits(op, 1, result + j, from + i, result + j);
      }
      return rows.commit_bits(out, p, result);
    }
    const float* const from = rows.read(0, in, p);
    float* const result = rows.result(1, out, p);
    for (std::size_t j = 0; j < results; ++j) {
      const float value = reduce_row(op, group, from + j * group);
      result[j] = negate ? -value : value;
    }
    rows.commit(out, p, result);
  });
}

}  // namespace papilio::engine
