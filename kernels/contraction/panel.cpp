#include "kernels/contraction/panel.hpp"

#include <algorithm>
#include <optional>

#include "kernels/contraction/blocks.hpp"
#include "papilio/engine/lowering.hpp"

namespace papilio::kernels_detail {

using namespace engine;

namespace {

std::int64_t columns_of(const panel_design& d, const axis_ranges& ranges) {
  std::int64_t count = 1;
  for (const int a : d.columns) count *= ranges[std::size_t(a)].count;
  return count;
}

std::int64_t tiles_count(const panel_design& d, const axis_ranges& ranges) {
  std::int64_t count = 1;
  for (const int a : d.summed)
    if (a == d.k.cut)
      count *= ceil_div(ranges[std::size_t(a)].count, d.k.chunk);
    else if (!d.k.has(a))
      count *= ranges[std::size_t(a)].count;
  return count;
}

// Columns in the order in which the panel holds them, the slowest first; as they lie in HBM with
// the summed axes that are not on partitions.
std::vector<int> order_of(const contraction_step& step, const panel_design& d) {
  std::vector<int> order = d.columns;
  if (!d.is_transposed)
    for (const int a : d.summed)
      if (!d.k.has(a)) order.push_back(a);
  order = slowest_first(step, std::move(order), d.from);
  if (!d.is_transposed) return order;
  std::erase_if(order, [&](int a) { return d.raw.has(a); });
  if (d.raw.cut >= 0) order.push_back(d.raw.cut);
  order.insert(order.end(), d.raw.whole.begin(), d.raw.whole.end());
  return order;
}

}  // namespace

panel_size panel_size_of(const panel_design& d, const axis_ranges& ranges) {
  if (d.given && !d.is_transposed) return {1, 1};
  panel_size size{tiles_count(d, ranges) * d.planes_kept() * columns_of(d, ranges), 1};
  if (!d.is_transposed && d.parts > 1) size.raw = size.kept / d.planes_kept() * d.planes;
  if (!d.is_transposed || d.given) return size;
  size.raw = d.planes;
  for (const int a : d.summed) size.raw *= ranges[std::size_t(a)].count;
  for (const int a : d.columns)
    if (a == d.raw.cut)
      size.raw *= ceil_div(ranges[std::size_t(a)].count, d.raw.chunk);
    else if (!d.raw.has(a))
      size.raw *= ranges[std::size_t(a)].count;
  return size;
}

product_panel::product_panel(core& nc, const contraction_step& step, const panel_design& design,
                             const axis_ranges& ranges, const hbm_view& flat,
                             const panel_pools& pools, const tile_view& given)
    : nc_(nc),
      step_(step),
      design_(design),
      ranges_(ranges),
      flat_(flat),
      pools_(pools),
      kept_(design.given && !design.is_transposed ? given : pools.kept.next()),
      tiles_(pieces_of(step, design.k, design.summed, ranges)),
      strides_(step.axes.size()) {
  const std::vector<int> order = order_of(step, design);
  for (std::size_t i = order.size(); i-- > 0;) {
    strides_[std::size_t(order[i])] = plane_;
    plane_ *= ranges[std::size_t(order[i])].count;
  }
  if (design.given)
    take_given(given);
  else
    design.is_transposed ? load_transposed() : load_straight();
}

// Where axes are in a value that lies here already.
void product_panel::take_given(const tile_view& given) {
  const chip_layout& lies = *design_.given;
  std::vector<std::int64_t> steps(step_.axes.size());
  for (std::size_t a = 0; a < steps.size(); ++a)
    if (step_.axes[a].is_in(design_.from)) {
      const int label = step_.labels[a];
      steps[a] = lies.step(label);
      first_ += ranges_[a].first / (label == lies.cut ? lies.chunk : 1) * steps[a];
    }
  raw_strides_ = steps;
  raw_plane_ = lies.plane;
  if (design_.is_transposed) return transpose_all(given);
  strides_ = steps;
  plane_ = lies.plane;
}

std::int64_t product_panel::tile_offset(std::size_t t) const {
  if (design_.is_transposed) return std::int64_t(t) * design_.planes_kept() * plane_;
  const axis_lanes& k = design_.k;
  std::int64_t offset = first_;
  for (const int a : design_.summed) {
    const std::int64_t at = tiles_[t].at[std::size_t(a)];
    if (a != k.cut)
      offset += at * strides_[std::size_t(a)];
    else
      offset += at / k.chunk *
                (design_.given ? strides_[std::size_t(a)] : design_.planes_kept() * plane_);
  }
  return offset;
}

std::int64_t product_panel::source_offset() const {
  std::int64_t offset = 0;
  for (std::size_t a = 0; a < step_.axes.size(); ++a)
    if (step_.axes[a].is_in(design_.from))
      offset += ranges_[a].first * step_.axes[a].stride(design_.from);
  return offset;
}

view_levels product_panel::levels_of(const axis_lanes& group, std::int64_t cut_count) const {
  view_levels levels;
  if (group.cut >= 0) levels.push_back({cut_count, {strides_[std::size_t(group.cut)]}});
  for (const int a : group.whole) levels.push_back({step_.extent(a), {strides_[std::size_t(a)]}});
  return merged(levels);
}

tile_view product_panel::columns(std::size_t t, int plane, const axis_piece& at,
                                 const std::vector<std::int64_t>& batch,
                                 const axis_lanes& group) const {
  std::int64_t offset = tile_offset(t) + plane * plane_;
  for (const int a : design_.columns)
    offset += (at.at[std::size_t(a)] + batch[std::size_t(a)]) * strides_[std::size_t(a)];
  return viewed(kept_.partition_range(0, int(tiles_[t].lanes)), offset,
                levels_of(group, at.cut_count), 0);
}

void product_panel::negate(std::size_t t) {
  const tile_view lanes = kept_.partition_range(0, int(tiles_[t].lanes));
  for (int part = 0; part < design_.parts; ++part) {
    const std::int64_t from = tile_offset(t) + (part * design_.planes_of_part() + 1) * plane_;
    nc_.issue(tensor_scalar{.out = lanes.columns(from + plane_, plane_),
                            .in = lanes.columns(from, plane_),
                            .op0 = alu_op::multiply,
                            .operand0 = -1.0F,
                            .on = unit::gpsimd});
  }
}

// `from` keeps what the next part is to be taken of.
void product_panel::take_part(int part, const tile_view& to, const tile_view& from) {
  evacuate(nc_, to, from);
  if (part + 1 < design_.parts)
    nc_.issue(tensor_tensor{.out = from, .left = from, .right = to, .op = alu_op::subtract});
}

// Summed axes that are not on partitions come along with the columns, in HBM's order.
void product_panel::load_straight() {
  const std::int64_t plane = step_.plane[std::size_t(design_.from)];
  const axis_lanes& k = design_.k;
  const std::int64_t cuts = k.cut < 0 ? 1 : ceil_div(ranges_[std::size_t(k.cut)].count, k.chunk);
  const bool is_split = design_.parts > 1;
  const tile_view whole = is_split ? pools_.raw.next() : kept_;
  for (std::size_t t = 0; t < std::size_t(cuts); ++t) {
    std::int64_t offset = source_offset();
    for (const int a : design_.summed)
      offset += tiles_[t].at[std::size_t(a)] * step_.stride(a, design_.from);
    view_levels free{{design_.planes, {plane, plane_}}};
    for (const int a : order_of(step_, design_))
      free.push_back({ranges_[std::size_t(a)].count,
                      {step_.stride(a, design_.from), strides_[std::size_t(a)]}});
    const std::int64_t planes = is_split ? design_.planes : design_.planes_kept();
    const tile_view loaded =
        whole.partition_range(0, int(tiles_[t].lanes))
            .columns(is_split ? std::int64_t(t) * planes * plane_ : tile_offset(t),
                     planes * plane_);
    issue_transfers(nc_, transfer::load, loaded, flat_, offset,
                    k.levels(step_, design_.from, tiles_[t].cut_count), free);
    for (int part = 0; is_split && part < design_.parts; ++part)
      take_part(
          part,
          kept_.partition_range(0, int(tiles_[t].lanes))
              .columns(tile_offset(t) + part * design_.planes_of_part() * plane_, planes * plane_),
          loaded);
    if (design_.negated) negate(t);
  }
}

void product_panel::load_transposed() {
  const tile_layout lies(step_, design_.from, design_.raw, ranges_);
  raw_strides_ = lies.strides();
  raw_plane_ = lies.plane();
  const tile_view block = pools_.raw.next();
  lies.issue(nc_, transfer::load, block, flat_);
  transpose_all(block);
}

void product_panel::transpose_all(const tile_view& raw) {
  const std::vector<axis_piece> pieces = pieces_of(step_, design_.raw, design_.columns, ranges_);
  for (std::size_t t = 0; t < tiles_.size(); ++t)
    for (int plane = 0; plane < design_.planes; ++plane) transpose_tile(t, plane, raw, pieces);
}

void product_panel::put(std::size_t t, int plane, const tile_view& bank, std::int64_t offset,
                        std::int64_t group, std::int64_t step, const axis_piece& piece) {
  view_levels levels{{group, {step}}};
  for (const view_level& l : levels_of(design_.raw, piece.cut_count)) levels.push_back(l);
  const tile_view lanes = kept_.partition_range(0, int(tiles_[t].lanes));
  const auto place = [&](int p) {
    return viewed(lanes, (std::int64_t(t) * design_.planes_kept() + p) * plane_ + offset,
                  merged(levels), 0);
  };
  for (int part = 0; part < design_.parts; ++part) {
    const int first = part * design_.planes_of_part();
    if (design_.negated && plane == 1)
      evacuate(nc_, place(first + 2), bank.columns(0, group * piece.lanes), -1);
    take_part(part, place(first + plane), bank.columns(0, group * piece.lanes));
  }
}

void product_panel::transpose_tile(std::size_t t, int plane, const tile_view& raw,
                                   const std::vector<axis_piece>& pieces) {
  const std::int64_t room = nc_.machine().psum.bank_bytes / 4;
  const axis_piece& k = tiles_[t];
  view_levels levels;
  if (design_.k.cut >= 0)
    levels.push_back({k.cut_count, {raw_strides_[std::size_t(design_.k.cut)]}});
  for (const int a : design_.k.whole)
    levels.push_back({step_.extent(a), {raw_strides_[std::size_t(a)]}});
  const view_levels depth = merged(levels);
  const auto target = [&](const axis_piece& p) {
    std::int64_t offset = 0;
    for (const int a : design_.columns) offset += p.at[std::size_t(a)] * strides_[std::size_t(a)];
    return offset;
  };
  for (std::size_t i = 0; i < pieces.size();) {
    const tile_view bank = pools_.banks.next().partition_range(0, int(k.lanes));
    const std::int64_t first = target(pieces[i]), lanes = pieces[i].lanes;
    std::int64_t group = 0, step = 0;
    // Pieces whose places in the panel are evenly spaced leave the bank together.
    for (std::size_t j = i; j < pieces.size() && (group + 1) * lanes <= room; ++j, ++group) {
      const axis_piece& p = pieces[j];
      if (p.lanes != lanes) break;
      if (group == 1) step = target(p) - first;
      if (target(p) != first + group * step || (group > 0 && step <= 0)) break;
      std::int64_t offset = first_ + plane * raw_plane_;
      for (const int a : design_.columns)
        offset += p.at[std::size_t(a)] / (a == design_.raw.cut ? design_.raw.chunk : 1) *
                  raw_strides_[std::size_t(a)];
      for (const int a : design_.summed)
        offset += k.at[std::size_t(a)] * raw_strides_[std::size_t(a)];
      nc_.issue(transpose{.out = bank.columns(group * lanes, lanes),
                          .in = viewed(raw.partition_range(0, int(lanes)), offset, depth, 0)});
    }
    put(t, plane, bank, first, group, step, pieces[i]);
    i += std::size_t(group);
  }
}

void product_panel::store_to(const hbm_view& out) const {
  const auto stride = [&](int a) { return step_.stride(a, side::out); };
  for (std::size_t t = 0; t < tiles_.size(); ++t) {
    std::int64_t offset = 0;
    for (const auto* axes : {&design_.columns, &design_.summed})
      for (const int a : *axes)
        offset += (ranges_[std::size_t(a)].first + tiles_[t].at[std::size_t(a)]) * stride(a);
    view_levels free{{design_.planes_kept(), {step_.plane[std::size_t(side::out)], plane_}}};
    for (const int a : slowest_first(step_, design_.columns, side::out))
      free.push_back({ranges_[std::size_t(a)].count, {stride(a), strides_[std::size_t(a)]}});
    const std::int64_t at = std::int64_t(t) * design_.planes_kept() * plane_;
    issue_transfers(
        nc_, transfer::store,
        kept_.partition_range(0, int(tiles_[t].lanes)).columns(at, design_.planes_kept() * plane_),
        out, offset, design_.k.levels(step_, side::out, tiles_[t].cut_count), free);
  }
}

}  // namespace papilio::kernels_detail
