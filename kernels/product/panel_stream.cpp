#include "kernels/product/panel_stream.hpp"

#include <algorithm>

#include "kernels/product/rooms.hpp"

namespace papilio::kernels_detail {

using namespace engine;

panel_stream::panel_stream(core& nc, const contraction_step& step,
                           const product_step_design& design, const hbm_view& tensor,
                           const panel_pools& pools, const tile_view& given, const block_walk& walk,
                           const std::vector<std::int64_t>& made)
    : nc_(nc),
      step_(step),
      design_(design),
      tensor_(tensor),
      pools_(pools),
      given_(given),
      walk_(walk),
      made_(made) {}

void panel_stream::bring_until(std::int64_t count) {
  for (; brought_ < count && next_block_ < made_.size(); ++brought_) {
    axis_ranges ranges = walk_.ranges(made_[next_block_]);
    axis_range& k = ranges[std::size_t(design_.k.cut)];
    const std::int64_t each = design_.stream * design_.k.chunk, first = next_part_ * each;
    const bool is_last = first + each >= k.count;
    k = {k.first + first, std::min(each, k.count - first)};
    parts_.emplace_back(nc_, step_, design_.moving, ranges, tensor_, pools_, given_);
    next_part_ = is_last ? 0 : next_part_ + 1;
    if (is_last) ++next_block_;
  }
}

product_panel& panel_stream::at(std::size_t t) {
  const std::int64_t part = used_ + std::int64_t(t) / design_.stream;
  bring_until(part + 1 + parts_ahead(design_));
  for (; gone_ < part; ++gone_) parts_.pop_front();
  return parts_.front();
}

void panel_stream::end_block(std::size_t k_tiles) {
  used_ += ceil_div(std::int64_t(k_tiles), design_.stream);
}

}  // namespace papilio::kernels_detail
