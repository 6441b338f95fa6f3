#include "kernels/product/operands.hpp"

#include <utility>

namespace papilio::kernels_detail {

using namespace engine;

namespace {

tile_pool* given(std::optional<tile_pool>& pool) { return pool ? &*pool : nullptr; }

}  // namespace

product_operands::product_operands(core& nc, const contraction_step& step,
                                   const product_step_design& design, const step_tensors& tensors,
                                   const product_pools& pools, tile_pool& transposes,
                                   const block_walk& walk, const std::vector<std::int64_t>& made)
    : nc_(nc),
      step_(step),
      design_(design),
      tensors_(tensors),
      walk_(walk),
      made_(made),
      stationary_(pools.stationary.made(nc)),
      moving_(pools.moving.made(nc)),
      stationary_raw_(pools.stationary_raw.made(nc)),
      moving_raw_(pools.moving_raw.made(nc)),
      stationary_scales_(pools.stationary_scales.made_if_any(nc)),
      moving_scales_(pools.moving_scales.made_if_any(nc)),
      staged_(pools.staged.made_if_any(nc)),
      stationary_pools_{stationary_, stationary_raw_, transposes, given(stationary_scales_),
                        given(staged_)},
      moving_pools_{moving_, moving_raw_, transposes, given(moving_scales_), given(staged_)} {}

void product_operands::take(const on_chip_values& on_chip, std::size_t end) {
  on_chip_ = on_chip;
  end_ = end;
}

void product_operands::bring(std::size_t at) {
  bring_one(at, design_.stationary, stationary_pools_, rows_);
  if (design_.shares)
    columns_.panel = rows_.panel;
  else if (!streams())
    bring_one(at, design_.moving, moving_pools_, columns_);
}

void product_operands::bring_one(std::size_t at, const panel_design& design,
                                 const panel_pools& pools, operand_now& now) {
  const auto place_at = [&](std::size_t block) {
    return walk_.place(made_[block], both_axes(design.columns, design_.k_axes));
  };
  const auto made_at = [&](std::size_t block) {
    axis_ranges ranges = walk_.ranges(made_[block]);
    if (design.given && on_chip_.axis >= 0)  // `given` has one value of the axis
      ranges[std::size_t(on_chip_.axis)].first = 0;
    const bool comes_at_once =
        block > 0 && !design.is_transposed && !design.is_split() && !design.is_packed;
    return std::make_shared<product_panel>(
        nc_, step_, design, ranges, tensors_.of(design.from), pools, on_chip_.given,
        comes_at_once ? panel_issue::at_once : panel_issue::by_units);
  };
  if (now.panel != nullptr && now.place == place_at(at)) return;
  if (design.given && at >= end_) return;  // SBUF does not have it yet
  now.place = place_at(at);
  now.panel = now.next != nullptr ? std::exchange(now.next, nullptr) : made_at(at);
  if (design.is_split() && at + 1 < made_.size() && place_at(at + 1) != now.place)
    now.next = made_at(at + 1);
}

void product_operands::begin(std::size_t at, std::int64_t sums) {
  now_ = {.at = at, .rows = rows_.panel, .columns = columns_.panel};
  now_.all = sums * std::int64_t(k_tiles());
  if (at > 0) advance(0);
}

void product_operands::advance(std::int64_t tiles) {
  progress& p = now_;
  p.done += tiles;
  if (!p.has_next) {
    const std::int64_t ahead = p.at == 0 ? 2 * p.done : p.all;
    bool is_complete = true;
    for (const auto& panel : {p.rows, p.columns})
      if (panel != nullptr) {
        panel->ensure(ceil_div(panel->units() * ahead, p.all));
        is_complete = is_complete && panel->made() == panel->units();
      }
    if (!is_complete || p.at + 1 == made_.size()) return;
    bring(p.at + 1);
    p.has_next = true;
    p.start = p.done;
  }
  const std::int64_t left = std::max<std::int64_t>(1, p.all - p.start);
  for (const auto& panel : {rows_.panel, columns_.panel})
    if (panel != nullptr)
      panel->ensure(p.done == p.all ? panel->units()
                                    : ceil_div(panel->units() * (p.done - p.start), left));
}

void product_operands::end() {
  if (streams()) used_ += ceil_div(std::int64_t(k_tiles()), design_.stream);
}

product_operands::tile_of_columns product_operands::columns(std::size_t t) {
  if (!streams()) return {*now_.columns, t};
  return {streamed(t), t % std::size_t(design_.stream)};
}

// Loads streamed parts some ahead of their use, and frees a part when the next one is used.
product_panel& product_operands::streamed(std::size_t t) {
  const std::int64_t part = used_ + std::int64_t(t) / design_.stream,
                     wanted = part + 1 + parts_ahead(design_);
  for (; brought_ < wanted && next_block_ < made_.size(); ++brought_) {
    const axis_ranges block = walk_.ranges(made_[next_block_]);
    parts_.emplace_back(nc_, step_, design_.moving, streamed_part(design_, block, next_part_),
                        tensors_.of(design_.columns()), moving_pools_, on_chip_.given,
                        design_.moving.is_transposed || design_.moving.is_packed
                            ? panel_issue::by_units
                            : panel_issue::at_once);
    const std::int64_t tiles = ceil_div(block[std::size_t(design_.k.cut)].count, design_.k.chunk);
    next_part_ = (next_part_ + 1) % ceil_div(tiles, design_.stream);
    if (next_part_ == 0) ++next_block_;
  }
  for (; gone_ < part; ++gone_) parts_.pop_front();
  parts_.front().ensure(parts_.front().units());
  std::size_t waiting = 0;  // slices loaded, not yet transposed
  for (product_panel& p : parts_) waiting += p.load_ahead(slices_at_once - waiting);
  if (parts_.size() > 1) {  // transposes the next between this one's products
    const std::int64_t tiles = std::int64_t(t) % design_.stream + 1;
    parts_[1].ensure(ceil_div(parts_[1].units() * tiles, design_.stream));
  }
  return parts_.front();
}

}  // namespace papilio::kernels_detail
