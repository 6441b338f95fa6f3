#include "papilio/engine/isa/vector_engine.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "engine/checker.hpp"
#include "engine/instruction_run.hpp"
#include "engine/isa/elementwise.hpp"

namespace papilio::engine {

using namespace engine_detail;

namespace {

// All rows of a group are read before any is written, since `out` may be the same elements as `in`.
template <class Value, class Read, class Commit>
void shuffle(std::span<const std::uint8_t> mask, std::size_t columns, int first, const Read& read,
             const Commit& commit) {
  const auto partitions = int(mask.size());
  std::vector<Value> group(columns * mask.size());
  for (int i = 0; i < partitions; ++i)
    std::copy_n(read(first + i), columns, group.data() + std::size_t(i) * columns);
  for (int i = 0; i < partitions; ++i)
    if (const int from = mask[std::size_t(i)]; from < partitions)
      commit(first + i, group.data() + std::size_t(from) * columns);
}

}  // namespace

void stream_shuffle::validate(const checker& check) const {
  const int keep = check.machine().vector.shuffle_keep;
  check.equal("mask", "entries", entries, check.machine().vector.shuffle_mask_entries);
  for (const int entry : mask)
    check.that(entry < entries || entry == keep, "mask", "entries must be in [0, ", entries,
               ") or ", keep, ", got ", entry);
  check.that(out.partitions() % entries == 0, "out", "partitions must be a multiple of ", entries,
             ", are ", out.partitions());
}

instruction_cost stream_shuffle::cost(const machine_spec& machine) const {
  const vector_engine_spec& v = machine.vector;
  return {.cycles = data_cycles(v, out, v.stream_shuffle_cycles_per_element)};
}

void stream_shuffle::execute(instruction_run& run) const {
  const auto n = std::size_t(out.elements());
  const int partitions = entries;
  const bool numbers = is_float(out.type());
  run.for_each(std::size_t(out.partitions() / partitions), out.partitions() * out.elements(),
               [&](std::size_t group) {
                 row_access rows(run);
                 const int first = int(group) * partitions;
                 if (numbers)
                   shuffle<float>(
                       mask, n, first, [&](int p) { return rows.read(0, in, p); },
                       [&](int p, const float* row) { rows.commit(out, p, row); });
                 else
                   shuffle<std::int32_t>(
                       mask, n, first, [&](int p) { return rows.read_bits(0, in, p); },
                       [&](int p, const std::int32_t* row) { rows.commit_bits(out, p, row); });
               });
}

}  // namespace papilio::engine
