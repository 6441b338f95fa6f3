// The layout of products' results in SBUF.
//   layout     [m on partitions, (b, rest of m, n)] in the order of the output, planes among them
//   order      a block is made in groups of rows, so that one is stored while the next is summed
//   triangle   blocks beside it are not made; rows have the columns up to the diagonal, or from it
#include "kernels/product/result_layout.hpp"

#include <algorithm>

namespace papilio::kernels_detail {

using namespace engine;
using kernels::triangle;
using kernels::triangle_layout;

result_layout::result_layout(const contraction_step& step, const product_step_design& design,
                             const axis_ranges& ranges, const axis_ranges& block)
    : step_(step),
      design_(design),
      ranges_(ranges),
      block_(block),
      lies_(step, operand_role::out, design.m, ranges) {}

chip_layout result_layout::chip() const {
  chip_layout chip{.chunk = design_.m.chunk, .plane = lies_.plane(), .words = lies_.words()};
  for (const int a : design_.m.whole) chip.whole.push_back(step_.labels[std::size_t(a)]);
  if (design_.m.cut >= 0) chip.cut = step_.labels[std::size_t(design_.m.cut)];
  for (const tile_layout::free_axis& f : lies_.free_axes())
    if (f.axis >= 0) chip.steps[step_.labels[std::size_t(f.axis)]] = f.here;
  return chip;
}

std::int64_t result_layout::offset(const axis_piece& b, const axis_piece& m,
                                   const axis_piece& n) const {
  std::int64_t offset = 0;
  const auto add = [&](const std::vector<int>& axes, const axis_piece& p) {
    for (const int axis : axes) {
      const auto a = std::size_t(axis);
      const std::int64_t at = block_[a].first + p.at[a] - ranges_[a].first;
      offset += at / (axis == design_.m.cut ? design_.m.chunk : 1) * lies_.stride(axis);
    }
  };
  add(design_.batch, b);
  add(design_.m_axes, m);
  add(design_.n_axes, n);
  return offset;
}

tile_view result_layout::sums(const tile_view& tile, int plane, std::int64_t offset,
                              std::int64_t count, std::int64_t apart, const axis_piece& m,
                              const axis_piece& n) const {
  view_levels levels = one_sum(n.cut_count);
  levels.insert(levels.begin(), {count, {apart}});
  return viewed(tile.partition_range(0, int(m.partitions)), plane * lies_.plane() + offset,
                merged(levels), 0);
}

view_levels result_layout::one_sum(std::int64_t cut_count) const {
  view_levels levels;
  if (design_.n.cut >= 0) levels.push_back({cut_count, {lies_.stride(design_.n.cut)}});
  for (const int a : design_.n.whole) levels.push_back({step_.extent(a), {lies_.stride(a)}});
  return levels;
}

void result_layout::issue(core& nc, transfer which, const tile_view& tile,
                          const hbm_view& tensor) const {
  if (!step_.part) return lies_.issue(nc, which, tile, tensor);
  const axis_range m = rows(), all = columns(), n = in_part(step_, m, all);
  if (n.count == 0) return;
  const triangle_layout packed(*step_.part, step_.extent(design_.m_axes[0]), design_.m.chunk);
  const triangle_layout::row_of_blocks r = packed.at(m.first / design_.m.chunk);
  issue_transfers(
      nc, which, tile.partition_range(0, int(m.count)).columns(n.first - all.first, n.count),
      tensor, r.offset + n.first - r.column, {{m.count, {r.columns}}}, {{n.count, {1, 1}}});
}

axis_ranges row_groups::part(axis_ranges ranges, std::int64_t group) const {
  if (axis < 0) return ranges;
  axis_range& r = ranges[std::size_t(axis)];
  const std::int64_t skipped = group * count;
  r = {r.first + skipped, std::min(count, r.count - skipped)};
  return ranges;
}

row_groups row_groups_of(const contraction_step& step, const product_step_design& d,
                         const axis_ranges& ranges) {
  constexpr std::int64_t least = 512;  // elements of a partition in a group
  row_groups g;
  const auto is_long = [&](int a) { return ranges[std::size_t(a)].count > 1; };
  if (const auto b = std::ranges::find_if(d.batch, is_long); b != d.batch.end())
    g.axis = *b;
  else if (d.m.cut >= 0)
    g.axis = d.m.cut;
  else
    for (const int a : d.m_axes)
      if (!d.m.has(a) && is_long(a) && g.axis < 0) g.axis = a;
  if (g.axis < 0) return g;
  const std::int64_t unit = g.axis == d.m.cut ? d.m.chunk : 1;
  g.count = std::min(unit, ranges[std::size_t(g.axis)].count);
  const bool is_single = step.part || step.epilogue.sums != kernels::product_sums::none;
  while (!is_single && g.groups(ranges) > 1 &&
         tile_layout(step, operand_role::out, d.m, g.part(ranges, 0)).words() < least)
    g.count += g.count;
  return g;
}

axis_range in_part(const contraction_step& step, const axis_range& rows,
                   const axis_range& columns) {
  if (!step.part) return columns;
  const std::int64_t end = columns.first + columns.count;
  const bool is_lower = *step.part == triangle::lower;
  const std::int64_t first = is_lower ? columns.first : std::max(columns.first, rows.first);
  return {first, std::max<std::int64_t>(
                     0, (is_lower ? std::min(end, rows.first + rows.count) : end) - first)};
}

bool is_made(const contraction_step& step, const product_step_design& d,
             const axis_ranges& ranges) {
  return !step.part ||
         in_part(step, ranges[std::size_t(d.m_axes[0])], ranges[std::size_t(d.n_axes[0])]).count >
             0;
}

bool makes_one_block(const contraction_step& step, const product_step_design& design) {
  return std::ranges::all_of(design.loops, [&](const block_loop& l) {
    return l.blocks() == 1 || step.axes[std::size_t(l.axis)].is_summed();
  });
}

chip_layout layout_of(const contraction_step& step, const product_step_design& design) {
  const axis_ranges all = block_walk(step, design.loops).ranges(0);
  return result_layout(step, design, all, all).chip();
}

}  // namespace papilio::kernels_detail
