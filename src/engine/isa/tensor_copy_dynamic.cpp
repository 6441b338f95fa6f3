#include "papilio/engine/isa/vector_engine.hpp"

#include <algorithm>

#include "engine/checker.hpp"
#include "engine/instruction_run.hpp"
#include "engine/isa/elementwise.hpp"

namespace papilio::engine {

using namespace engine_detail;

namespace {

const lane_engine_spec& engine_of(unit on, const machine_spec& machine) {
  if (on == unit::scalar) return machine.scalar;
  if (on == unit::gpsimd) return machine.gpsimd;
  return machine.vector;
}

}  // namespace

void tensor_copy_dynamic::validate(const checker& check) const {
  const bool source = side == dynamic_side::source;
  const tile_view& whole = source ? in : out;
  const char* const name = source ? "in" : "out";
  check.equal(name, "levels of the pattern", whole.dims().size(), std::size_t{1});
  check.at_most(source ? "out" : "in", "elements a partition (of the side with the offset)",
                source ? out.elements() : in.elements(), whole.elements());
  require_apart(check, "out", out, "in", in);
}

instruction_cost tensor_copy_dynamic::cost(const machine_spec& machine) const {
  const lane_engine_spec& e = engine_of(offset.on, machine);
  return {.cycles =
              std::max(e.dynamic_min_cycles, double(moved_elements()) * e.cycles_per_element)};
}

void tensor_copy_dynamic::execute(instruction_run& run) const {
  const bool source = side == dynamic_side::source;
  const std::int64_t n = moved_elements();
  const std::int64_t room = (source ? in : out).elements() - n;
  const std::int64_t at = run.registers.value(offset);
  run.check().that(at >= 0 && at <= room, "offset", "must be in [0, ", room, "], register ",
                   offset.index, " of ", to_string(offset.on), " holds ", at);
  const tile_view from = source ? in.columns(at, n) : in, to = source ? out : out.columns(at, n);
  const bool integers = keeps_integers(in.type(), out.type());
  run.for_each_partition(to.partitions(), n, [&](int p, row_access& rows) {
    if (integers) return rows.commit_bits(to, p, rows.read_bits(0, from, p));
    rows.commit(to, p, rows.read(0, from, p));
  });
}

}  // namespace papilio::engine
