#include "kernels/contraction/blocks.hpp"

#include <algorithm>
#include <functional>

namespace papilio::kernels_detail {

using namespace engine;

tile_layout::tile_layout(const contraction_step& step, side of, const axis_lanes& lanes,
                         const axis_ranges& ranges)
    : step_(step), of_(of), lanes_(lanes), strides_(step.axes.size()) {
  axes_.push_back({-1, step.planes, step.plane[std::size_t(of)], 0});
  for (const int a : step.axes_in(of)) {
    const auto& [first, count] = ranges[std::size_t(a)];
    const std::int64_t stride = step.axes[std::size_t(a)].stride(of);
    first_ += first * stride;
    if (a == lanes.cut)
      axes_.push_back({a, ceil_div(count, lanes.chunk), lanes.chunk * stride, 0});
    else if (!lanes.has(a))
      axes_.push_back({a, count, stride, 0});
  }
  if (lanes.cut >= 0) cut_count_ = ranges[std::size_t(lanes.cut)].count;
  std::ranges::stable_sort(axes_, std::greater<>{}, &free_axis::there);
  for (std::size_t i = axes_.size(); i-- > 0;) {
    axes_[i].here = words_;
    (axes_[i].axis < 0 ? plane_ : strides_[std::size_t(axes_[i].axis)]) = words_;
    words_ *= axes_[i].count;
  }
}

// Chunks of all lanes together, then a last one of fewer.
template <class Transfer>
void tile_layout::in_chunks(const tile_view& tile, const Transfer& transfer) const {
  const auto some = [&](std::int64_t first, std::int64_t chunks, std::int64_t cut_count) {
    view_levels free;
    std::int64_t offset = first_, at = 0;
    for (const free_axis& f : axes_) {
      const bool is_cut = f.axis >= 0 && f.axis == lanes_.cut;
      free.push_back({is_cut ? chunks : f.count, {f.there, f.here}});
      if (!is_cut) continue;
      offset += first * f.there;
      at = first * f.here;
    }
    transfer(tile.partition_range(0, int(cut_count * lanes_.inner)).columns(at, words_ - at),
             offset, lanes_.levels(step_, of_, cut_count), free);
  };
  const std::int64_t whole = lanes_.cut < 0 ? 1 : cut_count_ / lanes_.chunk,
                     rest = lanes_.cut < 0 ? 0 : cut_count_ % lanes_.chunk;
  if (whole > 0) some(0, whole, lanes_.chunk);
  if (rest > 0) some(whole, 1, rest);
}

void tile_layout::load(core& nc, const tile_view& to, const hbm_view& from) const {
  in_chunks(to, [&](const tile_view& tile, std::int64_t offset, const view_levels& lanes,
                    const view_levels& free) {
    kernels_detail::load(nc, tile, from, offset, lanes, free);
  });
}

void tile_layout::store(core& nc, const hbm_view& to, const tile_view& from) const {
  in_chunks(from, [&](const tile_view& tile, std::int64_t offset, const view_levels& lanes,
                      const view_levels& free) {
    kernels_detail::store(nc, to, tile, offset, lanes, free);
  });
}

}  // namespace papilio::kernels_detail
