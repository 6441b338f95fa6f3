// Blocks of a pass between HBM and SBUF.
#include "kernels/fft/run_pass.hpp"

#include "kernels/fft/units.hpp"
#include "papilio/base/error.hpp"

namespace papilio::kernels_detail {

using namespace engine;

std::int64_t pass_run::runs_of(const pass_block& b) const { return (b.lanes + side_ - 1) / side_; }

std::int64_t pass_run::lanes_of_run(const pass_block& b, std::int64_t run) const {
  return std::min(side_, b.lanes - run * side_);
}

void pass_run::load_block(std::int64_t index) {
  if (index >= std::int64_t(blocks_.size())) return;
  // The tile that is taken must have no reader left to issue.
  drain([&](const pending& p) { return p.block <= index - pass_.entry_depth; });
  pass_block& b = blocks_[std::size_t(index)];
  b = block_at(index);
  if (pass_.streamed > 0) stream_matrices(index);
  b.entry = entries_.next();
  if (pass_.entry == orientation::rows)
    load_rows(b);
  else
    load_columns(b);
}

void pass_run::load_rows(pass_block& b) {
  if (pass_.in_points > 0) return load_short_rows(b);
  std::vector<pattern_dim> dims{{b.lanes, pass_.in.lane}};
  for (const packed_level& l : packed(pass_, pass_.in)) dims.push_back({l.extent, l.hbm});
  nc_.issue(dma_copy{.out = b.entry.partition_range(0, int(b.lanes)),
                     .in = in_.pattern(b.in, merged(dims))});
}

// Lines that zeros follow.
void pass_run::load_short_rows(pass_block& b) {
  const std::int64_t all = pass_.points(), some = pass_.in_points;
  const tile_view lines = b.entry.partition_range(0, int(b.lanes));
  nc_.issue(memset{.out = lines.pattern(some, {{2, all}, {all - some, 1}}), .on = unit::gpsimd});
  nc_.issue(dma_copy{
      .out = lines.pattern(0, {{2, all}, {some, 1}}),
      .in = in_.pattern(b.in, {{b.lanes, pass_.in.lane}, {2, pass_.in.plane}, {some, 1}})});
}

// Partitions are (plane, point, shared column), the free axis (group, lane); where planes are
// apart, partitions are (point, shared column), the free axis (group, plane, lane) or
// (group, lane, plane).
void pass_run::load_columns(pass_block& b) {
  const fft_stage& s = pass_.stages[0];
  const column_tile& t = column_tile_;
  const bool pairs = t.lane_step > 1;
  const std::int64_t unit = std::max<std::int64_t>(1, unit_ / (2 * side_));
  for (const group_box& box : boxes(s, unit)) {
    std::vector<pattern_dim> dims;
    if (!s.planes_apart) dims.push_back({2, pass_.in.plane});
    for (const digit_level& l : s.point_levels) dims.push_back({l.extent, l.stride});
    dims.push_back({s.shared.extent, s.shared.stride});
    for (const digit_level& l : box.levels) dims.push_back({l.extent, l.stride});
    if (s.planes_apart && !pairs) dims.push_back({2, pass_.in.plane});
    dims.push_back({b.lanes * t.lane_step, 1});
    std::vector<pattern_dim> tile{{box.count, t.slot}};
    if (s.planes_apart && !pairs) tile.push_back({2, t.plane});
    tile.push_back({b.lanes * t.lane_step, 1});
    nc_.issue(dma_copy{.out = b.entry.partition_range(0, int(s.matrix_rows()))
                                  .pattern(box.first * t.slot, merged(tile)),
                       .in = in_.pattern(b.in + offset_at(s.groups, box.first), merged(dims))});
  }
}

// The factors of the lines that leave as number `leaving`.
void pass_run::fetch_factors(std::int64_t leaving) {
  const std::int64_t runs = (pass_.lane_tile + side_ - 1) / side_, index = leaving / runs,
                     run = leaving % runs;
  if (index >= std::int64_t(blocks_.size())) return;
  const pass_block b = block_at(index);
  if (run >= runs_of(b)) return;
  const std::int64_t lanes = lanes_of_run(b, run), outputs = pass_.points();
  // The same lanes for another outer value: the same factors.
  const std::int64_t first = b.lane + run * side_;
  if (first == fetched_lane_) return fetched_.push_back(fetched_tile_);
  fetched_lane_ = first;
  drain([&](const pending& p) { return p.leaving >= 0 && p.leaving <= leaving - factor_ring; });
  const tile_view tile = factors_.next();
  nc_.issue(
      dma_copy{.out = tile.partition_range(0, int(lanes)),
               .in = tables_.back()
                         .reshape({2 * pass_.lanes * outputs})
                         .pattern(first * outputs,
                                  {{lanes, outputs}, {2, pass_.lanes * outputs}, {outputs, 1}})});
  fetched_tile_ = tile;
  fetched_.push_back(tile);
}

void pass_run::store_rows(const pass_block& b, std::int64_t run, const tile_view& lines) {
  const std::int64_t lanes = lanes_of_run(b, run), some = pass_.out_points;
  if (some > 0) {
    nc_.issue(dma_copy{
        .out = out_.pattern(b.out + run * side_ * pass_.out.lane,
                            {{lanes, pass_.out.lane}, {2, pass_.out.plane}, {some, 1}}),
        .in = lines.partition_range(0, int(lanes)).pattern(0, {{2, pass_.points()}, {some, 1}})});
    return;
  }
  std::vector<pattern_dim> dims{{lanes, pass_.out.lane}};
  for (const packed_level& l : packed(pass_, pass_.out)) dims.push_back({l.extent, l.hbm});
  nc_.issue(dma_copy{.out = out_.pattern(b.out + run * side_ * pass_.out.lane, merged(dims)),
                     .in = lines.partition_range(0, int(lanes))});
}

void pass_run::store_columns(const pass_block& b, const fft_stage& s, const group_box& box,
                             const tile_view& results) {
  const auto stride = [&](int digit) { return pass_.out.digits[std::size_t(digit)]; };
  std::vector<pattern_dim> dims;
  if (!s.planes_apart) dims.push_back({2, pass_.out.plane});
  for (const int d : s.digits) dims.push_back({pass_.digits[std::size_t(d)].radix, stride(d)});
  if (s.shared.extent > 1)
    dims.push_back({s.shared.extent, s.shared.weight * stride(s.shared.digit)});
  digit_layout groups = s.groups, levels = box.levels;
  for (digit_layout* const one : {&groups, &levels})
    for (digit_level& l : *one) l.stride = l.weight * stride(l.digit);
  for (const digit_level& l : levels) dims.push_back({l.extent, l.stride});
  if (s.planes_apart) dims.push_back({2, pass_.out.plane});
  dims.push_back({b.lanes, pass_.out.lane});
  nc_.issue(dma_copy{.out = out_.pattern(b.out + offset_at(groups, box.first), merged(dims)),
                     .in = results});
}

}  // namespace papilio::kernels_detail
