// Units of a pass: transposes, copies into operands, products.
#include "kernels/fft/run_pass.hpp"

#include <algorithm>

#include "kernels/fft/units.hpp"
#include "kernels/transposer.hpp"
#include "papilio/engine/lowering.hpp"

namespace papilio::kernels_detail {

using namespace engine;

std::int64_t pass_run::bank_place(std::int64_t index, std::int64_t width) const {
  const std::int64_t each = bank_ / width;
  return index / each * bank_ + index % each * width;
}

std::int64_t pass_run::variant_of(const pass_block& b, const fft_stage& s,
                                  std::int64_t group) const {
  if (s.variants.size() == 1) return 0;
  return s.variants.at(twiddles_of(pass_.digits, s, group, b.sums));
}

void pass_run::require_matrices(const pass_block& b, std::size_t stage, const group_box& box) {
  if (pass_.streamed > 0) return;
  const fft_stage& s = pass_.stages[stage];
  if (loaded_[stage] == std::int64_t(s.variants.size())) return;
  for (std::int64_t i = 0; i < box.count; ++i)
    require_matrices(stage, variant_of(b, s, box.first + i));
}

tile_view pass_run::matrix(const fft_stage& s, std::size_t stage, std::int64_t variant, int piece,
                           int part) const {
  const std::int64_t each = s.matrix_columns(), all = std::int64_t(s.variants.size()) * each,
                     width = s.planes_apart ? s.reals() : each;
  if (pass_.streamed > 0)
    return std::ranges::find(streamed_, variant / pass_.streamed, &stream::number)
        ->tile.columns((part * pass_.streamed + variant % pass_.streamed) * each + piece * width,
                       width);
  return matrices_[stage].whole().columns(part * all + variant * each + piece * width, width);
}

tile_view pass_run::entered(const pass_block& b, const fft_stage& s, std::int64_t group,
                            std::int64_t piece, std::int64_t lane, std::int64_t lanes) const {
  const column_tile& t = column_tile_;
  return b.entry.partition_range(0, int(s.matrix_rows()))
      .pattern(group * t.slot + piece * t.plane + lane * t.lane_step, {{lanes, t.lane_step}});
}

tile_view pass_run::operand(const unit_operands& u, std::int64_t part, std::int64_t at,
                            std::int64_t rows, std::int64_t lanes) const {
  return u.tile.partition_range(0, int(rows)).columns(part * u.part_columns + at, lanes);
}

void pass_run::fill_parts(const unit_operands& to, const tile_view& from, std::int64_t at,
                          std::int64_t columns) {
  const int rows = from.partitions();
  kernels_detail::fill_parts(
      nc_, from, pass_.operands.parts,
      [&](int part) { return operand(to, part, at, rows, columns); },
      [&] { return remainders_.next().partition_range(0, rows).columns(0, columns); });
}

pass_run::unit_operands pass_run::transposed(const pass_block& b, std::size_t stage,
                                             const group_box& box, std::int64_t first_run,
                                             std::int64_t runs) {
  const fft_stage& s = pass_.stages[stage];
  const bool columns = pass_.entry == orientation::columns;
  const tile_view& from = columns || stage == 0 ? b.entry : b.middle;
  unit_operands u{.tile = operands_.next(),
                  .width = runs > 1 ? b.lanes : lanes_of_run(b, first_run),
                  .pieces = s.planes_apart ? 2 : 1,
                  .part_columns = unit_};
  const tile_view bank = banks_.next();
  const int rows = int(s.matrix_rows());
  const std::vector<pattern_dim> dims = s.transposed_levels();
  // The next stage waits for the last unit, unless another block takes its turn.
  const bool waited_for = !pass_.interleaved && box.first + box.count == s.group_count();
  const std::int64_t all = box.count * u.pieces,
                     by_vector = waited_for ? 0 : turns_.share(s.vector_turn, all);
  for (std::int64_t i = 0; i < all; ++i)
    for (std::int64_t run = first_run; run < first_run + runs; ++run) {
      const std::int64_t lanes = lanes_of_run(b, run), at = (run - first_run) * side_;
      const std::int64_t offset = offset_at(s.groups, box.first + i / u.pieces) +
                                  i % u.pieces * s.plane_stride +
                                  (columns ? run * column_tile_.run : 0);
      const tile_view in = from.partition_range(0, int(lanes)).pattern(offset, dims);
      if (i < by_vector)
        transpose_in_blocks(nc_, operand(u, 0, i * u.width + at, rows, lanes), in);
      else
        nc_.issue(transpose{
            .out = bank.partition_range(0, rows).columns(bank_place(i, u.width) + at, lanes),
            .in = in});
    }
  const std::int64_t each = bank_ / u.width;
  for (std::int64_t i = by_vector, count = 0; i < all; i += count) {
    count = bank_ % u.width ? std::min(each - i % each, all - i) : all - i;
    fill_parts(u, bank.partition_range(0, rows).columns(bank_place(i, u.width), count * u.width),
               i * u.width, count * u.width);
  }
  return u;
}

// Operands that came in by columns, in the type of the products.
pass_run::unit_operands pass_run::gathered(const pass_block& b, const fft_stage& s,
                                           const group_box& box, std::int64_t lane,
                                           std::int64_t lanes) {
  unit_operands u{.tile = operands_.next(),
                  .width = lanes,
                  .pieces = s.planes_apart ? 2 : 1,
                  .part_columns = unit_};
  // All groups at once: they lie evenly.
  const column_tile& t = column_tile_;
  fill_parts(u,
             b.entry.partition_range(0, int(s.matrix_rows()))
                 .pattern(box.first * t.slot + lane * t.lane_step,
                          merged({{box.count, t.slot}, {u.pieces, t.plane}, {lanes, t.lane_step}})),
             0, box.count * u.pieces * lanes);
  return u;
}

// Sums of products of data and matrix, over planes that are apart and parts whose product counts.
void pass_run::products(const tile_view& sums, const fft_stage& s, std::size_t stage,
                        std::int64_t variant, const std::function<tile_view(int, int)>& data,
                        int out_plane) {
  const int pieces = s.planes_apart ? 2 : 1;
  bool begun = false;
  for_part_products(pass_.operands.parts, [&](int part, int other) {
    for (int piece = 0; piece < pieces; ++piece) {
      const tile_view m = matrix(s, stage, variant, piece, other);
      const tile_view d = data(piece, part);
      if (out_plane < 0) {
        nc_.issue(matmul{.out = sums, .stationary = d, .moving = m, .accumulate = begun});
      } else {
        const std::int64_t rows = s.result_rows();
        nc_.issue(matmul{.out = sums,
                         .stationary = m.columns(out_plane * rows, rows),
                         .moving = d,
                         .accumulate = begun});
      }
      begun = true;
    }
  });
}

void pass_run::unit_by_rows(std::int64_t index, std::size_t stage, const group_box& box,
                            std::int64_t run) {
  pass_block& b = blocks_[std::size_t(index)];
  const fft_stage& s = pass_.stages[stage];
  const std::int64_t lanes = lanes_of_run(b, run);
  const bool direct = stage == 0 && pass_.entry == orientation::columns;
  const bool plain = pass_.operands.type == dtype::fp32;
  require_matrices(b, stage, box);
  unit_operands u;
  if (!direct)
    u = transposed(b, stage, box, run, 1);
  else if (!plain)
    u = gathered(b, s, box, run * side_, lanes);
  push(index, std::int64_t(stage), [=, this, &b, &s, exit = exit_tile_, factors = factors_tile_] {
    const tile_view bank = banks_.next().partition_range(0, int(lanes));
    for (std::int64_t i = 0; i < box.count; ++i)
      if (s.folded == folded_end::input)
        products_from_bins(bank.columns(bank_place(i, s.reals()), s.reals()), b, s, box.first + i,
                           run);
      else
        products(
            bank.columns(bank_place(i, s.reals()), s.reals()), s, stage,
            variant_of(b, s, box.first + i),
            [&](int piece, int part) {
              return direct && plain ? entered(b, s, box.first + i, piece, run * side_, lanes)
                                     : operand(u, part, (i * u.pieces + piece) * u.width,
                                               s.matrix_rows(), lanes);
            },
            -1);
    deliver(b, stage, box, run, bank, exit, factors);
  });
}

void pass_run::unit_to_columns(std::int64_t index, std::size_t stage, const group_box& box) {
  pass_block& b = blocks_[std::size_t(index)];
  const fft_stage& s = pass_.stages[stage];
  const bool direct = stage == 0 && pass_.entry == orientation::columns;
  const bool plain = pass_.operands.type == dtype::fp32;
  require_matrices(b, stage, box);
  unit_operands u;
  if (!direct)
    u = transposed(b, stage, box, 0, runs_of(b));
  else if (!plain)
    u = gathered(b, s, box, 0, b.lanes);
  push(index, std::int64_t(stage), [=, this, &b, &s] {
    const bool folded = s.folded == folded_end::output;
    const int planes = s.planes_apart ? 2 : 1, rows = int(s.result_rows());
    const tile_view bank = banks_.next().partition_range(0, rows);
    const tile_view result = exits_.next().partition_range(0, rows);
    for (std::int64_t i = 0; i < box.count; ++i)
      for (int plane = 0; plane < planes; ++plane)
        products(
            bank.columns(bank_place(i * planes + plane, b.lanes), b.lanes), s, stage,
            variant_of(b, s, box.first + i),
            [&](int piece, int part) {
              return direct && plain ? entered(b, s, box.first + i, piece, 0, b.lanes)
                                     : operand(u, part, (i * u.pieces + piece) * u.width,
                                               s.matrix_rows(), b.lanes);
            },
            plane);
    const std::int64_t all = box.count * planes, fit = bank_ % b.lanes ? bank_ / b.lanes : all;
    const bool pairs = pass_.interleaved_output();
    // Both planes of a group together where they become neighbours, or one.
    const std::int64_t together = !pairs ? fit : fit % 2 == 0 ? fit : 1;
    for (std::int64_t i = 0; i < all; i += together) {
      const std::int64_t count = std::min(together, all - i);
      const tile_view to =
          !pairs ? result.columns(i * b.lanes, count * b.lanes)
          : count == 1
              ? result.pattern(i / 2 * 2 * b.lanes + i % 2, {{b.lanes, 2}})
              : result.pattern(i * b.lanes, {{count / 2, 2 * b.lanes}, {2, 1}, {b.lanes, 2}});
      const tile_view sums = bank.columns(bank_place(i, b.lanes), count * b.lanes);
      folded ? evacuate_bins(to, sums, s, b.lanes, count) : evacuate(nc_, to, sums);
    }
    const tile_view results = result.columns(0, all * b.lanes);
    folded ? store_bins(b, s, box, results) : store_columns(b, s, box, results);
  });
}

// Lines of a run of lanes begin to leave by rows.
void pass_run::start_leaving(std::int64_t index, std::int64_t run) {
  const std::int64_t runs = (pass_.lane_tile + side_ - 1) / side_;
  leaving_ = index * runs + run;
  drain(
      [&](const pending& p) { return p.leaving >= 0 && p.leaving <= leaving_ - pass_.exit_depth; });
  exit_tile_ = exits_.next();
}

// The last box in halves, the last half in halves: the next stage waits for less to leave PSUM.
std::vector<group_box> pass_run::tapered(const fft_stage& s, std::vector<group_box> boxes) const {
  if (!pass_.shares_transposes || pass_.interleaved) return boxes;
  for (int times = 0; times < 2 && boxes.back().count > 1; ++times) {
    const std::int64_t first = boxes.back().first;
    const std::vector<group_box> halves = boxes_of(s, boxes.back().count / 2);
    const auto at = std::ranges::find(halves, first, &group_box::first);
    if (at == halves.end()) break;
    boxes.pop_back();
    boxes.insert(boxes.end(), at, halves.end());
  }
  return boxes;
}

void pass_run::segment(std::int64_t index, std::size_t stage) {
  pass_block& b = blocks_[std::size_t(index)];
  const fft_stage& s = pass_.stages[stage];
  const bool last = stage + 1 == pass_.stages.size();
  // A stage reads what all units of the stage before have written.
  drain([&](const pending& p) { return p.block == index && p.stage < std::int64_t(stage); });
  if (stage == 0 && !last && pass_.entry == orientation::rows) {
    // All but the last stage write the tile; what the last reads of it has been transposed.
    drain([&](const pending& p) {
      return p.block <= index - pass_.middle_depth &&
             p.stage + 1 < std::int64_t(pass_.stages.size());
    });
    b.middle = middles_.next();
  }
  if (last && pass_.exit == orientation::columns) {
    for (const group_box& box : boxes_of(s, groups_of_unit(pass_, s, b.lanes, true)))
      unit_to_columns(index, stage, box);
    return;
  }
  const auto all = last ? exit_boxes(pass_)
                        : boxes_of(s, groups_of_unit(pass_, s, std::min(side_, b.lanes), false));
  if (!last && s.folded == folded_end::input) {
    for (const group_box& box : boxes_of(s, std::max<std::int64_t>(1, bank_ / s.reals())))
      for (std::int64_t run = 0; run < runs_of(b); run += 2) unit_from_bins(index, box, run);
    return;
  }
  if (!last) {
    for (const group_box& box : tapered(s, all))
      for (std::int64_t run = 0; run < runs_of(b); ++run) unit_by_rows(index, stage, box, run);
    return;
  }
  for (std::int64_t run = 0; run < runs_of(b); ++run) {
    start_leaving(index, run);
    for (std::size_t u = 0; u < all.size(); ++u) {
      factors_tile_ = pass_.twiddle_order > 0 ? fetch_factors(index, run, u) : tile_view{};
      unit_by_rows(index, stage, all[u], run);
    }
    // The last unit's second half stores the lines.
    queue_.back().back = [this, &b, run, lines = exit_tile_, unit = std::move(queue_.back().back)] {
      unit();
      store_rows(b, run, lines);
    };
    leaving_ = -1;
  }
}

}  // namespace papilio::kernels_detail
