#include "papilio/engine/isa/gpsimd_engine.hpp"

#include <algorithm>
#include <vector>

#include "engine/checker.hpp"
#include "engine/instruction_run.hpp"

namespace papilio::engine {

using namespace engine_detail;

void local_gather::validate(const checker& check) const {
  const int each = check.machine().gpsimd.partitions_per_processor;
  const std::int64_t e = elements_per_index;
  check.keeps(isa_rule::local_gather_group, double(e));
  check.that(in.partitions() % each == 0, "in", "partitions must be a multiple of ", each, ", got ",
             in.partitions());
  check.that(
      in.partition() % each == 0 && out.partition() % each == 0 && indices.partition() % each == 0,
      "in", "must start where a processor does, at a multiple of ", each);
  check.that(in.elements() % e == 0, "in", "elements a partition must be a multiple of ", e,
             ", got ", in.elements());
  check.that(out.elements() % e == 0, "out", "elements a partition must be a multiple of ", e,
             ", got ", out.elements());
  check.keeps(isa_rule::local_gather_indices, double(out.elements() / e));
  check.at_most("out", "indices", out.elements() / e, indices.elements() * each);
  check.that(out.storage() != in.storage() && out.storage() != indices.storage(), "out",
             "must be another tile than in and indices");
}

instruction_cost local_gather::cost(const machine_spec& machine) const {
  const gpsimd_engine_spec& g = machine.gpsimd;
  const auto e = double(elements_per_index);
  const double element = g.local_gather_element_cycles * e;
  const double per_cycle = ((g.local_gather_index_cycles + element) / element) /
                           std::min(g.local_gather_word_bytes / double(size_bytes(in.type())), e);
  return {.cycles = double(out.elements()) / per_cycle};
}

void local_gather::execute(instruction_run& run) const {
  const int each = run.machine().gpsimd.partitions_per_processor;
  const auto e = std::size_t(elements_per_index), count = std::size_t(out.elements()) / e;
  const auto per_row = std::size_t(indices.elements());
  const std::int64_t groups = in.elements() / elements_per_index;
  std::vector<std::int32_t> all(std::size_t(in.partitions()) * per_row);
  row_access index_rows(run);
  for (int p = 0; p < in.partitions(); ++p)
    std::copy_n(index_rows.read_bits(0, indices, p), per_row,
                all.data() + std::size_t(p) * per_row);
  const auto index_of = [&](int p, std::size_t i) {
    const auto row = std::size_t(p / each * each) + i % std::size_t(each);
    return all[row * per_row + i / std::size_t(each)];
  };
  for (int p = 0; p < in.partitions(); p += each)
    for (std::size_t i = 0; i < count; ++i)
      run.check().that(index_of(p, i) >= 0 && index_of(p, i) < groups, "indices", "index ", i,
                       " of partitions ", p, " ... must be in [0, ", groups, "), is ",
                       index_of(p, i));
  run.for_each_partition(out.partitions(), out.elements(), [&](int p, row_access& rows) {
    rows.compute(2, out, p, !is_float(in.type()), [&](auto* row) {
      const auto* const from = rows.read_as(row, 1, in, p);
      for (std::size_t i = 0; i < count; ++i)
        std::copy_n(from + std::size_t(index_of(p, i)) * e, e, row + i * e);
    });
  });
}

}  // namespace papilio::engine
