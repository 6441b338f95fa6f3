// Panels with transposition: slices are loaded, masked to a triangle, and transposed through PSUM;
// panels of symmetric matrices are completed from their mirror images.
#include <algorithm>

#include "kernels/product/blocks.hpp"
#include "kernels/product/panel.hpp"
#include "kernels/product/triangle_mask.hpp"
#include "papilio/engine/lowering.hpp"

namespace papilio::kernels_detail {

using namespace engine;

// Whether a slice must be loaded. A symmetric matrix transposes only slices that are not all in the
// triangle; a triangular one has only slices that are not all beside it.
bool product_panel::is_needed(const slice& s) const {
  if (!design_.triangle) return true;
  const axis_range columns = s.ranges[std::size_t(design_.columns[0])],
                   k = s.ranges[std::size_t(design_.summed[0])];
  return design_.is_mirrored()
             ? !design_.triangle->is_within(k.first, k.count, columns.first, columns.count)
             : !design_.triangle->is_beside(columns.first, columns.count, k.first, k.count);
}

void product_panel::load(slice& s) {
  if (!is_needed(s)) return;
  const tile_layout lies(step_, design_.from, design_.raw, s.ranges);
  s.strides = lies.strides();
  s.plane = lies.plane();
  s.raw = pools_.raw.next();
  lies.issue(nc_, transfer::load, s.raw, flat_);
  if (!design_.triangle || design_.is_mirrored()) return;
  const axis_range k = s.ranges[std::size_t(design_.summed[0])];
  for (const axis_piece& p : s.pieces) {
    const axis_range rows = columns_of(s, p);
    if (design_.triangle->is_beside(rows.first, rows.count, k.first, k.count)) continue;
    mask(s.raw.partition_range(0, int(rows.count))
             .columns(p.at[std::size_t(design_.columns[0])] / design_.raw.chunk *
                          s.strides[std::size_t(design_.columns[0])],
                      k.count),
         rows.first, k.first);
  }
}

// Writes zeros beside the triangle of a loaded block, whose first element is at this row and column
// of the operand, and ones on a unit diagonal.
void product_panel::mask(const tile_view& block, std::int64_t row, std::int64_t column) const {
  const operand_triangle& of = *design_.triangle;
  const std::int64_t diagonal = row - column, rows = block.partitions(), columns = block.elements();
  if (!of.is_within(row, rows, column, columns))
    keep_triangle(nc_, block, block, of.part, diagonal, false);
  if (of.unit && diagonal > -rows && diagonal < columns) set_diagonal(nc_, block, diagonal);
}

std::int64_t product_panel::target(const slice& s, const axis_piece& p) const {
  std::int64_t offset = 0;
  for (const int axis : design_.columns) {
    const auto a = std::size_t(axis);
    offset += (s.ranges[a].first - ranges_[a].first + p.at[a]) * strides_[a];
  }
  return offset;
}

// The view of k tile t of a piece in the slice as it was loaded.
tile_view product_panel::raw_of(const slice& s, std::size_t t, int plane,
                                const axis_piece& p) const {
  std::int64_t offset = s.first + plane * s.plane;
  for (const int a : design_.columns)
    offset += p.at[std::size_t(a)] / (a == design_.raw.cut ? design_.raw.chunk : 1) *
              s.strides[std::size_t(a)];
  for (const int axis : design_.summed) {
    const auto a = std::size_t(axis);
    offset += (tiles_[t].at[a] - (s.ranges[a].first - ranges_[a].first)) * s.strides[a];
  }
  view_levels levels;
  if (design_.k.cut >= 0)
    levels.push_back({tiles_[t].cut_count, {s.strides[std::size_t(design_.k.cut)]}});
  for (const int a : design_.k.whole)
    levels.push_back({step_.extent(a), {s.strides[std::size_t(a)]}});
  return viewed(s.raw.partition_range(0, int(p.partitions)), offset, merged(levels), 0);
}

void product_panel::transpose(const slice& s, std::size_t t) {
  if (design_.is_mirrored()) return mirror(s, t);
  if (design_.is_packed) return pack_transposed(s, t);
  for (int plane = 0; plane < design_.planes; ++plane)
    for (std::size_t i = 0; i < s.pieces.size();) {
      if (design_.triangle) {
        const axis_range rows = columns_of(s, s.pieces[i]), k = k_of(t);
        if (design_.triangle->is_beside(rows.first, rows.count, k.first, k.count)) {
          if (design_.has_zeros)
            nc_.issue(
                memset{.out = kept_.partition_range(0, int(k.count))
                                  .columns(tile_offset(t) + target(s, s.pieces[i]), rows.count),
                       .value = 0});
          ++i;
          continue;
        }
      }
      i += transpose_some(s, t, plane, i);
    }
  if (!design_.added) return;
  if (sliced_ < 0) return add_third(t, 0, plane_);
  const auto a = std::size_t(sliced_);
  add_third(t, (s.ranges[a].first - ranges_[a].first) * strides_[a],
            s.ranges[a].count * strides_[a]);
}

void product_panel::put(std::size_t t, int plane, const tile_view& bank, std::int64_t offset,
                        std::int64_t group, std::int64_t step, const axis_piece& piece) {
  view_levels levels{{group, {step}}};
  for (const view_level& l : levels_of(design_.raw, piece.cut_count)) levels.push_back(l);
  const tile_view partitions = kept_.partition_range(0, int(tiles_[t].partitions));
  const auto place = [&](int p) {
    return viewed(partitions, (std::int64_t(t) * design_.planes_kept() + p) * plane_ + offset,
                  merged(levels), 0);
  };
  const auto plane_of = [&](int part, int of) {
    return place(part * design_.planes_of_part() + of);
  };
  const bool negates = design_.negated && plane == 1;
  const tile_view some = bank.columns(0, group * piece.partitions);
  if (negates) evacuate(nc_, place(2), some, -1);
  take_parts(some, [&](int part) { return plane_of(part, plane); });
  for (int part = 1; negates && part < design_.parts; ++part)
    evacuate(nc_, plane_of(part, 2), plane_of(part, 1), -1);
}

// Transposes pieces from `begin` on into one bank, as long as their places in the panel are evenly
// spaced, so that one copy takes them out of PSUM. Returns how many.
std::size_t product_panel::transpose_some(const slice& s, std::size_t t, int plane,
                                          std::size_t begin) {
  const std::int64_t room = nc_.machine().psum.bank_bytes / 4;
  const tile_view bank = pools_.banks.next().partition_range(0, int(tiles_[t].partitions));
  const std::int64_t first = target(s, s.pieces[begin]), partitions = s.pieces[begin].partitions;
  std::int64_t group = 0, step = 0;
  for (std::size_t j = begin; j < s.pieces.size() && (group + 1) * partitions <= room;
       ++j, ++group) {
    const axis_piece& p = s.pieces[j];
    if (p.partitions != partitions) break;
    if (group == 1) step = target(s, p) - first;
    if (target(s, p) != first + group * step || (group > 0 && step <= 0)) break;
    if (group > 0 && design_.triangle && !is_alike(s, t, s.pieces[begin], p)) break;
    nc_.issue(engine::transpose{.out = bank.columns(group * partitions, partitions),
                                .in = raw_of(s, t, plane, p)});
  }
  put(t, plane, bank, first, group, step, s.pieces[begin]);
  return std::size_t(group);
}

// Whether two pieces are both beside the triangle, or neither is.
bool product_panel::is_alike(const slice& s, std::size_t t, const axis_piece& a,
                             const axis_piece& b) const {
  const axis_range k = k_of(t);
  const auto is_beside = [&](const axis_piece& p) {
    const axis_range columns = columns_of(s, p);
    return design_.is_mirrored()
               ? design_.triangle->is_beside(k.first, k.count, columns.first, columns.count)
               : design_.triangle->is_beside(columns.first, columns.count, k.first, k.count);
  };
  return is_beside(a) == is_beside(b);
}

// Makes k tile t of a symmetric matrix: columns in the given triangle are loaded, columns beside it
// are transposed from their mirror images, and on the diagonal both triangles are added.
void product_panel::mirror(const slice& s, std::size_t t) {
  const operand_triangle& of = *design_.triangle;
  const axis_range k = k_of(t);
  const tile_view partitions = kept_.partition_range(0, int(k.count));
  const std::int64_t row = step_.stride(design_.columns[0], design_.from),
                     column = step_.stride(design_.summed[0], design_.from);
  for (std::size_t i = 0; i < s.pieces.size();) {
    axis_range columns = columns_of(s, s.pieces[i]);
    if (of.is_beside(k.first, k.count, columns.first, columns.count)) {
      i += transpose_some(s, t, 0, i);
      continue;
    }
    const axis_piece& piece = s.pieces[i++];
    const bool is_given = of.is_within(k.first, k.count, columns.first, columns.count);
    for (; is_given && i < s.pieces.size(); ++i) {
      const axis_range next = columns_of(s, s.pieces[i]);
      if (!of.is_within(k.first, k.count, next.first, next.count)) break;
      columns.count += next.count;
    }
    const tile_view to = partitions.columns(tile_offset(t) + target(s, piece), columns.count);
    nc_.issue(dma_copy{.out = to,
                       .in = flat_.pattern(k.first * row + columns.first * column,
                                           {{k.count, row}, {columns.count, column}})});
    if (is_given) continue;
    const tile_view raw = raw_of(s, t, 0, piece), bank = pools_.banks.next()
                                                             .partition_range(0, int(k.count))
                                                             .columns(0, columns.count);
    keep_triangle(nc_, raw, raw, of.part, columns.first - k.first, true);
    keep_triangle(nc_, to, to, of.part, k.first - columns.first, false);
    nc_.issue(engine::transpose{.out = bank, .in = raw});
    nc_.issue(tensor_tensor{.out = to, .left = bank, .right = to});
  }
}

// Splits elements into parts: a part is the rest, rounded; `from` holds the rest for the next part.
void product_panel::take_parts(const tile_view& from, function_ref<tile_view(int)> place) {
  evacuate(nc_, place(0), from);
  for (int part = 1; part < design_.parts; ++part) {
    const bool is_last = part + 1 == design_.parts;
    nc_.issue(tensor_tensor{.out = is_last ? place(part) : from,
                            .left = from,
                            .right = place(part - 1),
                            .op = alu_op::subtract});
    if (!is_last) evacuate(nc_, place(part), from);
  }
}

}  // namespace papilio::kernels_detail
