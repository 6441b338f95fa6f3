#include "papilio/engine/isa/data_movement.hpp"

#include <algorithm>
#include <numeric>

#include "engine/checker.hpp"
#include "engine/instruction_run.hpp"
#include "engine/isa/dma_walk.hpp"

namespace papilio::engine {

using namespace engine_detail;

void dma_copy::validate(const checker& check) const {
  require_reachable(check, "out", out);
  require_reachable(check, "in", in);
  check.that(out.elements() == in.elements(), "in", "has ", in.elements(), " elements, out has ",
             out.elements());
  check.that(!overlapping(out, in), "out", "overlaps in: what is read would depend on the order");
  require_queue(check, queue);
  check.that(in.type() == out.type() || !(is_packed(in.type()) || is_packed(out.type())), "out",
             "is ", to_string(out.type()), ", in is ", to_string(in.type()),
             ": packed types are not converted");
  check.that(check.machine().dma.casts || in.type() == out.type(), "out", "is ",
             to_string(out.type()), ", in is ", to_string(in.type()),
             ": this machine's DMA does not convert");
}

instruction_cost dma_copy::cost(const machine_spec& machine) const {
  const std::int64_t count = out.elements(), a = dma_run(out), b = dma_run(in);
  const auto size = std::int64_t(std::max(size_bytes(out.type()), size_bytes(in.type())));
  // A buffer ends where a run of the source or of the destination does. The lengths of both runs
  // divide `count`, and every lcm(a, b) elements two such ends coincide.
  const std::int64_t both = std::lcm(a, b);
  std::int64_t buffers = std::max<std::int64_t>(1, count / a + count / b - count / both);
  if (!out.on_chip() && !in.on_chip())  // transfers within HBM are cut into good sizes
    buffers = std::max(buffers, count * size / machine.dma.good_transfer_bytes);
  return {.dma_buffers = std::uint64_t(buffers),
          .dma_buffer_bytes = double(count * size) / double(buffers)};
}

void dma_copy::execute(instruction_run& run) const {
  const std::int64_t count = out.elements(), pieces = std::min<std::int64_t>(count, 16);
  run.for_each(std::size_t(pieces), count, [&](std::size_t index) {
    copy_elements(out, in, count * std::int64_t(index) / pieces,
                  count * std::int64_t(index + 1) / pieces, run.rounding(),
                  run.instruction() << 24);
  });
}

}  // namespace papilio::engine
