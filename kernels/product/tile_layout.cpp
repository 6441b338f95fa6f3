#include "kernels/product/blocks.hpp"

#include <algorithm>
#include <functional>

namespace papilio::kernels_detail {

using namespace engine;

tile_layout::tile_layout(const contraction_step& step, operand_role of,
                         const axis_partitions& partitions, const axis_ranges& ranges)
    : step_(step), of_(of), partitions_(partitions), strides_(step.axes.size()) {
  axes_.push_back({-1, step.planes, step.plane[std::size_t(of)], 0});
  for (const int a : step.axes_in(of)) {
    const auto& [first, count] = ranges[std::size_t(a)];
    const std::int64_t stride = step.stride(a, of);
    first_ += first * stride;
    if (a == partitions.cut)
      axes_.push_back({a, ceil_div(count, partitions.chunk), partitions.chunk * stride, 0});
    else if (!partitions.has(a))
      axes_.push_back({a, count, stride, 0});
  }
  if (partitions.cut >= 0) cut_count_ = ranges[std::size_t(partitions.cut)].count;
  std::ranges::stable_sort(axes_, std::greater<>{}, &free_axis::there);
  for (std::size_t i = axes_.size(); i-- > 0;) {
    axes_[i].here = words_;
    (axes_[i].axis < 0 ? plane_ : strides_[std::size_t(axes_[i].axis)]) = words_;
    words_ *= axes_[i].count;
  }
}

// Moves whole chunks together, then a last chunk that has fewer partitions.
void tile_layout::issue(core& nc, transfer which, const tile_view& tile,
                        const hbm_view& tensor) const {
  const auto some = [&](std::int64_t first, std::int64_t chunks, std::int64_t cut_count) {
    view_levels free;
    std::int64_t offset = first_, at = 0;
    for (const free_axis& f : axes_) {
      const bool is_cut = f.axis >= 0 && f.axis == partitions_.cut;
      free.push_back({is_cut ? chunks : f.count, {f.there, f.here}});
      if (!is_cut) continue;
      offset += first * f.there;
      at = first * f.here;
    }
    issue_transfers(
        nc, which,
        tile.partition_range(0, int(cut_count * partitions_.inner)).columns(at, words_ - at),
        tensor, offset, partitions_.levels(step_, of_, cut_count), free);
  };
  const std::int64_t whole = partitions_.cut < 0 ? 1 : cut_count_ / partitions_.chunk,
                     rest = partitions_.cut < 0 ? 0 : cut_count_ % partitions_.chunk;
  if (whole > 0) some(0, whole, partitions_.chunk);
  if (rest > 0) some(whole, 1, rest);
}

}  // namespace papilio::kernels_detail
