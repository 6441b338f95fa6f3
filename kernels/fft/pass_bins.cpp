// A pass between bins of real lines and their rows k <= r/2, which are its lanes.
//   layout     of bins: partitions as of fft_stage::folded, the free axis (group, lane)
//   loading    lanes of the second half come from right to left within pairs of runs, in the order
//              of HBM, and are turned round as they are multiplied: results, which take the places
//              of what they were made of, wait for the products of both
//   storing    lanes of the second half are turned round as they leave PSUM
//   ends       imaginary parts of bins 0 and r points / 2 are not looked at
//   bins       of the second half, lane 0 repeats bins of the first half, and so does lane r/2 of
//              an even r: they are read, and not written, but for bin r points / 2
#include <algorithm>

#include "kernels/fft/run_pass.hpp"
#include "kernels/fft/units.hpp"
#include "papilio/engine/lowering.hpp"

namespace papilio::kernels_detail {

using namespace engine;

namespace {

// Points [first, end) of `groups` groups from `group` on, in the first half or in the second one.
struct bin_points {
  std::int64_t group, groups, first, end;
  bool later;
};

// Calls visit for the two halves of groups that are alike.
template <class Visit>
void for_halves(const folded_numbers& number, const group_box& box, const Visit& visit) {
  for (std::int64_t g = box.first, next = g; g < box.first + box.count; g = next) {
    const std::int64_t half = number.first_half(g);
    while (next < box.first + box.count && number.first_half(next) == half) ++next;
    if (half > 0) visit(bin_points{g, next - g, 0, half, false});
    if (half < number.radix) visit(bin_points{g, next - g, half, number.radix, true});
  }
}

// Levels of a line's planes of bins.
struct bin_lines {
  folded_numbers number;
  std::int64_t rows, offset, plane;

  // Of points (point, plane, group, lane) or (point, group, lane), from `lane` on, or up to it.
  hbm_view of(const hbm_view& tensor, const bin_points& p, std::int64_t lane, std::int64_t lanes,
              int planes) const {
    const std::int64_t at = p.first * number.point + p.group * number.group,
                       step = p.later ? -rows : rows,
                       bin = p.later ? rows * (number.all - at) - (lane + lanes - 1)
                                     : rows * at + lane;
    return tensor.pattern(offset + bin, merged({{p.end - p.first, step * number.point},
                                                {planes, plane},
                                                {p.groups, step * number.group},
                                                {lanes, 1}}));
  }
};

}  // namespace

// Of a run and the other one of its pair.
std::int64_t pass_run::lanes_of_pair(const pass_block& b, std::int64_t run) const {
  return std::min(2 * side_, b.lanes - run / 2 * 2 * side_);
}

void pass_run::load_bins(pass_block& b) {
  const fft_stage& s = pass_.stages[0];
  const std::int64_t slot = column_tile_.slot,
                     unit = std::max<std::int64_t>(1, unit_ / (2 * side_));
  const bin_lines line{folded_numbers(pass_.digits, s), pass_.spectrum_rows, b.in - b.lane,
                       pass_.in.plane};
  const auto load = [&](const bin_points& p, std::int64_t from, std::int64_t lanes) {
    nc_.issue(dma_copy{
        .out = b.entry.partition_range(p.later ? int(s.second) : 0, int(2 * (p.end - p.first)))
                   .pattern(p.group * slot + from, {{p.groups, slot}, {lanes, 1}}),
        .in = line.of(in_, p, b.lane + from, lanes, 2)});
  };
  for (const group_box& box : boxes_of(s, unit))
    for_halves(line.number, box, [&](const bin_points& p) {
      if (!p.later) return load(p, 0, b.lanes);
      for (std::int64_t run = 0; run < runs_of(b); run += 2)
        load(p, run * side_, lanes_of_pair(b, run));
    });
  clear_ends(b);
}

// Of lane 0, the imaginary parts of point 0 and of the middle one.
void pass_run::clear_ends(const pass_block& b) {
  if (b.lane > 0) return;
  const fft_stage& s = pass_.stages[0];
  const folded_numbers number(pass_.digits, s);
  const auto clear = [&](std::int64_t group, std::int64_t from, std::int64_t points,
                         std::int64_t lane) {
    const tile_view column = b.entry.partition_range(int(from), int(2 * points))
                                 .columns(group * column_tile_.slot + lane, 1);
    nc_.issue(affine_select{.out = column,
                            .in = column,
                            .pattern = {.base = -1, .partition_step = 1},
                            .compare = alu_op::not_equal});
  };
  clear(0, 0, number.first_half(0), 0);
  for (std::int64_t g = 0; g < s.group_count(); ++g)
    if (number.begins_in_middle(g))
      clear(g, s.second, s.points - number.first_half(g), lanes_of_pair(b, 0) - 1);
}

void pass_run::store_bins(const pass_block& b, const fft_stage& s, const group_box& box,
                          const tile_view& results) {
  const bin_lines line{folded_numbers(pass_.digits, s), pass_.spectrum_rows, b.out - b.lane,
                       pass_.out.plane};
  // Lanes [skipped, skipped + lanes) of the tile. Each plane by itself: what stores touch is then
  // told apart.
  const auto store = [&](const bin_points& p, std::int64_t lane, std::int64_t skipped,
                         std::int64_t lanes) {
    if (lanes == 0) return;
    for (int plane = 0; plane < 2; ++plane)
      nc_.issue(dma_copy{
          .out = line.of(out_.slice(0, plane * line.plane, out_.extent(0) - plane * line.plane), p,
                         lane, lanes, 1),
          .in = results
                    .partition_range(int((p.later ? s.second : 0) + plane * s.second / 2),
                                     int(p.end - p.first))
                    .pattern((p.group - box.first) * b.lanes + skipped,
                             {{p.groups, b.lanes}, {lanes, 1}})});
  };
  const std::int64_t first = b.lane == 0 ? 1 : 0, end = b.lane + b.lanes,
                     last = 2 * (end - 1) == pass_.spectrum_rows ? 1 : 0;
  for_halves(line.number, box, [&](const bin_points& p) {
    if (!p.later) return store(p, b.lane, 0, b.lanes);
    store(p, b.lane + first, last, b.lanes - first - last);
    for (std::int64_t g = p.group; first > 0 && g < p.group + p.groups; ++g)
      if (line.number.begins_in_middle(g))
        store({g, 1, p.first, p.first + 1, true}, 0, b.lanes - 1, 1);
  });
}

void pass_run::unit_from_bins(std::int64_t index, const group_box& box, std::int64_t first_run) {
  pass_block& b = blocks_[std::size_t(index)];
  const fft_stage& s = pass_.stages[0];
  require_matrices(b, 0, box);
  push(index, 0, [=, this, &b, &s] {
    const tile_view banks = banks_.next();
    const std::int64_t end = std::min(first_run + 2, runs_of(b));
    const auto sums = [&](std::int64_t run) {
      return banks.partition_range(0, int(lanes_of_run(b, run)))
          .columns((run - first_run) * bank_, bank_);
    };
    for (std::int64_t run = first_run; run < end; ++run)
      for (std::int64_t i = 0; i < box.count; ++i)
        products_from_bins(sums(run).columns(i * s.reals(), s.reals()), b, s, box.first + i, run);
    for (std::int64_t run = first_run; run < end; ++run) deliver(b, 0, box, run, sums(run), {}, {});
  });
}

// Lanes of a run by rows, of both halves.
void pass_run::products_from_bins(const tile_view& sums, const pass_block& b, const fft_stage& s,
                                  std::int64_t group, std::int64_t run) {
  const std::int64_t first = folded_numbers(pass_.digits, s).first_half(group),
                     lanes = lanes_of_run(b, run), at = group * column_tile_.slot + run * side_,
                     opposite = at + lanes_of_pair(b, run) - 1 - 2 * (run % 2) * side_;
  const tile_view all = matrix(s, 0, variant_of(b, s, group), 0, 0);
  bool begun = false;
  for (int half = 0; half < 2; ++half) {
    const int from = int(half * s.second), rows = int(2 * (half == 0 ? first : s.points - first));
    if (rows == 0) continue;
    const tile_view points = b.entry.partition_range(from, rows);
    nc_.issue(matmul{.out = sums,
                     .stationary = half == 0 ? points.columns(at, lanes)
                                             : points.pattern(opposite, {{lanes, -1}}),
                     .moving = all.partition_range(from, rows),
                     .accumulate = begun});
    begun = true;
  }
}

// Each half in its order of lanes.
void pass_run::evacuate_bins(const tile_view& to, const tile_view& bank, const fft_stage& s,
                             std::int64_t lanes, std::int64_t groups) {
  const int half = int(s.second);
  evacuate(nc_, to.partition_range(0, half), bank.partition_range(0, half));
  evacuate(nc_, to.partition_range(half, half),
           bank.partition_range(half, half).pattern(lanes - 1, {{groups, lanes}, {lanes, -1}}));
}

}  // namespace papilio::kernels_detail
