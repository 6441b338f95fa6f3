#include "papilio/engine/isa/data_movement.hpp"

#include <vector>

#include "engine/checker.hpp"
#include "engine/instruction_run.hpp"
#include "engine/isa/dma_walk.hpp"

namespace papilio::engine {

using namespace engine_detail;

namespace {

std::int64_t row_elements(const hbm_view& in) {
  return in.rank() < 1 ? 0 : in.elements() / in.extent(0);
}

}  // namespace

void dma_gather::validate(const checker& check) const {
  const dma_spec& dma = check.machine().dma;
  check.that(in.rank() >= 2, "in", "must have a row axis and another, has ", in.rank(), " axes");
  check.equal("out", "elements a partition (of a row of in)", out.elements(), row_elements(in));
  check.that(out.storage() != indices.storage(), "out", "must be another tile than indices");
  check.that(dma.casts || in.type() == out.type(), "out", "is ", to_string(out.type()), ", in is ",
             to_string(in.type()), ": this machine's DMA does not convert");
  require_queue(check, queue);
  require_numbers(check, "in", in.type());
}

instruction_cost dma_gather::cost(const machine_spec& machine) const {
  const dma_spec& dma = machine.dma;
  const dma_copy row{.out = out.partition_range(0, 1), .in = in.slice(0, 0, 1)};
  const instruction_cost one = row.cost(machine);
  const std::uint64_t buffers = one.dma_buffers * std::uint64_t(out.partitions());
  return {.dma_buffers = buffers,
          .dma_buffer_bytes = one.dma_buffer_bytes,
          .dma_descriptor_ns = dma.indirect_descriptor_ns,
          .descriptor_cycles = double(buffers) * dma.software_dge_cycles_per_descriptor};
}

void dma_gather::execute(instruction_run& run) const {
  std::vector<std::int32_t> rows(std::size_t(out.partitions()));
  for (int p = 0; p < out.partitions(); ++p) {
    rows[std::size_t(p)] = *row_access(run).read_bits(0, indices, p);
    run.check().that(rows[std::size_t(p)] >= 0 && rows[std::size_t(p)] < in.extent(0), "indices",
                     "must be in [0, ", in.extent(0), "), partition ", p, " holds ",
                     rows[std::size_t(p)]);
  }
  run.for_each_partition(out.partitions(), out.elements(), [&](int p, row_access&) {
    copy_elements(out.partition_range(p, 1), in.slice(0, rows[std::size_t(p)], 1), 0,
                  out.elements(), run.rounding(),
                  (run.instruction() << 24) + std::uint64_t(p * out.elements()));
  });
}

}  // namespace papilio::engine
