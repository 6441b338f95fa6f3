#include "kernels/arrangement/box_blocks.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "kernels/ceil_div.hpp"
#include "papilio/base/error.hpp"

namespace papilio::kernels_detail {

using engine::hbm_view;
using engine::pattern_dim;
using box = arrangement_problem::box;

namespace {

// Into how many rows an extent is cut whose rows have at most `most` of it: equal ones, if twice
// as many as needed allow it.
std::int64_t rows_of(std::int64_t extent, std::int64_t most) {
  const std::int64_t least = ceil_div(extent, most);
  for (std::int64_t rows = least; rows <= std::min(2 * least, extent); ++rows)
    if (extent % rows == 0) return rows;
  return least;
}

// Steps [first, first + count) of a level.
struct range {
  std::int64_t first, count;
};

box_region part_of(const box_region& region, const std::vector<range>& ranges) {
  box_region part = region;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    part.in += ranges[i].first * region.levels[i].in;
    part.out += ranges[i].first * region.levels[i].out;
    part.levels[i].extent = ranges[i].count;
  }
  return part;
}

class block_cutter {
 public:
  block_cutter(const box_region& region, std::int64_t partitions, std::int64_t width)
      : region_(region), partitions_(partitions), width_(width), inner_(region.levels.size(), 1) {
    for (std::size_t i = inner_.size() - 1; i-- > 0;)
      inner_[i] = inner_[i + 1] * region.levels[i + 1].extent;
    while (inner_[cut_] > width_) ++cut_;
  }

  std::vector<box_block> blocks() {
    const std::int64_t extent = region_.levels[cut_].extent,
                       rows = rows_of(extent, std::max<std::int64_t>(1, width_ / inner_[cut_])),
                       each = ceil_div(extent, rows), whole = extent / each;
    rows_in({0, whole * each}, each);
    if (whole * each < extent)
      rows_in({whole * each, extent - whole * each}, extent - whole * each);
    return std::move(all_);
  }

 private:
  // Rows of `each` steps of the cut level, in `cut` of it and at all steps of the slower levels:
  // as many of them to a block as there are partitions.
  void rows_in(const range& cut, std::int64_t each) {
    std::int64_t together = cut.count / each;
    if (together > partitions_) return emit(cut, cut_, partitions_ * each, each * inner_[cut_]);
    std::size_t at = cut_;
    while (at > 0 && together * region_.levels[at - 1].extent <= partitions_)
      together *= region_.levels[--at].extent;
    if (at == 0)
      emit(cut, 0, cut_ == 0 ? cut.count : region_.levels[0].extent, each * inner_[cut_]);
    else
      emit(cut, at - 1, partitions_ / together, each * inner_[cut_]);
  }

  // Blocks of `group` steps of a level, all of the faster ones, one of each slower one.
  void emit(const range& cut, std::size_t level, std::int64_t group, std::int64_t elements) {
    std::vector<range> ranges;
    for (const box_level& l : region_.levels) ranges.push_back({0, l.extent});
    ranges[cut_] = cut;
    std::int64_t slower = 1;
    for (std::size_t i = 0; i < level; ++i) slower *= ranges[i].count;
    const range grouped = ranges[level];
    for (std::int64_t s = 0; s < slower; ++s) {
      std::int64_t index = s;
      for (std::size_t i = level; i-- > 0; index /= region_.levels[i].extent)
        ranges[i] = {index % region_.levels[i].extent, 1};
      for (std::int64_t g = 0; g < grouped.count; g += group) {
        ranges[level] = {grouped.first + g, std::min(group, grouped.count - g)};
        box_block block{part_of(region_, ranges), 1, elements};
        block.partitions = block.part.elements() / elements;
        all_.push_back(std::move(block));
      }
    }
  }

  const box_region& region_;
  std::int64_t partitions_, width_;
  std::vector<std::int64_t> inner_;  // elements of a step of each level
  std::size_t cut_ = 0;              // the slowest level of which a step fits a row
  std::vector<box_block> all_;
};

hbm_view viewed(const hbm_view& array, const box_region& part, std::int64_t offset,
                std::int64_t box_level::*stride) {
  std::vector<pattern_dim> dims;
  for (const box_level& l : part.levels) dims.push_back({l.extent, l.*stride});
  return array.pattern(offset, dims);
}

// The rest of the axes from `axis` on beside the boxes, as boxes whose slower axes are those of `front`.
void rest_from(std::size_t axis, const std::vector<std::size_t>& extents,
               const std::vector<const box*>& boxes, const box& front, std::vector<box>& rest) {
  if (boxes.empty()) {
    rest.push_back(front);
    for (std::size_t a = axis; a < extents.size(); ++a) {
      rest.back().to.push_back(0);
      rest.back().extents.push_back(extents[a]);
    }
    return;
  }
  if (axis == extents.size()) return;
  std::vector<std::size_t> cuts{0, extents[axis]};
  for (const box* b : boxes) {
    cuts.push_back(b->to[axis]);
    cuts.push_back(b->to[axis] + b->extents[axis]);
  }
  std::ranges::sort(cuts);
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  for (std::size_t c = 0; c + 1 < cuts.size(); ++c) {
    std::vector<const box*> within;
    for (const box* b : boxes)
      if (b->to[axis] <= cuts[c] && cuts[c] < b->to[axis] + b->extents[axis]) within.push_back(b);
    box slab = front;
    slab.to.push_back(cuts[c]);
    slab.extents.push_back(cuts[c + 1] - cuts[c]);
    rest_from(axis + 1, extents, within, slab, rest);
  }
}

}  // namespace

std::int64_t box_region::elements() const {
  std::int64_t all = 1;
  for (const box_level& l : levels) all *= l.extent;
  return all;
}

std::int64_t box_region::run() const {
  std::int64_t run = 1;
  for (std::size_t i = levels.size(); i-- > 0 && levels[i].in == run && levels[i].out == run;)
    run *= levels[i].extent;
  return run;
}

box_region merged(const box_region& region) {
  box_region one = region;
  one.levels.clear();
  for (const box_level& l : region.levels) {
    if (l.extent == 1) continue;
    if (!one.levels.empty() && one.levels.back().in == l.extent * l.in &&
        one.levels.back().out == l.extent * l.out)
      one.levels.back() = {one.levels.back().extent * l.extent, l.in, l.out};
    else
      one.levels.push_back(l);
  }
  if (one.levels.empty()) one.levels.push_back({});
  return one;
}

hbm_view box_block::source(const hbm_view& array) const {
  return viewed(array, part, part.in, &box_level::in);
}

hbm_view box_block::target(const hbm_view& array) const {
  return viewed(array, part, part.out, &box_level::out);
}

std::vector<box_block> box_blocks(const box_region& region, std::int64_t partitions,
                                  std::int64_t width) {
  return block_cutter(region, partitions, width).blocks();
}

std::vector<box> rest_of(const std::vector<std::size_t>& extents, const std::vector<box>& boxes) {
  std::vector<const box*> all;
  for (const box& b : boxes) all.push_back(&b);
  std::vector<box> rest;
  rest_from(0, extents, all, {}, rest);
  return rest;
}

}  // namespace papilio::kernels_detail

namespace papilio::kernels {

using base_detail::message;

std::vector<arrangement_problem::box> rolled_boxes(std::span<const std::size_t> extents,
                                                   std::span<const std::int64_t> shifts) {
  if (shifts.size() != extents.size())
    throw shape_error(message("rolled_boxes: shifts must have ", extents.size(),
                              " entries, one for each axis, got ", shifts.size()));
  std::vector<arrangement_problem::box> boxes(1);
  for (std::size_t a = 0; a < extents.size(); ++a) {
    const auto n = checked_cast<std::int64_t>(extents[a], "rolled_boxes");
    if (n < 1) throw shape_error(message("rolled_boxes: extents must be at least 1, got ", n));
    const std::int64_t shift = (shifts[a] % n + n) % n;
    std::vector<arrangement_problem::box> next;
    const auto piece = [&](arrangement_problem::box b, std::int64_t from, std::int64_t to,
                           std::int64_t count) {
      if (count == 0) return;
      b.from.push_back(std::size_t(from));
      b.to.push_back(std::size_t(to));
      b.extents.push_back(std::size_t(count));
      next.push_back(std::move(b));
    };
    for (const arrangement_problem::box& b : boxes) {
      piece(b, 0, shift, n - shift);
      piece(b, n - shift, 0, shift);
    }
    boxes = std::move(next);
  }
  return boxes;
}

}  // namespace papilio::kernels
