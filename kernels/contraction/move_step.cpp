// Permutations of axes whose fastest axis differs between the operand and the result.
//   identity   out = left with its axes in another order
//   layout     a block is loaded with the result's fastest axis on partitions and rows of the
//              operand's fastest axis along them, and is transposed through PSUM: then rows of the
//              result's fastest axis lie along the partitions
//   bound      DMA, which moves long rows both ways
#include "kernels/contraction/step_designs.hpp"

#include <algorithm>
#include <utility>

#include "kernels/tiles.hpp"
#include "papilio/base/error.hpp"

namespace papilio::kernels_detail {

using namespace engine;

bool has_room(const contraction_step& step, const move_step_design& d, const machine_spec& machine,
              std::int64_t room) {
  const panel_size size = panel_size_of(d.panel, block_walk(step, d.loops).ranges(0));
  const std::int64_t depth = blocks_of(d.loops) > 1 ? d.depth : 1;
  return std::max(size.kept, size.raw) <= machine.thresholds.contraction_tile_elements_max &&
         depth * (size.kept + size.raw + 16) <= room;
}

std::vector<move_step_design> move_designs(const contraction_step& step,
                                           const machine_spec& machine) {
  const std::vector<int> all = step.axes_of(true, false, true);
  if (step.is_pair || all.size() != step.axes.size() || all.size() < 2 || step.conjugate[0])
    return {};
  const std::vector<int> by_source = fastest_first(step, all, operand_role::left),
                         by_target = fastest_first(step, all, operand_role::out);
  if (by_source.front() == by_target.front()) return {};
  const std::int64_t partitions =
      std::min<std::int64_t>(array_rows(machine), machine.sbuf.partitions);
  move_step_design d{.panel = {.from = operand_role::left,
                               .columns = {},
                               .k = partitions_of(step, {by_source.front()}, partitions),
                               .summed = {by_source.front()},
                               .is_transposed = true,
                               .raw = {},
                               .planes = step.planes},
                     .loops = {}};
  for (const int a : by_target)
    if (a != by_source.front()) d.panel.columns.push_back(a);
  d.panel.raw = partitions_of(step, d.panel.columns, partitions);
  d.loops = loops_of(step, slowest_first(step, d.panel.columns, operand_role::out), d.panel.raw);
  for (const block_loop& l : loops_of(step, d.panel.summed, d.panel.k)) d.loops.push_back(l);
  return grown(step, d, machine);
}

double effort_of(const contraction_step& step, const move_step_design& design) {
  const axis_ranges ranges = block_walk(step, design.loops).ranges(0);
  return double(step.planes * pieces_in(design.panel.raw, design.panel.columns, ranges) *
                pieces_in(design.panel.k, design.panel.summed, ranges)) +
         4;
}

void run_moves(core& nc, const contraction_step& step, const move_step_design& design,
               const step_tensors& tensors, std::int64_t blocks) {
  const block_walk walk(step, design.loops);
  const panel_size size = panel_size_of(design.panel, walk.ranges(0));
  const int depth = walk.blocks() > 1 ? int(design.depth) : 1,
            partitions = nc.machine().sbuf.partitions;
  tile_pool kept = nc.sbuf_pool(depth, partitions, size.kept,
                                design.panel.parts > 1 ? step.type : dtype::fp32),
            raw = nc.sbuf_pool(depth, partitions, size.raw),
            banks = nc.psum_pool(nc.machine().psum.banks, nc.machine().psum.partitions,
                                 nc.machine().psum.bank_bytes / 4);
  const panel_pools pools{kept, raw, banks};
  for (std::int64_t i = 0; i < std::min(blocks, walk.blocks()); ++i)
    product_panel(nc, step, design.panel, walk.ranges(i), tensors.of(operand_role::left), pools, {})
        .store_to(tensors.of(operand_role::out));
}

std::string move_step_design::describe(const contraction_step& step) const {
  return base_detail::message(step.terms(), " elements moved through the tensor engine, ",
                              panel.raw.partitions(), " x ", panel.k.partitions(),
                              " at a time, in ", std::int64_t(blocks_of(loops)), " blocks");
}

}  // namespace papilio::kernels_detail
