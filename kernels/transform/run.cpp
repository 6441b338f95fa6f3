// Issues the stages of a transform.
//   lines     T: pieces of a unit's products are transposed on the tensor engine (elements to
//             partitions) and copied out of PSUM, the vector engine may do some of them; S: they are
//             the stationary operand of products with their matrices moving, so that lines are on
//             partitions again
//   points    what enters with points on partitions is an operand already; what leaves so is moved
//             through stationary matrices, all runs of an item at once
//   order     one skewed loop over items and stages; while a unit is multiplied, the next two are
//             transposed; tiles in pools that are two or three deep
#include "kernels/transform/run.hpp"

#include <utility>

#include "kernels/ceil_div.hpp"
#include "kernels/transform/transform_run.hpp"

namespace papilio::kernels_detail {

using namespace engine;

namespace {

constexpr int matrix_ring = 3;  // of a row at a time
constexpr int aside_ring = 1;

std::int64_t bank_words(const machine_spec& m) { return m.psum.bank_bytes / 4; }

std::int64_t pieces_of(const transform_stage& s) {
  std::int64_t pieces = 0;
  for (const product_unit& u : s.units) pieces += std::ssize(u.pieces);
  return pieces;
}

std::int64_t lane_runs(const run_layout& layout, const machine_spec& m) {
  return std::max<std::int64_t>(1, ceil_div(layout.lanes, m.tensor.rows));
}

std::int64_t widest_unit(const run_layout& layout, bool transform_stage::*flag) {
  std::int64_t widest = 0;
  for (const transform_stage& s : layout.stages)
    for (const product_unit& u : s.units)
      if (s.*flag) widest = std::max(widest, u.products * u.columns);
  return widest;
}

}  // namespace

std::int64_t operand_columns(const run_layout& layout, const machine_spec& m) {
  std::int64_t columns = m.tensor.rows;
  for (const transform_stage& s : layout.stages) {
    const bool leaves =
        !s.overlap.is_none() || (layout.points_leave && &s == &layout.stages.back());
    for (const product_unit& u : s.units)
      columns = std::max(columns, std::ssize(u.pieces) * (leaves ? layout.lanes : m.tensor.rows));
  }
  return columns;
}

std::int64_t staging_columns(const run_layout& layout) {
  return layout.stages.back().factored ? 0 : widest_unit(layout, &transform_stage::scattered);
}

std::int64_t factor_columns(const run_layout& layout) {
  return widest_unit(layout, &transform_stage::factored);
}

transform_run::transform_run(core& nc, const run_layout& layout, transform_ports& ports,
                             std::span<const hbm_view> tables)
    : nc_(nc),
      stages_(layout.stages),
      operands_(layout.operands),
      depths_(layout.depths),
      points_enter_(layout.points_enter),
      points_leave_(layout.points_leave),
      in_place_(layout.in_place),
      ports_(ports),
      tables_(tables.begin(), tables.end()),
      side_(nc.machine().tensor.rows),
      bank_(bank_words(nc.machine())),
      each_(operand_columns(layout, nc.machine())),
      operand_pool_(
          nc.sbuf_pool(depths_.ring, int(side_), operands_.parts * each_, operands_.type)),
      banks_(nc.psum_pool(nc.machine().psum.banks / int(product_banks), int(side_),
                          product_banks * bank_)) {
  const auto pool = [&](std::optional<tile_pool>& of, int depth, std::int64_t columns) {
    if (columns > 0) of = nc.sbuf_pool(depth, int(side_), columns);
  };
  pool(staging_, depths_.ring, staging_columns(layout));
  pool(remainders_, 2, operands_.parts > 2 ? product_banks * bank_ : 0);
  pool(results_, depths_.ring, points_leave_ ? product_banks * bank_ : 0);
  pool(factors_, depths_.ring, factor_columns(layout));
  pool(asides_, aside_ring, factor_columns(layout));
  pool(kept_pool_, 2, stages_[0].renewed > 0 ? pieces_of(stages_[0]) * side_ : 0);
  // Numbers that came in on partitions make way for the first results.
  for (std::size_t s = in_place_ ? 1 : 0; s + 1 < stages_.size(); ++s)
    // Numbers of one part are rounded before their transpose, which then takes one pass.
    middles_.push_back(nc.sbuf_pool(depths_.middle * int(lane_runs(layout, nc.machine())),
                                    int(side_), stages_[s].out_columns,
                                    operands_.parts == 1 ? operands_.type : dtype::fp32));
  matrices_.resize(stages_.size());
  next_matrices_.resize(stages_.size());
  for (std::size_t s = 0; s < stages_.size(); ++s) {
    matrix_pools_.push_back(
        nc.sbuf_pool(stages_[s].varies ? matrix_ring : 1, int(tables_[s].extent(0)),
                     operands_.parts * stages_[s].table_columns, tables_[s].type()));
    if (!stages_[s].varies) matrices_[s] = matrix_pools_[s].next();
  }
}

void transform_run::issue() {
  const std::int64_t count = ports_.items(), stages = std::int64_t(stages_.size()),
                     behind = depths_.middle - 1;
  items_.resize(std::size_t(count));
  // The array waits for the first lines of many items; with few the tables are the longer load.
  if (count > 1) ports_.source(0);
  load_matrix(0);
  ports_.prepare(0);
  for (std::size_t s = 1; s < stages_.size(); ++s) load_matrix(s);
  for (std::int64_t t = 0; t < count + behind * (stages - 1); ++t) {
    if (t < count) {
      // Points on partitions are read by products that may not have been issued.
      if (points_enter_) drain([&](const pending& p) { return p.item < t && p.stage == 0; });
      ports_.prepare(t);
    }
    for (std::int64_t s = 0; s < stages; ++s) {
      const std::int64_t i = t - s * behind;
      if (i >= 0 && i < count) stage(i, std::size_t(s));
      // The array does this until the second item has been loaded, and until the last one has
      // left PSUM.
      if (count > 1 && (t == 0 || t >= count)) drain([](const pending&) { return true; });
    }
  }
  drain([](const pending&) { return true; });
}

void transform_run::push(pending what) {
  queue_.push_back(std::move(what));
  // Units between transposes and products.
  if (std::ssize(queue_) >= depths_.ring) pop();
}

void transform_run::pop() {
  const std::function<void()> back = std::move(queue_.front().back);
  queue_.pop_front();
  back();
}

// In parts, so that the first products need not wait for the last columns.
void transform_run::load_matrix(std::size_t s) {
  if (stages_[s].varies) return;
  const hbm_view& table = tables_[s];
  const std::int64_t columns = table.extent(1),
                     each = std::max<std::int64_t>(ceil_div(columns, 4), bank_);
  for (std::int64_t at = 0; at < columns; at += each) {
    const std::int64_t here = std::min(each, columns - at);
    nc_.issue(dma_copy{.out = matrices_[s].columns(at, here), .in = table.slice(1, at, here)});
  }
}

// Matrices of the item's row, and of the next one's, before they are waited for.
void transform_run::load_row(std::int64_t number, std::size_t s) {
  const auto load = [&](std::int64_t row) {
    const hbm_view& table = tables_[s];
    const std::int64_t each = stages_[s].table_columns, rows = table.extent(0),
                       all = table.extent(1), parts = operands_.parts;
    const tile_view tile = matrix_pools_[s].next();
    nc_.issue(
        dma_copy{.out = tile,
                 .in = table.reshape({rows * all})
                           .pattern(row * each, {{rows, all}, {parts, all / parts}, {each, 1}})});
    return tile;
  };
  const bool is_new = number == 0 || ports_.row(number) != ports_.row(number - 1);
  if (!is_new) return;
  drain([&](const pending& p) { return p.stage == s; });
  matrices_[s] = number == 0 ? load(ports_.row(0)) : std::exchange(next_matrices_[s], {});
  for (std::int64_t next = number + 1; next < ports_.items(); ++next)
    if (ports_.row(next) != ports_.row(number)) {
      next_matrices_[s] = load(ports_.row(next));
      break;
    }
}

void transform_run::stage(std::int64_t number, std::size_t s) {
  item& it = items_[std::size_t(number)];
  // The tiles that the stage reads must have been filled.
  drain([&](const pending& p) { return p.item == number && p.stage < s; });
  if (s == 0) {
    it.lanes = ports_.lanes(number);
    it.sums = ports_.sums(number);
    it.zeros = ports_.zeros(number);
    it.source = ports_.source(number);
  }
  if (stages_[s].varies) load_row(number, s);
  it.tiles.emplace_back();
  if (is_last(s)) return points_leave_ ? issue_units(number, s) : leave_in_runs(number, s);
  // The tile that the stage takes must have been read.
  drain([&](const pending& p) { return p.item <= number - depths_.middle && p.stage == s; });
  for (std::int64_t run = 0; run < runs_of(it); ++run) {
    const bool in_place = s == 0 && in_place_;
    const tile_view tile = in_place ? it.source.tile : middles_[s - in_place_].next();
    it.tiles[s].push_back(
        {tile.partition_range(0, int(lanes_of(it, run))), in_place ? run * side_ : 0});
  }
  if (stages_[s].renewed > 0)
    kept_units(number, s);
  else
    issue_units(number, s);
}

void transform_run::issue_units(std::int64_t number, std::size_t s) {
  item& it = items_[std::size_t(number)];
  const bool to_points = is_last(s) && points_leave_;
  for (const product_unit& u : stages_[s].units)
    for (std::int64_t run = 0; run < (to_points ? 1 : runs_of(it)); ++run) {
      if (!u.is_continued) operand_ = operand_of(it, s, u, run, to_points ? runs_of(it) : 1);
      if (to_points)
        push({number, s, -1,
              [this, number, &u, operand = operand_] { multiply_to_points(number, u, operand); }});
      else
        push({number, s, -1, [this, &it, s, &u, run, operand = operand_] {
                multiply(it, s, u, operand, run, it.tiles[s][std::size_t(run)], {});
              }});
    }
}

// The last stage, whose lines leave run by run; or all at once, where they are added up.
void transform_run::leave_in_runs(std::int64_t number, std::size_t s) {
  item& it = items_[std::size_t(number)];
  const std::vector<product_unit>& units = stages_[s].units;
  for (std::int64_t run = 0; run < (adds_up(s) ? 1 : runs_of(it)); ++run) {
    const tile_place to = start_leaving(number, run);
    std::int64_t first_result = 0;
    for (const product_unit& u : units) {
      tile_view factors = {};
      if (adds_up(s)) factors = ports_.weights(number);
      if (stages_[s].factored) factors = fetch_factors(number, run, first_result, u);
      first_result += u.products * u.columns;
      if (!u.is_continued) operand_ = operand_of(it, s, u, run, adds_up(s) ? runs_of(it) : 1);
      push({number, s, leaving_, [=, this, &it, &u, &units, operand = operand_] {
              multiply(it, s, u, operand, run, to, factors);
              if (&u == &units.back()) ports_.finish(number, run);
            }});
    }
  }
}

// The tile that results of a run take must have left.
tile_place transform_run::start_leaving(std::int64_t number, std::int64_t run) {
  ++leaving_;
  drain([&](const pending& p) { return p.leaving >= 0 && p.leaving <= leaving_ - depths_.exit; });
  tile_place to = ports_.target(number, run);
  const item& it = items_[std::size_t(number)];
  to.tile = to.tile.partition_range(0, int(it.sums > 0 ? it.sums : lanes_of(it, run)));
  return to;
}

tile_view transform_run::fetch_factors(std::int64_t number, std::int64_t run, std::int64_t first,
                                       const product_unit& u) {
  const std::int64_t lanes = lanes_of(items_[std::size_t(number)], run),
                     results = u.products * u.columns;
  const tile_view factors = factors_->next().partition_range(0, int(lanes)).columns(0, results);
  nc_.issue(dma_copy{.out = factors,
                     .in = tables_.back()
                               .slice(0, ports_.first_lane(number) + run * side_, lanes)
                               .slice(1, first, results)});
  return factors;
}

// Units whose operands stay from item to item. Those of the next item come in before other stages
// begin, which hide their way out of PSUM.
void transform_run::kept_units(std::int64_t number, std::size_t s) {
  item& it = items_[std::size_t(number)];
  const transform_stage& stage = stages_[s];
  const std::int64_t position = it.source.position,
                     turned = position % stage.turns * (stage.table_columns / stage.turns);
  if (position == 0) kept_ = kept_pool_->next();
  unit_operand kept{.tile = kept_,
                    .first = 0,
                    .width = it.lanes,
                    .part_columns = kept_.elements(),
                    .matrix = matrices_[s],
                    .matrix_shift = turned};
  for (const product_unit& u : stage.units) {
    if (position == 0) transpose_pieces(it, s, u, kept, 0, 1);
    push({number, s, -1,
          [this, &it, s, &u, kept] { multiply(it, s, u, kept, 0, it.tiles[s][0], {}); }});
    kept.first += std::ssize(u.pieces);
  }
  if (number + 1 == ports_.items()) return;
  const tile_place next = ports_.source(number + 1);
  if (next.position == 0) return;
  drain([&](const pending& p) { return p.stage == s; });
  renew(next, stage, it.lanes);
}

std::span<const run_depths> depths_tried() {
  static constexpr run_depths all[] = {{4, 2, 4}, {3, 2, 3}, {2, 2, 3}, {2, 2, 2},
                                       {2, 1, 2}, {1, 1, 2}, {1, 1, 1}, {1, 1, 1, 1}};
  return all;
}

std::int64_t run_words(const run_layout& layout, const machine_spec& machine) {
  const run_depths& depths = layout.depths;
  const array_operands& operands = layout.operands;
  const std::int64_t unit = product_banks * bank_words(machine), side = machine.tensor.rows,
                     runs = lane_runs(layout, machine);
  std::int64_t words = depths.ring * operands.words(operand_columns(layout, machine)) +
                       depths.ring * (staging_columns(layout) + factor_columns(layout)) +
                       aside_ring * factor_columns(layout) + (operands.parts > 2 ? 2 * unit : 0) +
                       (layout.points_leave ? depths.ring * unit : 0);
  const std::span<const transform_stage> stages = layout.stages;
  if (stages[0].renewed > 0) words += 2 * pieces_of(stages[0]) * side;
  for (std::size_t s = 0; s < stages.size(); ++s) {
    words += (stages[s].varies ? matrix_ring : 1) * operands.words(stages[s].table_columns);
    if (s + 1 < stages.size() && (s > 0 || !layout.in_place))
      words += depths.middle * runs * stages[s].out_columns;
  }
  return words;
}

void run_stages(core& nc, const run_layout& layout, transform_ports& ports,
                std::span<const hbm_view> tables) {
  transform_run(nc, layout, ports, tables).issue();
}

}  // namespace papilio::kernels_detail
