#include "kernels/mp2/pairs.hpp"

#include <algorithm>

#include "kernels/transposer.hpp"
#include "papilio/engine/lowering.hpp"

namespace papilio::kernels_detail {

using namespace engine;
using kernels::integral_layout;

namespace {

// Some orbitals with all their virtual ones, or some of one orbital's.
struct panel_chunk {
  std::int64_t orbital = 0, orbitals = 1, a = 0, virtuals = 1;
  std::int64_t columns() const { return orbitals * virtuals; }
};

std::vector<panel_chunk> chunks_of(const mp2_side& side, std::int64_t columns) {
  std::vector<panel_chunk> all;
  const std::int64_t together = std::max<std::int64_t>(1, columns / side.nvir);
  for (std::int64_t i = 0; i < side.nocc; i += together)
    for (std::int64_t a = 0; a < side.nvir; a += columns)
      all.push_back({.orbital = i,
                     .orbitals = std::min(together, side.nocc - i),
                     .a = a,
                     .virtuals = std::min(columns, side.nvir - a)});
  return all;
}

}  // namespace

mp2_panels::mp2_panels(core& nc, const mp2_design& design, const mp2_side& side, const hbm_view& b)
    : nc_(nc), design_(design), side_(side) {
  const std::int64_t naux = design.naux;
  if (design.home == mp2_home::whole)
    whole_ = nc.sbuf(int(std::min(design.side, naux)),
                     design.k_tiles * design.planes * side.nocc * side.nvir, design.type);
  else if (design.as_given())
    tensor_ = b.reshape({side.nocc, 1, naux, side.nvir});
  else
    tensor_ = nc.hbm({side.nocc, design.planes, naux, side.nvir}, design.type);
  if (whole_ || !design.as_given()) make(b);
}

mp2_panels::mp2_panels(core& nc, const mp2_design& design, const mp2_side& side, const hbm_view& b,
                       const hbm_view& tensor)
    : nc_(nc), design_(design), side_(side), tensor_(tensor) {
  make(b);
}

void mp2_panels::make(const hbm_view& b) {
  const bool turned = design_.layout == integral_layout::iap;
  const std::int64_t columns = nc_.machine().psum.bank_bytes / 4, naux = design_.naux;
  const std::int64_t slice =
      std::min(design_.k_tiles * design_.side, nc_.machine().dma.good_row_bytes / 4);
  const int lanes = int(design_.side);
  tile_pool slices = nc_.sbuf_pool(turned ? int(2 * columns / design_.side) : 1, lanes,
                                   turned ? slice : 1),
            staging = nc_.sbuf_pool(design_.planes > 1 ? 3 : 1, lanes, columns),
            rows = nc_.sbuf_pool(whole_ ? 1 : 3, lanes, design_.planes * columns, design_.type);
  tile_pool banks = nc_.psum_pool(2, lanes, columns);
  for (const panel_chunk& c : chunks_of(side_, columns)) {
    const hbm_view part = b.slice(0, c.orbital, c.orbitals).slice(turned ? 1 : 2, c.a, c.virtuals);
    std::optional<transposer> from;
    if (turned)
      from.emplace(nc_, slices, banks, part.reshape({1, c.columns(), 1, naux}), design_.side,
                   slice);
    for (std::int64_t t = 0; t < design_.k_tiles; ++t) {
      const std::int64_t k = t * design_.side;
      const tile_view store = whole_ ? tile_view{} : rows.next().partition_range(0, depth(t));
      const auto place = [&](std::int64_t plane) {
        return whole_ ? columns_of_whole(t, plane, c.orbital * side_.nvir + c.a, c.columns())
                      : store.columns(plane * c.columns(), c.columns());
      };
      const tile_view raw =
          design_.planes == 1 ? place(0)
                              : staging.next().partition_range(0, depth(t)).columns(0, c.columns());
      if (turned)
        from->make(t, raw, 0);
      else
        nc_.issue(dma_copy{.out = raw, .in = part.slice(1, k, depth(t)).permute({1, 0, 2})});
      if (design_.planes > 1) split(place(0), place(1), raw);
      if (!whole_)
        nc_.issue(dma_copy{.out = tensor_.slice(0, c.orbital, c.orbitals)
                                      .slice(2, k, depth(t))
                                      .slice(3, c.a, c.virtuals)
                                      .permute({2, 1, 0, 3}),
                           .in = store.columns(0, design_.planes * c.columns())});
    }
  }
}

// high + low = x but for low's rounding.
void mp2_panels::split(const tile_view& high, const tile_view& low, const tile_view& x) {
  nc_.issue(activation{.out = high, .in = x, .function = activation_function::copy});
  nc_.issue(tensor_tensor{.out = low, .left = x, .right = high, .op = alu_op::subtract});
}

tile_view mp2_panels::columns_of_whole(std::int64_t t, std::int64_t plane, std::int64_t c,
                                       std::int64_t count) const {
  return whole_->whole()
      .partition_range(0, depth(t))
      .columns((t * design_.planes + plane) * side_.nocc * side_.nvir + c, count);
}

mp2_panels::panel mp2_panels::orbitals(tile_pool* pool, std::int64_t first, std::int64_t count) {
  if (whole_) return {whole_->whole(), first * side_.nvir, side_.nocc * side_.nvir};
  const std::int64_t width = count * side_.nvir, planes = design_.planes;
  const panel made{pool->next().columns(0, design_.k_tiles * planes * width), 0, width};
  for (std::int64_t t = 0; t < design_.k_tiles; ++t)
    nc_.issue(dma_copy{
        .out = made.tiles.partition_range(0, depth(t)).columns(t * planes * width, planes * width),
        .in = tensor_.slice(0, first, count)
                  .slice(2, t * design_.side, depth(t))
                  .permute({2, 1, 0, 3})});
  return made;
}

tile_view mp2_panels::k_tile(tile_pool& pool, std::int64_t t, std::int64_t orbital, std::int64_t a,
                             std::int64_t count) {
  const tile_view tile =
      pool.next().partition_range(0, depth(t)).columns(0, design_.planes * count);
  nc_.issue(dma_copy{.out = tile,
                     .in = tensor_.slice(0, orbital, 1)
                               .slice(2, t * design_.side, depth(t))
                               .slice(3, a, count)
                               .permute({0, 2, 1, 3})});
  return tile;
}

tile_view mp2_panels::operand(const panel& of, std::int64_t t, int plane, std::int64_t c,
                              std::int64_t count) const {
  return of.tiles.partition_range(0, depth(t))
      .columns((t * design_.planes + plane) * of.width + of.first + c, count);
}

}  // namespace papilio::kernels_detail
