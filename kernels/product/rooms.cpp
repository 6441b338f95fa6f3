// Tiles and instructions that a product takes.
//   SBUF       pools of panels, of what is loaded to be transposed, of result tiles, and of what the
//              epilogue adds and sums up; sizes are those of the first block, which is the largest
//   PSUM       a bank for each sum of a number's parts; two for what is transposed
//   effort     instructions of a block: products and transposes of its pieces
#include "kernels/product/rooms.hpp"

#include <algorithm>
#include <vector>

#include "kernels/product/result_layout.hpp"

namespace papilio::kernels_detail {

using namespace engine;
using kernels::product_sums;

namespace {

constexpr int transposing = 2;  // banks of PSUM

axis_ranges streamed_part(const product_step_design& d, axis_ranges ranges) {
  if (d.stream == 0) return ranges;
  axis_range& k = ranges[std::size_t(d.k.cut)];
  k.count = std::min(k.count, d.stream * d.k.chunk);
  return ranges;
}

// The type in which a result is made: as it is stored, where nothing more is done to it.
dtype made_type(const contraction_step& step, const product_step_design& design) {
  const kernels::product_epilogue& e = step.epilogue;
  const bool is_final = blocks_of_a_result(design) == 1 && e.beta == 0 && !step.three_products &&
                        e.sums == product_sums::none &&
                        (!e.bias || e.function == activation_function::copy);
  return is_final ? step.stored[std::size_t(side::out)] : dtype::fp32;
}

}  // namespace

product_tile_sizes sizes_of(const contraction_step& step, const product_step_design& d) {
  const axis_ranges ranges = block_walk(step, d.loops).ranges(0);  // the first is the largest
  const row_groups groups = row_groups_of(step, d, ranges);
  product_tile_sizes sizes{
      .stationary = panel_size_of(d.stationary, ranges),
      .moving = d.shares ? panel_size{1, 1, 1} : panel_size_of(d.moving, streamed_part(d, ranges)),
      .result = tile_layout(step, side::out, d.m, groups.part(ranges, 0)).words(),
      .groups = groups.groups(ranges)};
  if (step.epilogue.bias) sizes.bias = step.planes * ranges[std::size_t(d.n_axes[0])].count;
  if (step.epilogue.sums != product_sums::none)
    sizes.row_sums = ceil_div(ranges[std::size_t(d.m_axes[0])].count, d.m.lanes_within(step));
  return sizes;
}

std::int64_t pool_size::bytes() const {
  constexpr std::int64_t rounding = 32;
  return depth * (words * std::int64_t(size_bytes(type)) + rounding);
}

tile_pool pool_size::made(core& nc) const {
  return nc.sbuf_pool(depth, nc.machine().sbuf.partitions, words, type);
}

std::int64_t parts_ahead(const product_step_design& d) {
  constexpr std::int64_t tiles = 8;
  return std::max<std::int64_t>(2, tiles / d.stream);
}

product_pools pools_of(const contraction_step& step, const product_step_design& d,
                       const product_tile_sizes& sizes) {
  const auto depth = [&](std::initializer_list<const std::vector<int>*> kept) {
    return std::ranges::any_of(d.loops,
                               [&](const block_loop& l) {
                                 return l.blocks() > 1 &&
                                        std::ranges::any_of(kept, [&](const auto* axes) {
                                          return is_among(*axes, l.axis);
                                        });
                               })
               ? 2
               : 1;
  };
  constexpr std::int64_t groups_under_way = 3;
  const int stationary = depth({&d.stationary.columns, &d.k_axes}),
            moving = d.stream > 0 ? int(parts_ahead(d) + 1) : depth({&d.moving.columns, &d.k_axes}),
            result = depth({&d.batch, &d.m_axes, &d.n_axes});
  const auto raw = [&](int blocks, const panel_size& s, side of) {
    return pool_size{s.slices > 1 ? 2 : std::min(blocks, 2), s.raw, step.stored[std::size_t(of)]};
  };
  // All groups of sums in several blocks wait for the last, and a result in one block may stay; else
  // few are under way.
  const std::int64_t all = (d.stream > 0 ? 2 : result) * sizes.groups;
  const bool all_stay = blocks_of_a_result(d) > 1 || d.stream > 0 || result == 1;
  return {.stationary = {stationary, sizes.stationary.kept, step.type},
          .moving = {moving, sizes.moving.kept, step.type},
          .stationary_raw = raw(stationary, sizes.stationary, d.rows),
          .moving_raw = raw(moving, sizes.moving, d.columns()),
          .result = {int(all_stay ? all : std::min(all, groups_under_way)), sizes.result,
                     made_type(step, d)},
          .bias = {2, sizes.bias},
          .row_sums = {2, sizes.row_sums},
          .cells = {4},
          .totals = {2}};
}

std::int64_t room_of(const contraction_step& step, const product_step_design& design,
                     const product_tile_sizes& sizes) {
  std::int64_t bytes = 0;
  for (const pool_size& pool : pools_of(step, design, sizes).all()) bytes += pool.bytes();
  return bytes;
}

std::int64_t twice_room_of(const contraction_step& step, const product_tile_sizes& s) {
  const auto size = std::int64_t(size_bytes(step.type));
  return 2 * (size * (s.stationary.kept + s.moving.kept) +
              4 * (s.stationary.raw + s.moving.raw + s.result * s.groups));
}

std::int64_t sums_at_once(const product_step_design& d, const machine_spec& machine) {
  return (machine.psum.banks - transposing) / d.banks;
}

std::int64_t blocks_made(const contraction_step& step, const product_step_design& design) {
  const block_walk walk(step, design.loops);
  if (!step.part) return walk.blocks();
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < walk.blocks(); ++i)
    count += is_made(step, design, walk.ranges(i)) ? 1 : 0;
  return count;
}

double share_of_blocks(const contraction_step& step, const product_step_design& design,
                       std::int64_t some) {
  const block_walk walk(step, design.loops);
  if (!step.part) return double(some) / double(walk.blocks());
  double all = 0, share = 0;
  for (std::int64_t i = 0, count = 0; i < walk.blocks(); ++i) {
    const axis_ranges ranges = walk.ranges(i);
    if (!is_made(step, design, ranges)) continue;
    const axis_range m = ranges[std::size_t(design.m_axes[0])];
    for (std::int64_t r = 0; r < m.count; r += design.m.chunk)
      all += double(in_part(step, {m.first + r, std::min(design.m.chunk, m.count - r)},
                            ranges[std::size_t(design.n_axes[0])])
                        .count);
    if (++count == some) share = all;
  }
  return share / all;
}

double blocks_of_a_result(const product_step_design& design) {
  double blocks = 1;
  for (const block_loop& l : design.loops)
    if (is_among(design.k_axes, l.axis)) blocks *= double(l.blocks());
  return blocks;
}

double effort_of(const contraction_step& step, const product_step_design& design) {
  const axis_ranges ranges = block_walk(step, design.loops).ranges(0);
  const auto pieces = [&](const axis_lanes& group, const std::vector<int>& axes) {
    double count = 1;
    for (const int a : axes)
      if (a == group.cut)
        count *= double(ceil_div(ranges[std::size_t(a)].count, group.chunk));
      else if (!group.has(a))
        count *= double(ranges[std::size_t(a)].count);
    return count;
  };
  const double b = pieces({}, design.batch), m = pieces(design.m, design.m_axes),
               n = pieces(design.n, design.n_axes), k = pieces(design.k, design.k_axes);
  double count =
      b * m * n *
      (k * double(step.planes * step.planes * step.part_products()) + double(step.planes));
  const double panels = k * double(step.planes * step.parts);
  if (design.stationary.is_transposed) count += b * m * panels;
  if (design.moving.is_transposed) count += b * pieces(design.moving.raw, design.n_axes) * panels;
  return count + 8;
}

}  // namespace papilio::kernels_detail
