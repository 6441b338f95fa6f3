#include "kernels/product/panel.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "kernels/product/blocks.hpp"
#include "papilio/engine/lowering.hpp"

namespace papilio::kernels_detail {

using namespace engine;

namespace {

std::int64_t columns_of(const panel_design& d, const axis_ranges& ranges) {
  return pieces_in({}, d.columns, ranges);
}

std::int64_t k_cuts_of(const panel_design& d, const axis_ranges& ranges) {
  return d.k.cut < 0 ? 1 : pieces_in(d.k, {d.k.cut}, ranges);
}

// Elements of a partition that a block takes as it is loaded, before it is transposed.
std::int64_t raw_size(const panel_design& d, const axis_ranges& ranges) {
  return d.planes * pieces_in({}, d.summed, ranges) * pieces_in(d.raw, d.columns, ranges);
}

// How a block to be transposed is cut into slices: a slice has so many elements of one column axis
// and of one summed axis; -1: an axis is not cut.
struct slicing {
  int columns = -1, k = -1;
  std::int64_t of_columns = 1, of_k = 1;

  std::int64_t count(const axis_ranges& ranges) const {
    return (columns < 0 ? 1 : ceil_div(ranges[std::size_t(columns)].count, of_columns)) *
           (k < 0 ? 1 : ceil_div(ranges[std::size_t(k)].count, of_k));
  }
};

axis_ranges sliced_part_of(axis_ranges ranges, const slicing& cut) {
  for (const auto& [axis, most] : {std::pair(cut.columns, cut.of_columns), {cut.k, cut.of_k}})
    if (axis >= 0)
      ranges[std::size_t(axis)].count = std::min(ranges[std::size_t(axis)].count, most);
  return ranges;
}

constexpr std::int64_t split_columns = 1024;  // columns split into parts at a time
constexpr std::int64_t rows_at_once = 4;      // rows of a slice, which a bank holds transposed

slicing slicing_of(const panel_design& d, const axis_ranges& ranges) {
  slicing cut;
  const std::int64_t most = rows_at_once * d.row;
  if (d.row == 0 || raw_size(d, ranges) <= most) return cut;
  if (d.k.cut >= 0) {
    cut.k = d.k.cut;
    cut.of_k = std::max<std::int64_t>(1, d.row / d.k.chunk) * d.k.chunk;
  }
  axis_ranges part = sliced_part_of(ranges, cut);
  if (raw_size(d, part) <= most || (d.added && d.columns.size() > 1)) return cut;
  for (const int a : d.columns)
    if (a == d.raw.cut || (cut.columns < 0 && !d.raw.has(a) && part[std::size_t(a)].count > 1))
      cut.columns = a;
  if (cut.columns < 0) return cut;
  const std::int64_t chunk = cut.columns == d.raw.cut ? d.raw.chunk : 1,
                     chunks = ceil_div(part[std::size_t(cut.columns)].count, chunk);
  part[std::size_t(cut.columns)].count = chunk;
  const std::int64_t some = std::clamp<std::int64_t>(most / raw_size(d, part), 1, chunks);
  cut.of_columns = ceil_div(chunks, ceil_div(chunks, some)) * chunk;
  return cut;
}

// The order of column axes in a transposed panel, slowest first: those on partitions when loaded
// come last, since a transposition makes them rows.
std::vector<int> order_of(const contraction_step& step, const panel_design& d) {
  std::vector<int> order = slowest_first(step, d.columns, d.from);
  std::erase_if(order, [&](int a) { return d.raw.has(a); });
  if (d.raw.cut >= 0) order.push_back(d.raw.cut);
  order.insert(order.end(), d.raw.whole.begin(), d.raw.whole.end());
  return order;
}

}  // namespace

panel_size panel_size_of(const panel_design& d, const axis_ranges& ranges) {
  if (d.given && !d.is_transposed) return {1, 1, 1};
  panel_size size{pieces_in(d.k, d.summed, ranges) * d.planes_kept() * columns_of(d, ranges), 1};
  if (d.is_packed) size = packed_size(d, k_cuts_of(d, ranges), columns_of(d, ranges));
  size.tile = size.kept / k_cuts_of(d, ranges);
  if (!d.is_transposed && d.parts > 1) size.raw = size.kept / d.planes_kept() * d.planes;
  if (!d.is_transposed || d.given) return size;
  const slicing cut = slicing_of(d, ranges);
  // A shorter block may be cut into longer slices than the first block is.
  size.raw = raw_size(d, sliced_part_of(ranges, cut));
  if (cut.columns >= 0 || cut.k >= 0) size.raw = std::max(size.raw, rows_at_once * d.row);
  size.slices = cut.count(ranges);
  return size;
}

product_panel::product_panel(core& nc, const contraction_step& step, const panel_design& design,
                             const axis_ranges& ranges, const hbm_view& flat,
                             const panel_pools& pools, const tile_view& given, panel_issue how)
    : nc_(nc),
      step_(step),
      design_(design),
      ranges_(ranges),
      flat_(flat),
      pools_(pools),
      kept_(design.given && !design.is_transposed ? given
            : design.is_split()                   ? tile_view()
                                                  : pools.kept.next()),
      tiles_(pieces_of(step, design.k, design.summed, ranges)),
      strides_(step.axes.size()) {
  if (design.is_transposed) {
    const std::vector<int> order = order_of(step, design);
    for (std::size_t i = order.size(); i-- > 0;) {
      strides_[std::size_t(order[i])] = plane_;
      plane_ *= ranges[std::size_t(order[i])].count;
    }
    if (design.is_packed) plane_ += plane_ % 2;
  } else if (!design.given) {  // k tiles with their planes, one behind the other
    const tile_layout lies(step, design.from, design.k, tile_ranges(0));
    strides_ = lies.strides();
    plane_ = lies.words() / design.planes;
    units_ = k_cuts_of(design, ranges);
    if (design.is_packed) {  // pieces of columns that are loaded in long rows
      split_pieces_ = ceil_div(plane_, design.row);
      plane_ += plane_ % 2;
      units_ *= split_pieces_;
      loads_.resize(std::size_t(units_));
    }
  }
  if (design.is_packed) scales_ = pools.scales->next();
  if (design.given)
    take_given(given);
  else if (design.is_transposed)
    cut_in_slices();
  for (const slice& s : slices_) units_ += std::int64_t(s.tiles.size());
  if (is_split()) {
    for (std::size_t cut = 0; cut < std::size_t(units_); ++cut) load_straight(cut);
    split_pieces_ = ceil_div(design.planes * plane_, split_columns);
    units_ *= split_pieces_;
  }
  if (how == panel_issue::at_once) ensure(units_);
}

void product_panel::ensure(std::int64_t count) {
  for (count = std::min(count, units_); made_ < count; ++made_) {
    if (is_split()) {
      if (made_ == 0) kept_ = pools_.kept.next();
      split_straight(made_);
      continue;
    }
    if (!design_.is_transposed && !design_.is_packed) {
      load_straight(std::size_t(made_));
      continue;
    }
    load_ahead();
    if (!design_.is_transposed) {
      pack_straight(made_);
      continue;
    }
    slice& s = slices_[next_slice_];
    transpose(s, s.tiles[next_tile_]);
    if (++next_tile_ < s.tiles.size()) continue;
    s.raw = {};
    next_tile_ = 0;
    ++next_slice_;
  }
}

std::size_t product_panel::load_ahead(std::size_t most) {
  if (design_.given) return 0;
  if (design_.is_packed && !design_.is_transposed) {
    for (; loaded_ < std::min(loads_.size(), std::size_t(made_) + most); ++loaded_)
      load_packed(std::int64_t(loaded_));
    return loaded_ - std::size_t(made_);
  }
  for (; loaded_ < std::min(slices_.size(), next_slice_ + most); ++loaded_) load(slices_[loaded_]);
  return loaded_ - next_slice_;
}

std::int64_t product_panel::units_for(const axis_piece& at, const std::vector<std::int64_t>& batch,
                                      std::size_t t) const {
  const std::int64_t all = std::int64_t(tiles_.size()),
                     up_to = design_.summed.size() == 1 ? std::int64_t(t) + 1 : all;
  if (sliced_ < 0) return std::min(units_, up_to * split_pieces_);
  const auto axis = std::size_t(sliced_);
  const std::int64_t last =
      std::min(at.at[axis] + batch[axis] + at.partitions, ranges_[axis].count) - 1;
  return std::min(units_, last / sliced_count_ * all + up_to);
}

bool product_panel::is_zero(std::size_t t, const axis_piece& at) const {
  if (!design_.triangle || design_.is_mirrored()) return false;
  const auto axis = std::size_t(design_.columns[0]);
  const std::int64_t column = ranges_[axis].first + at.at[axis];
  const axis_range k = k_of(t);
  return design_.is_transposed
             ? design_.triangle->is_beside(column, at.partitions, k.first, k.count)
             : design_.triangle->is_beside(k.first, k.count, column, at.partitions);
}

axis_range product_panel::k_of(std::size_t t) const {
  const auto axis = std::size_t(design_.summed[0]);
  return {ranges_[axis].first + tiles_[t].at[axis], tiles_[t].partitions};
}

axis_range product_panel::columns_of(const slice& s, const axis_piece& p) const {
  const auto axis = std::size_t(design_.columns[0]);
  return {s.ranges[axis].first + p.at[axis], p.partitions};
}

// Sets the strides of a value that lies in SBUF already; one to be transposed is a single slice.
void product_panel::take_given(const tile_view& given) {
  const chip_layout& lies = *design_.given;
  std::vector<std::int64_t> steps(step_.axes.size());
  for (std::size_t a = 0; a < steps.size(); ++a)
    if (step_.axes[a].is_in(design_.from)) {
      const int label = step_.labels[a];
      steps[a] = lies.step(label);
      first_ += ranges_[a].first / (label == lies.cut ? lies.chunk : 1) * steps[a];
    }
  if (design_.is_transposed) {
    slices_.push_back({.ranges = ranges_,
                       .tiles = {},
                       .pieces = pieces_of(step_, design_.raw, design_.columns, ranges_),
                       .raw = given,
                       .strides = std::move(steps),
                       .plane = lies.plane,
                       .first = first_});
    for (std::size_t t = 0; t < tiles_.size(); ++t) slices_[0].tiles.push_back(t);
    return;
  }
  strides_ = std::move(steps);
  plane_ = lies.plane;
}

std::int64_t product_panel::tile_offset(std::size_t t) const {
  if (design_.is_transposed) return std::int64_t(t) * design_.planes_kept() * plane_;
  const axis_partitions& k = design_.k;
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

axis_ranges product_panel::tile_ranges(std::size_t t) const {
  axis_ranges ranges = ranges_;
  if (design_.k.cut < 0) return ranges;
  axis_range& k = ranges[std::size_t(design_.k.cut)];
  k = {k.first + tiles_[t].at[std::size_t(design_.k.cut)], tiles_[t].cut_count};
  return ranges;
}

view_levels product_panel::levels_of(const axis_partitions& group, std::int64_t cut_count) const {
  view_levels levels;
  if (group.cut >= 0) levels.push_back({cut_count, {strides_[std::size_t(group.cut)]}});
  for (const int a : group.whole) levels.push_back({step_.extent(a), {strides_[std::size_t(a)]}});
  return merged(levels);
}

tile_view product_panel::columns(std::size_t t, int plane, const axis_piece& at,
                                 const std::vector<std::int64_t>& batch,
                                 const axis_partitions& group) const {
  return viewed(kept_.partition_range(0, partitions(t)),
                tile_offset(t) + plane * plane_ + column_offset(at, batch),
                levels_of(group, at.cut_count), 0);
}

std::int64_t product_panel::column_offset(const axis_piece& at,
                                          const std::vector<std::int64_t>& batch) const {
  std::int64_t offset = 0;
  for (const int a : design_.columns)
    offset += (at.at[std::size_t(a)] + batch[std::size_t(a)]) * strides_[std::size_t(a)];
  return offset;
}

// Makes the third plane, of negated imaginary parts or of the sums re + im, for some columns.
void product_panel::add_third(std::size_t t, std::int64_t first, std::int64_t count) {
  const tile_view partitions = kept_.partition_range(0, int(tiles_[t].partitions));
  for (int part = 0; part < design_.parts; ++part) {
    const std::int64_t at = tile_offset(t) + part * design_.planes_of_part() * plane_ + first;
    const auto plane = [&](int p) { return partitions.columns(at + p * plane_, count); };
    if (design_.negated)
      nc_.issue(tensor_scalar{.out = plane(2),
                              .in = plane(1),
                              .op0 = alu_op::multiply,
                              .operand0 = -1.0F,
                              .on = unit::gpsimd});
    else
      nc_.issue(
          tensor_tensor{.out = plane(2), .left = plane(0), .right = plane(1), .on = unit::gpsimd});
  }
}

// Loads k tiles with one value of the cut axis as they are to lie. Summed axes that are not on
// partitions lie among the columns, in HBM's order.
void product_panel::load_straight(std::size_t cut) {
  const axis_piece& k = tiles_[cut];
  if (design_.triangle) {
    const auto axis = std::size_t(design_.columns[0]);
    axis_piece all{.at = std::vector<std::int64_t>(step_.axes.size())};
    all.partitions = ranges_[axis].count;
    if (is_zero(cut, all)) return;
  }
  if (is_split() && cut == 0) split_ = pools_.raw.next();
  const tile_view loaded = is_split()
                               ? split_of(cut)
                               : kept_.partition_range(0, int(k.partitions))
                                     .columns(tile_offset(cut), design_.planes_kept() * plane_);
  tile_layout(step_, design_.from, design_.k, tile_ranges(cut))
      .issue(nc_, transfer::load, loaded, flat_);
  if (design_.triangle)
    mask(loaded, k_of(cut).first, ranges_[std::size_t(design_.columns[0])].first);
  if (!is_split() && (design_.negated || design_.added)) add_third(cut, 0, plane_);
}

tile_view product_panel::split_of(std::size_t cut) const {
  const std::int64_t size = design_.planes * plane_;
  return split_.partition_range(0, int(tiles_[cut].partitions))
      .columns(std::int64_t(cut) * size, size);
}

void product_panel::split_straight(std::int64_t unit) {
  const auto cut = std::size_t(unit / split_pieces_);
  const std::int64_t size = design_.planes * plane_, each = ceil_div(size, split_pieces_),
                     first = unit % split_pieces_ * each, count = std::min(each, size - first);
  const tile_view partitions = kept_.partition_range(0, int(tiles_[cut].partitions));
  if (count > 0)
    take_parts(split_of(cut).columns(first, count), [&](int part) {
      return partitions.columns(tile_offset(cut) + part * design_.planes_of_part() * plane_ + first,
                                count);
    });
  const bool is_last = (unit + 1) % split_pieces_ == 0;
  if (is_last && (design_.negated || design_.added)) add_third(cut, 0, plane_);
}

// Cuts the block into slices: of columns, and each of these along the summed axis.
void product_panel::cut_in_slices() {
  const slicing cut = slicing_of(design_, ranges_);
  sliced_ = cut.columns;
  sliced_count_ = cut.of_columns;
  const auto ranges_in = [&](int axis, std::int64_t most) {
    if (axis < 0) return std::vector<axis_range>{{}};
    const axis_range all = ranges_[std::size_t(axis)];
    std::vector<axis_range> some;
    for (std::int64_t i = 0; i < all.count; i += most)
      some.push_back({all.first + i, std::min(most, all.count - i)});
    return some;
  };
  for (const axis_range& columns : ranges_in(cut.columns, cut.of_columns))
    for (const axis_range& k : ranges_in(cut.k, cut.of_k)) {
      slice s{.ranges = ranges_, .tiles = {}, .pieces = {}};
      if (cut.columns >= 0) s.ranges[std::size_t(cut.columns)] = columns;
      if (cut.k >= 0) s.ranges[std::size_t(cut.k)] = k;
      for (std::size_t t = 0; t < tiles_.size(); ++t) {
        if (cut.k >= 0) {
          const std::int64_t at =
              ranges_[std::size_t(cut.k)].first + tiles_[t].at[std::size_t(cut.k)];
          if (at < k.first || at >= k.first + k.count) continue;
        }
        s.tiles.push_back(t);
      }
      s.pieces = pieces_of(step_, design_.raw, design_.columns, s.ranges);
      slices_.push_back(std::move(s));
    }
}

void product_panel::store_to(const hbm_view& out) const {
  const auto stride = [&](int a) { return step_.stride(a, operand_role::out); };
  for (std::size_t t = 0; t < tiles_.size(); ++t) {
    std::int64_t offset = 0;
    for (const auto* axes : {&design_.columns, &design_.summed})
      for (const int a : *axes)
        offset += (ranges_[std::size_t(a)].first + tiles_[t].at[std::size_t(a)]) * stride(a);
    view_levels free{
        {design_.planes_kept(), {step_.plane[std::size_t(operand_role::out)], plane_}}};
    for (const int a : slowest_first(step_, design_.columns, operand_role::out))
      free.push_back({ranges_[std::size_t(a)].count, {stride(a), strides_[std::size_t(a)]}});
    const std::int64_t at = std::int64_t(t) * design_.planes_kept() * plane_;
    issue_transfers(nc_, transfer::store,
                    kept_.partition_range(0, int(tiles_[t].partitions))
                        .columns(at, design_.planes_kept() * plane_),
                    out, offset, design_.k.levels(step_, operand_role::out, tiles_[t].cut_count),
                    free);
  }
}

}  // namespace papilio::kernels_detail
