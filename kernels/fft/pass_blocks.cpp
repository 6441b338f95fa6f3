// Blocks of a pass between HBM and SBUF.
#include "kernels/fft/line_twins.hpp"
#include "kernels/fft/run_pass.hpp"
#include "kernels/fft/units.hpp"

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
  else if (pass_.stages[0].folded == folded_end::input)
    load_bins(b);
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
  if (pass_.in_lines > 0) return load_twins(lines, b);
  nc_.issue(dma_copy{
      .out = lines.pattern(0, {{2, all}, {some, 1}}),
      .in = in_.pattern(b.in, {{b.lanes, pass_.in.lane}, {2, pass_.in.plane}, {some, 1}})});
}

// Lines that are made of the bins of two real ones.
void pass_run::load_twins(const tile_view& lines, const pass_block& b) {
  const line_twins twins{pass_.in_lines, pass_.in_points};
  const std::int64_t h = twins.bins();
  const tile_view both = twins_.next().partition_range(0, int(b.lanes)).columns(0, 4 * h);
  for (int line = 0; line < 2; ++line)
    nc_.issue(dma_copy{.out = both.columns(line * 2 * h, 2 * h),
                       .in = in_.pattern((b.lane + line * twins.second()) * h,
                                         {{b.lanes, h}, {2, twins.lines * h}, {h, 1}})});
  join(nc_, {.z = lines, .lines = both, .plane = pass_.points(), .n = twins.n});
}

// A box in parts, of which the levels that lie in HBM are as few as a view has.
template <class Levels>
std::vector<group_box> pass_run::parts_of(const group_box& box, const Levels& hbm_levels) {
  if (int(hbm_levels(box).size()) <= hbm_view::dims_max || box.levels.empty()) return {box};
  std::vector<group_box> parts;
  const std::int64_t slowest = box.levels.front().extent, each = box.count / slowest;
  for (std::int64_t i = 0; i < slowest; ++i) {
    const group_box one{box.first + i * each, each, {box.levels.begin() + 1, box.levels.end()}};
    for (group_box& part : parts_of(one, hbm_levels)) parts.push_back(std::move(part));
  }
  return parts;
}

// Partitions are (plane, point, shared column), the free axis (group, lane); where planes are
// apart, partitions are (point, shared column), the free axis (group, plane, lane) or
// (group, lane, plane).
void pass_run::load_columns(pass_block& b) {
  const fft_stage& s = pass_.stages[0];
  const column_tile& t = column_tile_;
  const bool pairs = t.lane_step > 1;
  const std::int64_t unit = std::max<std::int64_t>(1, unit_ / (2 * side_));
  const auto hbm_levels = [&](const group_box& box) {
    std::vector<pattern_dim> dims;
    if (!s.planes_apart) dims.push_back({2, pass_.in.plane});
    for (const digit_level& l : s.point_levels) dims.push_back({l.extent, l.stride});
    dims.push_back({s.shared.extent, s.shared.stride});
    for (const digit_level& l : box.levels) dims.push_back({l.extent, l.stride});
    if (s.planes_apart && !pairs) dims.push_back({2, pass_.in.plane});
    dims.push_back({b.lanes * t.lane_step, 1});
    return merged(dims);
  };
  for (const group_box& whole : boxes_of(s, unit))
    for (const group_box& box : parts_of(whole, hbm_levels)) {
      std::vector<pattern_dim> tile{{box.count, t.slot}};
      if (s.planes_apart && !pairs) tile.push_back({2, t.plane});
      tile.push_back({b.lanes * t.lane_step, 1});
      nc_.issue(
          dma_copy{.out = b.entry.partition_range(0, int(s.matrix_rows()))
                              .pattern(box.first * t.slot, merged(tile)),
                   .in = in_.pattern(b.in + offset_at(s.groups, box.first), hbm_levels(box))});
    }
}

// The factors of a unit of the last stage.
tile_view pass_run::fetch_factors(std::int64_t index, std::int64_t run, std::size_t unit) {
  const pass_block& b = blocks_[std::size_t(index)];
  const hbm_view& table = tables_.back();
  const std::int64_t lanes = lanes_of_run(b, run), columns = table.extent(3);
  const tile_view tile = factors_.next().partition_range(0, int(lanes)).columns(0, columns);
  nc_.issue(dma_copy{.out = tile,
                     .in = table.slice(0, b.lane / side_ + run, 1)
                               .slice(1, std::int64_t(unit), 1)
                               .slice(2, 0, lanes)});
  return tile;
}

void pass_run::store_rows(const pass_block& b, std::int64_t run, const tile_view& lines) {
  const std::int64_t lanes = lanes_of_run(b, run), some = pass_.out_points;
  if (pass_.parts.length > 0) return store_parts(b, run, lines);
  if (pass_.out_lines > 0) return store_twins(b, run, lines);
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

// The two real lines that are parts of each, or their bins.
void pass_run::store_twins(const pass_block& b, std::int64_t run, const tile_view& lines) {
  const line_twins twins{pass_.out_lines, pass_.out_points};
  const std::int64_t h = twins.bins(), n = twins.n, lanes = lanes_of_run(b, run),
                     first = b.lane + run * side_;
  const tile_view z = lines.partition_range(0, int(lanes));
  tile_view both;
  if (pass_.out_bins) {
    both = twins_.next().partition_range(0, int(lanes)).columns(0, 4 * h);
    separate(nc_, {.z = z, .lines = both, .plane = pass_.points(), .n = n});
  }
  for (int line = 0; line < 2; ++line) {
    // A line that is in two pairs is stored once.
    const std::int64_t count = line == 0 ? std::min(lanes, twins.second() - first) : lanes,
                       at = first + line * twins.second();
    if (count <= 0) continue;
    if (pass_.out_bins)
      nc_.issue(dma_copy{.out = out_.pattern(at * h, {{count, h}, {2, twins.lines * h}, {h, 1}}),
                         .in = both.partition_range(0, int(count)).columns(line * 2 * h, 2 * h)});
    else
      nc_.issue(dma_copy{.out = out_.pattern(at * n, {{count, n}, {n, 1}}),
                         .in = z.partition_range(0, int(count)).columns(line * pass_.points(), n)});
  }
}

void pass_run::store_parts(const pass_block& b, std::int64_t run, const tile_view& lines) {
  const output_parts& p = pass_.parts;
  const std::int64_t lanes = lanes_of_run(b, run), points = pass_.points();
  const auto store = [&](std::int64_t first, std::int64_t parts, std::int64_t length) {
    if (parts == 0 || length == 0) return;
    const std::vector<pattern_dim> to =
        merged({{lanes, p.lane}, {2, p.plane}, {parts, p.stride}, {length, 1}});
    const std::vector<pattern_dim> from = merged({{2, points}, {parts, p.length}, {length, 1}});
    nc_.issue(dma_copy{.out = out_.pattern((b.lane + run * side_) * p.lane + first * p.stride, to),
                       .in = lines.partition_range(0, int(lanes)).pattern(first * p.length, from)});
  };
  store(0, points / p.length, p.length);
  store(points / p.length, points % p.length > 0, points % p.length);
}

void pass_run::store_columns(const pass_block& b, const fft_stage& s, const group_box& box,
                             const tile_view& results) {
  const auto stride = [&](int digit) { return pass_.out.digits[std::size_t(digit)]; };
  digit_layout groups = s.groups;
  for (digit_level& l : groups) l.stride = l.weight * stride(l.digit);
  const bool pairs = pass_.interleaved_output();
  const auto hbm_levels = [&](const group_box& part) {
    std::vector<pattern_dim> dims;
    if (!s.planes_apart) dims.push_back({2, pass_.out.plane});
    for (const int d : s.digits) dims.push_back({pass_.digits[std::size_t(d)].radix, stride(d)});
    if (s.shared.extent > 1)
      dims.push_back({s.shared.extent, s.shared.weight * stride(s.shared.digit)});
    for (const digit_level& l : part.levels) dims.push_back({l.extent, l.weight * stride(l.digit)});
    if (s.planes_apart && !pairs) dims.push_back({2, pass_.out.plane});
    dims.push_back({b.lanes, pass_.out.lane});
    if (pairs) dims.push_back({2, 1});
    return merged(dims);
  };
  const std::int64_t each = (s.planes_apart ? 2 : 1) * b.lanes;
  for (const group_box& part : parts_of(box, hbm_levels))
    nc_.issue(dma_copy{.out = out_.pattern(b.out + offset_at(groups, part.first), hbm_levels(part)),
                       .in = results.columns((part.first - box.first) * each, part.count * each)});
}

}  // namespace papilio::kernels_detail
