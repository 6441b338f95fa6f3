// The memory and the instructions that a product takes.
//   SBUF       pools of panels, of slices to be transposed, of result tiles, and of the epilogue's
//              tiles; sizes are those of the first block, which is the largest
//   PSUM       a bank for each plane of a sum, or each of three products; at least two banks to
//              transpose in
//   effort     instructions of a block: products and transposes of its pieces
#include "kernels/product/rooms.hpp"

#include <algorithm>
#include <vector>

#include "kernels/product/result_layout.hpp"

namespace papilio::kernels_detail {

using namespace engine;
using kernels::product_sums;

namespace {

constexpr int transposing = 2;  // the least PSUM banks to transpose in

// The type of result tiles: that of the output where sums leave PSUM finished, else fp32.
dtype made_type(const contraction_step& step, const product_step_design& design) {
  const kernels::product_epilogue& e = step.epilogue;
  const bool is_final = blocks_of_a_result(design) == 1 && e.beta == 0 && !step.three_products &&
                        e.sums == product_sums::none &&
                        (!e.bias || e.function == activation_function::copy);
  return is_final ? step.stored[std::size_t(operand_role::out)] : dtype::fp32;
}

}  // namespace

std::int64_t pool_size::bytes() const {
  constexpr std::int64_t rounding = 32;
  return depth * (words * std::int64_t(size_bytes(type)) + rounding);
}

tile_pool pool_size::made(core& nc) const {
  return nc.sbuf_pool(depth, nc.machine().sbuf.partitions, words, type);
}

std::optional<tile_pool> pool_size::made_if_any(core& nc) const {
  if (depth == 0) return {};
  return made(nc);
}

axis_ranges streamed_part(const product_step_design& d, axis_ranges block, std::int64_t part) {
  if (d.stream == 0) return block;
  axis_range& k = block[std::size_t(d.k.cut)];
  const std::int64_t each = d.stream * d.k.chunk, first = part * each;
  k = {k.first + first, std::min(each, k.count - first)};
  return block;
}

std::int64_t parts_ahead(const product_step_design& d) {
  constexpr std::int64_t tiles = 8;
  return std::max<std::int64_t>(2, tiles / d.stream);
}

product_pools pools_of(const contraction_step& step, const product_step_design& d) {
  const axis_ranges ranges = block_walk(step, d.loops).ranges(0);  // the first is the largest
  const row_groups groups = row_groups_of(step, d, ranges);
  const panel_size rows = panel_size_of(d.stationary, ranges),
                   columns = d.shares ? panel_size{1, 1, 1}
                                      : panel_size_of(d.moving, streamed_part(d, ranges, 0));
  const std::int64_t result =
                         tile_layout(step, operand_role::out, d.m, groups.part(ranges, 0)).words(),
                     count = groups.groups(ranges), size = std::int64_t(size_bytes(step.type));
  const auto depth = [&](const std::vector<int>& axes) {
    const auto changes = [&](const block_loop& l) {
      return l.blocks() > 1 && is_among(axes, l.axis);
    };
    return std::ranges::any_of(d.loops, changes) ? 2 : 1;
  };
  const int of_rows = depth(both_axes(d.stationary.columns, d.k_axes)),
            of_columns = d.stream > 0 ? int(parts_ahead(d) + 1)
                                      : depth(both_axes(d.moving.columns, d.k_axes)),
            of_results = depth(both_axes(d.batch, both_axes(d.m_axes, d.n_axes)));
  // A panel that is split into parts is loaded two blocks ahead, others one.
  const auto raw = [&](int blocks, const panel_size& s, const panel_design& panel) {
    constexpr int at_once = int(slices_at_once);
    const int slices = s.slices > 1       ? at_once
                       : panel.is_split() ? std::min(2 * blocks - 1, at_once + 1)
                                          : std::min(blocks, at_once);
    return pool_size{slices, s.raw, step.loaded(panel.from)};
  };
  // Where results are summed over several blocks, all groups of rows wait for the last block, and a
  // result of one block may stay; else few groups are in flight.
  constexpr std::int64_t groups_under_way = 3;
  const std::int64_t all = (d.stream > 0 ? 2 : of_results) * count;
  const bool all_stay = blocks_of_a_result(d) > 1 || d.stream > 0 || of_results == 1;
  product_pools pools{
      .stationary = {of_rows, rows.kept, step.type},
      .moving = {of_columns, columns.kept, step.type},
      .stationary_raw = raw(of_rows, rows, d.stationary),
      .moving_raw = raw(of_columns, columns, d.moving),
      .result = {int(all_stay ? all : std::min(all, groups_under_way)), result, made_type(step, d)},
      .longest_step = std::max({rows.tile, columns.tile, rows.raw, columns.raw, result}),
      .twice_bytes =
          2 * (size * (rows.kept + columns.kept) + 4 * (rows.raw + columns.raw + result * count))};
  if (is_packed(step.type)) {
    constexpr int staged = 3;
    pools.stationary_scales = {of_rows, rows.scales, dtype::uint8};
    pools.moving_scales = {of_columns, columns.scales, dtype::uint8};
    pools.staged = {staged, mx_numbers * packed_columns,
                    step.loaded(operand_role::left) == dtype::fp16 ? dtype::fp16 : dtype::bf16};
    pools.twice_bytes += 2 * (rows.scales + columns.scales);
  }
  if (step.epilogue.bias) pools.bias.words = step.planes * ranges[std::size_t(d.n_axes[0])].count;
  if (step.epilogue.sums != product_sums::none)
    pools.row_sums.words =
        ceil_div(ranges[std::size_t(d.m_axes[0])].count, d.m.partitions_within(step));
  return pools;
}

std::int64_t product_pools::bytes() const {
  std::int64_t bytes = 0;
  for (const pool_size* const pool :
       {&stationary, &moving, &stationary_raw, &moving_raw, &result, &stationary_scales,
        &moving_scales, &staged, &bias, &row_sums, &cells, &totals})
    bytes += pool->bytes();
  return bytes;
}

std::int64_t sums_at_once(const product_step_design& d, const machine_spec& machine) {
  return std::min((machine.psum.banks - transposing) / d.banks,
                  machine.thresholds.product_group_tiles_max);
}

std::vector<std::int64_t> made_blocks(const contraction_step& step, const product_step_design& d,
                                      const block_span& some) {
  const block_walk walk(step, d.loops);
  std::vector<std::int64_t> blocks;
  for (std::int64_t i = 0, made = 0; i < walk.blocks() && made - some.first < some.count; ++i) {
    if (step.part && !is_made(step, d, walk.ranges(i))) continue;
    if (made++ >= some.first) blocks.push_back(i);
  }
  return blocks;
}

std::int64_t blocks_made(const contraction_step& step, const product_step_design& design) {
  if (!step.part) return std::int64_t(blocks_of(design.loops));
  return std::int64_t(made_blocks(step, design, {}).size());
}

std::int64_t blocks_to_try(double all, double effort, double of_a_result) {
  constexpr double effort_max = 1500;  // instructions of a dry run, roughly
  constexpr double least = 3, beyond = 4;
  const double some = std::max(least, effort_max / effort);
  const auto whole = std::int64_t(some / of_a_result) * std::int64_t(of_a_result);
  if (whole > 0) return std::int64_t(std::min(all, double(whole)));
  return std::int64_t(std::min(all, of_a_result > beyond * some ? some : of_a_result));
}

block_sample sample_of(const contraction_step& step, const product_step_design& design) {
  const std::int64_t all = blocks_made(step, design),
                     count = blocks_to_try(double(all), effort_of(step, design),
                                           blocks_of_a_result(design));
  block_sample sample{{0, count}, double(all) / double(count)};
  if (!step.part) return sample;
  const block_walk walk(step, design.loops);
  const block_loop& outer = design.loops.front();
  const auto is_before = [&](std::int64_t block) {
    return 2 * walk.place(block, {outer.axis}) + 1 < outer.blocks();
  };
  sample.some.first = std::min<std::int64_t>(
      std::ranges::count_if(made_blocks(step, design, {}), is_before), all - count);
  return sample;
}

double blocks_of_a_result(const product_step_design& design) {
  double blocks = 1;
  for (const block_loop& l : design.loops)
    if (is_among(design.k_axes, l.axis)) blocks *= double(l.blocks());
  return blocks;
}

double effort_of(const contraction_step& step, const product_step_design& design) {
  const axis_ranges ranges = block_walk(step, design.loops).ranges(0);
  const auto pieces = [&](const axis_partitions& group, const std::vector<int>& axes) {
    return double(pieces_in(group, axes, ranges));
  };
  const double b = pieces({}, design.batch), m = pieces(design.m, design.m_axes),
               n = pieces(design.n, design.n_axes), k = pieces(design.k, design.k_axes);
  double count =
      b * m * n *
      (k * double(step.planes * step.planes * step.part_products()) + double(step.planes));
  const double panels = k * double(step.planes * step.parts);
  for (const panel_design* const p : {&design.stationary, &design.moving})
    if (p->is_transposed) count += pieces(p->raw, p->columns) * panels;
  return count + 8;
}

}  // namespace papilio::kernels_detail
