// Packed panels: operands of the tensor engine that are quantised on the device. Products of k
// tiles that are summed together: packed ones, and two as a double row.
//   layout     a k tile has mx_numbers values of k on each partition (packed_places), and behind its
//              last value zeros up to a quadrant; its scales are on place t mod 4 of the
//              scale tile's quadrants, so that four k tiles share them
//   order      loaded in 16 bits; moved, with the four values side by side, into a staged tile; and
//              quantised from there. A panel to be transposed is moved on its way out of PSUM.
//   columns    an odd number of them is followed by one of zeros, since a stationary operand has an
//              even number
#include <algorithm>

#include "kernels/product/panel.hpp"
#include "papilio/engine/lowering.hpp"

namespace papilio::kernels_detail {

using namespace engine;

panel_size packed_size(const panel_design& d, std::int64_t tiles, std::int64_t columns) {
  columns += columns % 2;
  panel_size size{.kept = tiles * columns,
                  .scales = ceil_div(tiles, std::int64_t(mx_scale_places)) * columns};
  if (d.is_transposed) return size;
  size.raw = mx_numbers * std::min(columns, d.row);
  size.slices = tiles * ceil_div(columns, d.row);
  return size;
}

tile_view product_panel::two_tiles(std::size_t t, const axis_piece& at,
                                   const std::vector<std::int64_t>& batch,
                                   const axis_partitions& group) const {
  const tile_view one = columns(t, 0, at, batch, group);
  std::vector<pattern_dim> dims{{2, tile_offset(t + 1) - tile_offset(t)}};
  dims.insert(dims.end(), one.dims().begin(), one.dims().end());
  return one.pattern(0, dims);
}

void multiply_together(core& nc, const tile_view& out, const tile_of_panel& rows,
                       const tile_of_panel& columns, const std::vector<std::int64_t>& batch,
                       bool accumulate) {
  if (!rows.panel.is_packed()) {
    nc.issue(matmul{
        .out = out,
        .stationary = rows.panel.two_tiles(rows.tile, rows.at, batch, rows.partitions),
        .moving = columns.panel.two_tiles(columns.tile, columns.at, batch, columns.partitions),
        .accumulate = accumulate,
        .double_row = true});
    return;
  }
  axis_piece even = rows.at;
  even.cut_count += even.cut_count % 2;
  nc.issue(matmul_mx{
      .out = out,
      .stationary = rows.panel.columns(rows.tile, 0, even, batch, rows.partitions),
      .stationary_scales = rows.panel.scales(rows.tile, even, batch, rows.partitions),
      .moving = columns.panel.columns(columns.tile, 0, columns.at, batch, columns.partitions),
      .moving_scales = columns.panel.scales(columns.tile, columns.at, batch, columns.partitions),
      .accumulate = accumulate});
}

tile_view product_panel::kept_scales(std::size_t t) const {
  const int place = int(t % mx_scale_places) * mx_scale_rows;
  return scales_.partition_range(place, mx_scale_span(partitions(t)))
      .columns(std::int64_t(t / mx_scale_places) * plane_, plane_);
}

tile_view product_panel::scales(std::size_t t, const axis_piece& at,
                                const std::vector<std::int64_t>& batch,
                                const axis_partitions& group) const {
  return viewed(kept_scales(t), column_offset(at, batch), levels_of(group, at.cut_count), 0);
}

// Loads a piece of columns of a k tile: number by number of the partitions, in long rows.
void product_panel::load_packed(std::int64_t unit) {
  const auto t = std::size_t(unit / split_pieces_);
  const axis_range k = k_of(t), columns = ranges_[std::size_t(design_.columns[0])];
  const std::int64_t first = unit % split_pieces_ * design_.row,
                     count = std::min(design_.row, columns.count - first),
                     along = step_.stride(design_.columns[0], design_.from),
                     down = step_.stride(design_.summed[0], design_.from);
  const packed_places places{k.count};
  tile_view& raw = loads_[std::size_t(unit)];
  raw = pools_.raw.next()
            .partition_range(0, places.partitions())
            .columns(0, mx_numbers * count)
            .reshape({mx_numbers, count});
  if (places.has_zeros()) nc_.issue(memset{.out = raw, .value = 0});
  const auto load = [&](int q, int numbers) {
    if (places.count(q) == 0) return;
    nc_.issue(
        dma_copy{.out = raw.partition_range(0, int(places.count(q))).slice(1, q, numbers),
                 .in = flat_.pattern(
                     (k.first + places.first(q)) * down + (columns.first + first) * along,
                     {{places.count(q), places.step() * down}, {numbers, down}, {count, along}})});
  };
  if (places.has_quads())
    load(0, mx_numbers);
  else
    for (int q = 0; q < mx_numbers; ++q) load(q, 1);
}

void product_panel::pack_straight(std::int64_t unit) {
  const auto t = std::size_t(unit / split_pieces_);
  const std::int64_t from = unit % split_pieces_ * design_.row;
  tile_view& raw = loads_[std::size_t(unit)];
  const std::int64_t all = raw.dims()[1].extent;
  for (std::int64_t first = 0; first < all; first += packed_columns) {
    const std::int64_t count = std::min(packed_columns, all - first);
    const tile_view staged = pools_.staged->next().partition_range(0, partitions(t));
    // The vector engine moves 16 bits faster; the scalar engine is busy with what leaves PSUM.
    nc_.issue(tensor_copy{.out = staged.columns(0, mx_numbers * count),
                          .in = raw.columns(first, count).permute({2, 1})});
    quantize(t, staged, from + first, count);
  }
  raw = {};
}

void product_panel::pack_transposed(const slice& s, std::size_t t) {
  const packed_places places{tiles_[t].partitions};
  for (std::size_t i = 0; i < s.pieces.size();) {
    const std::int64_t first = target(s, s.pieces[i]);
    const tile_view staged = pools_.staged->next().partition_range(0, places.partitions());
    std::int64_t count = 0;
    for (; i < s.pieces.size() && count + s.pieces[i].partitions <= packed_columns; ++i) {
      const axis_piece& p = s.pieces[i];
      const tile_view bank = pools_.banks.next()
                                 .partition_range(0, places.partitions())
                                 .columns(0, mx_numbers * p.partitions)
                                 .reshape({mx_numbers, p.partitions}),
                      raw = raw_of(s, t, 0, p);
      if (places.has_zeros()) nc_.issue(memset{.out = bank, .value = 0});
      for (int q = 0; q < mx_numbers; ++q)
        if (const std::int64_t rows = places.count(q); rows > 0)
          nc_.issue(engine::transpose{.out = bank.partition_range(0, int(rows)).slice(1, q, 1),
                                      .in = raw.slice(1, places.first(q), rows, places.step())});
      evacuate(nc_, staged.columns(mx_numbers * count, mx_numbers * p.partitions),
               bank.permute({2, 1}));
      count += p.partitions;
    }
    quantize(t, staged, first, count);
  }
}

// Quantises `count` staged columns into the panel, from its column `first` on.
void product_panel::quantize(std::size_t t, const tile_view& staged, std::int64_t first,
                             std::int64_t count) {
  if (count % 2 != 0)
    nc_.issue(memset{.out = staged.columns(mx_numbers * count++, mx_numbers), .value = 0});
  nc_.issue(quantize_mx{
      .out = kept_.partition_range(0, partitions(t)).columns(tile_offset(t) + first, count),
      .scales = kept_scales(t).columns(first, count),
      .in = staged.columns(0, mx_numbers * count)});
}

}  // namespace papilio::kernels_detail
