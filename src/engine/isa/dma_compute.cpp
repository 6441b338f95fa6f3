#include "papilio/engine/isa/data_movement.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include "engine/checker.hpp"
#include "engine/instruction_run.hpp"
#include "engine/isa/dma_walk.hpp"

namespace papilio::engine {

using namespace engine_detail;

namespace {

// Row `row` of the side that is a tensor, partition `p` of the side that is a tile.
dma_operand row_of(const dma_operand& side, int p, std::int64_t row) {
  if (side.on_chip()) return side.tile.partition_range(p, 1);
  return side.hbm.slice(0, row, 1);
}

void check_rows(const checker& check, const dma_compute& i) {
  check.that(i.left == i.out, "left", "must be out, whose rows indices name");
  check.that(i.out.on_chip() != i.right.on_chip(), "right", "must be ",
             i.out.on_chip() ? "a tensor in HBM" : "a tile in SBUF", ", out is not");
  const hbm_view& tensor = i.out.on_chip() ? i.right.hbm : i.out.hbm;
  const tile_view& tile = i.out.on_chip() ? i.out.tile : i.right.tile;
  const char* const of_tile = i.out.on_chip() ? "out" : "right";
  check.that(tensor.rank() >= 2, i.out.on_chip() ? "right" : "out",
             "must have a row axis and another, has ", tensor.rank(), " axes");
  check.equal(of_tile, "partitions (of indices)", tile.partitions(), i.indices.partitions());
  check.equal(of_tile, "elements a partition (of a row in HBM)", tile.elements(),
              tensor.elements() / tensor.extent(0));
  check.that(tile.storage() != i.indices.storage(), of_tile, "must be another tile than indices");
}

}  // namespace

void dma_compute::validate(const checker& check) const {
  check.that(check.machine().dma.compute_rate > 0, "out", "this machine's DMA does not add");
  require_reachable(check, "out", out);
  require_reachable(check, "left", left);
  require_reachable(check, "right", right);
  require_queue(check, queue);
  require_numbers(check, "out", out.type());
  require_numbers(check, "left", left.type());
  require_numbers(check, "right", right.type());
  check.that(check.machine().dma.casts || (left.type() == out.type() && right.type() == out.type()),
             "out", "is ", to_string(out.type()), ", left is ", to_string(left.type()),
             ", right is ", to_string(right.type()), ": this machine's DMA does not convert");
  if (has_indices()) return check_rows(check, *this);
  check.that(left.elements() == out.elements(), "left", "has ", left.elements(),
             " elements, out has ", out.elements());
  check.that(right.elements() == out.elements(), "right", "has ", right.elements(),
             " elements, out has ", out.elements());
  check.that(left == out || !overlapping(out, left), "out",
             "overlaps left without being the same elements");
  check.that(right == out || !overlapping(out, right), "out",
             "overlaps right without being the same elements");
}

// Where two copies would have different buffers, the transfer has those of the finer one.
instruction_cost dma_compute::cost(const machine_spec& machine) const {
  const dma_spec& dma = machine.dma;
  const bool rows = has_indices();
  const dma_copy first{.out = rows ? row_of(out, 0, 0) : out,
                       .in = rows ? row_of(left, 0, 0) : left},
      second{.out = first.out, .in = rows ? row_of(right, 0, 0) : right};
  const instruction_cost a = first.cost(machine), b = second.cost(machine);
  const double bytes = std::max(double(a.dma_buffers) * a.dma_buffer_bytes,
                                double(b.dma_buffers) * b.dma_buffer_bytes);
  const std::uint64_t each = std::max(a.dma_buffers, b.dma_buffers);
  instruction_cost all{.dma_buffers = each,
                       .dma_buffer_bytes = bytes / double(each),
                       .dma_rate_factor = dma.compute_rate};
  if (!rows) return all;
  all.dma_buffers = each * std::uint64_t(indices.partitions());
  all.dma_descriptor_ns = dma.indirect_descriptor_ns;
  all.descriptor_cycles = double(all.dma_buffers) * dma.software_dge_cycles_per_descriptor;
  return all;
}

void dma_compute::execute(instruction_run& run) const {
  if (!has_indices()) {
    const std::int64_t count = out.elements(), pieces = std::min<std::int64_t>(count, 16);
    return run.for_each(std::size_t(pieces), count, [&](std::size_t index) {
      add_elements(out, left, right, count * std::int64_t(index) / pieces,
                   count * std::int64_t(index + 1) / pieces, run.rounding(),
                   run.instruction() << 24);
    });
  }
  const std::int64_t extent = (out.on_chip() ? right : out).hbm.extent(0);
  const std::int64_t n = (out.on_chip() ? out : right).tile.elements();
  std::vector<std::int32_t> rows;
  std::set<std::int32_t> named;
  for (int p = 0; p < indices.partitions(); ++p) {
    const std::int32_t row = *row_access(run).read_bits(0, indices, p);
    run.check().that(row >= 0 && row < extent, "indices", "must be in [0, ", extent,
                     "), partition ", p, " holds ", row);
    run.check().that(named.insert(row).second || out.on_chip(), "indices",
                     "must differ where out is in HBM: partition ", p, " holds ", row, " again");
    rows.push_back(row);
  }
  run.for_each_partition(indices.partitions(), n, [&](int p, row_access&) {
    const dma_operand to = row_of(out, p, rows[std::size_t(p)]);
    add_elements(to, to, row_of(right, p, rows[std::size_t(p)]), 0, n, run.rounding(),
                 (run.instruction() << 24) + std::uint64_t(p * n));
  });
}

}  // namespace papilio::engine
