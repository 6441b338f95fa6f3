#include "papilio/engine/isa/data_movement.hpp"

#include <algorithm>

#include "engine/checker.hpp"
#include "engine/instruction_run.hpp"
#include "engine/isa/dma_walk.hpp"
#include "papilio/engine/isa/tensor_engine.hpp"

namespace papilio::engine {

using namespace engine_detail;

namespace {

std::int64_t rows_of(const dma_operand& in) {
  return in.on_chip() ? in.tile.partitions() : in.hbm.extent(0);
}
std::int64_t columns_of(const dma_operand& in) {
  return in.on_chip() ? in.tile.elements() : in.hbm.extent(1);
}

}  // namespace

void dma_transpose::validate(const checker& check) const {
  const dma_spec& dma = check.machine().dma;
  check.that(
      (in.on_chip() ? dma.transpose_rate_sbuf : dma.transpose_rate_hbm) > 0, "in", "DMA of ",
      check.machine().name,
      " does not transpose: transposing_loader loads the rows and transposes them on the vector "
      "engine");
  check.that(in.on_chip() || in.hbm.rank() == 2, "in", "must have 2 axes, has ", in.hbm.rank());
  if (in.on_chip()) check.in_sbuf("in", in.tile);
  check.equal("out", "partitions (columns of in)", std::int64_t(out.partitions()), columns_of(in));
  check.equal("out", "elements a partition (rows of in)", out.elements(), rows_of(in));
  check.that(!in.on_chip() || in.tile.storage() != out.storage(), "out",
             "must be another tile than in");
  require_queue(check, queue);
}

instruction_cost dma_transpose::cost(const machine_spec& machine) const {
  const std::int64_t count = in.elements();
  const std::int64_t run = std::min(dma_run(in), columns_of(in));
  return {.dma_buffers = std::uint64_t(count / run),
          .dma_buffer_bytes = double(run) * double(size_bytes(in.type())),
          .dma_rate_factor =
              in.on_chip() ? machine.dma.transpose_rate_sbuf : machine.dma.transpose_rate_hbm};
}

void dma_transpose::execute(instruction_run& run) const {
  if (in.on_chip()) return transpose{.out = out, .in = in.tile, .on = unit::vector}.execute(run);
  const hbm_view columns = in.hbm.permute({1, 0});
  run.for_each(std::size_t(out.partitions()), in.elements(), [&](std::size_t p) {
    copy_elements(out.partition_range(int(p), 1), columns.slice(0, std::int64_t(p), 1), 0,
                  out.elements(), run.rounding(), 0);
  });
}

}  // namespace papilio::engine
