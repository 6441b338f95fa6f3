#include "papilio/engine/isa/gpsimd_engine.hpp"

#include <limits>

#include "engine/checker.hpp"
#include "engine/instruction_run.hpp"
#include "engine/isa/affine_pattern.hpp"
#include "engine/isa/elementwise.hpp"
#include "engine/number_codec.hpp"

namespace papilio::engine {

using namespace engine_detail;

namespace {

bool holds(alu_op compare, std::int64_t v) {
  return compare == alu_op::equal           ? v == 0
         : compare == alu_op::not_equal     ? v != 0
         : compare == alu_op::greater       ? v > 0
         : compare == alu_op::greater_equal ? v >= 0
         : compare == alu_op::less          ? v < 0
                                            : v <= 0;
}

}  // namespace

void affine_select::validate(const checker& check) const {
  using word = std::numeric_limits<std::int32_t>;
  check_affine(check, pattern, out, word::min(), word::max());
}

instruction_cost affine_select::cost(const machine_spec& machine) const {
  return {.cycles = double(out.elements()) * machine.gpsimd.affine_select_cycles_per_element};
}

void affine_select::execute(instruction_run& run) const {
  const bool integers = keeps_integers(in.type(), out.type());
  const auto other = out.type() == dtype::uint8 ? std::int32_t(uint8_codec::narrow(otherwise))
                                                : int32_codec::narrow(otherwise);
  run.for_each_partition(out.partitions(), out.elements(), [&](int p, row_access& rows) {
    rows.compute(1, out, p, integers, [&]<class T>(T* row) {
      const T* const from = rows.read_as(row, 0, in, p);
      const T no = integers ? T(other) : T(otherwise);
      for_each_affine(pattern, p, [&](std::size_t i, std::int64_t v) {
        row[i] = holds(compare, v) ? from[i] : no;
      });
    });
  });
}

}  // namespace papilio::engine
