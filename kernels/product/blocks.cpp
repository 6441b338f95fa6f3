#include "kernels/product/blocks.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace papilio::kernels_detail {

double blocks_of(const std::vector<block_loop>& loops) {
  double blocks = 1;
  for (const block_loop& l : loops) blocks *= double(l.blocks());
  return blocks;
}

std::vector<block_loop> loops_of(const contraction_step& step, const std::vector<int>& axes,
                                 const axis_partitions& group) {
  std::vector<block_loop> loops;
  for (const int a : axes) {
    if (is_among(group.whole, a)) continue;
    const std::int64_t extent = step.extent(a), unit = a == group.cut ? group.chunk : 1;
    loops.push_back({.axis = a, .unit = unit, .units = ceil_div(extent, unit)});
  }
  return loops;
}

namespace {

bool lengthen(block_loop& l, function_ref<bool()> fits) {
  const std::int64_t before = l.block;
  if (l.is_fixed || before == l.units) return false;
  l.block = std::min(2 * before, l.units);
  l.block = ceil_div(l.units, l.blocks());  // blocks of equal size
  if (l.block > before && fits()) return true;
  l.block = before;
  return false;
}

std::int64_t least_stride(const contraction_step& step, const block_loop& l) {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  const step_axis& a = step.axes[std::size_t(l.axis)];
  for (const operand_role s : {operand_role::left, operand_role::right, operand_role::out})
    if (a.is_in(s)) least = std::min(least, a.stride(s) * l.unit);
  return least;
}

}  // namespace

void grow(const contraction_step& step, std::vector<block_loop>& loops,
          const engine::machine_spec& machine, function_ref<bool()> fits) {
  std::vector<block_loop*> order, kept;
  for (block_loop& l : loops) order.push_back(&l);
  std::ranges::stable_sort(order, {}, [&](const block_loop* l) { return least_stride(step, *l); });
  const std::int64_t long_row = machine.dma.good_row_bytes / 4;
  for (block_loop* const l : order)
    while (least_stride(step, *l) * l->block < long_row && lengthen(*l, fits)) {
    }
  for (block_loop* const l : order) {
    if (!step.axes[std::size_t(l->axis)].is_summed()) {
      kept.push_back(l);
      continue;
    }
    while (lengthen(*l, fits)) {
    }
  }
  for (bool grows = true; grows;) {
    grows = false;
    for (block_loop* const l : kept) grows = lengthen(*l, fits) || grows;
  }
}

block_walk::block_walk(const contraction_step& step, std::vector<block_loop> loops)
    : step_(step), loops_(std::move(loops)), steps_(loops_.size(), 1) {
  for (std::size_t i = loops_.size(); i-- > 0;) {
    steps_[i] = blocks_;
    blocks_ *= loops_[i].blocks();
  }
}

axis_ranges block_walk::ranges(std::int64_t block) const {
  axis_ranges all;
  for (const step_axis& a : step_.axes) all.push_back({0, a.extent});
  for (std::size_t i = 0; i < loops_.size(); ++i) {
    const block_loop& l = loops_[i];
    axis_range& r = all[std::size_t(l.axis)];
    r.first = index(block, i) * l.block * l.unit;
    r.count = std::min(l.block * l.unit, r.count - r.first);
  }
  return all;
}

std::int64_t block_walk::place(std::int64_t block, const std::vector<int>& axes) const {
  std::int64_t number = 0;
  for (std::size_t i = 0; i < loops_.size(); ++i)
    if (is_among(axes, loops_[i].axis)) number = number * loops_[i].blocks() + index(block, i);
  return number;
}

std::vector<axis_piece> pieces_of(const contraction_step& step, const axis_partitions& group,
                                  const std::vector<int>& axes, const axis_ranges& ranges) {
  std::vector<axis_piece> all{{.at = std::vector<std::int64_t>(step.axes.size())}};
  all[0].partitions = group.inner;
  const auto spread = [&](int axis, std::int64_t chunk) {
    std::vector<axis_piece> next;
    const std::int64_t count = ranges[std::size_t(axis)].count;
    for (const axis_piece& p : all)
      for (std::int64_t first = 0; first < count; first += chunk) {
        next.push_back(p);
        next.back().at[std::size_t(axis)] = first;
        if (axis != group.cut) continue;
        next.back().cut_count = std::min(chunk, count - first);
        next.back().partitions = next.back().cut_count * group.inner;
      }
    all = std::move(next);
  };
  for (const int a : axes)
    if (!group.has(a)) spread(a, 1);
  if (group.cut >= 0) spread(group.cut, group.chunk);
  return all;
}

std::int64_t pieces_in(const axis_partitions& group, const std::vector<int>& axes,
                       const axis_ranges& ranges) {
  std::int64_t count = 1;
  for (const int a : axes)
    if (a == group.cut)
      count *= ceil_div(ranges[std::size_t(a)].count, group.chunk);
    else if (!group.has(a))
      count *= ranges[std::size_t(a)].count;
  return count;
}

bool is_among(const std::vector<int>& axes, int axis) {
  return std::ranges::find(axes, axis) != axes.end();
}

std::vector<int> both_axes(std::vector<int> a, const std::vector<int>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::vector<int> slowest_first(const contraction_step& step, std::vector<int> axes,
                               operand_role in) {
  std::ranges::stable_sort(axes,
                           [&](int a, int b) { return step.stride(a, in) > step.stride(b, in); });
  return axes;
}

std::vector<int> fastest_first(const contraction_step& step, std::vector<int> axes,
                               operand_role in) {
  axes = slowest_first(step, std::move(axes), in);
  std::ranges::reverse(axes);
  return axes;
}

}  // namespace papilio::kernels_detail
