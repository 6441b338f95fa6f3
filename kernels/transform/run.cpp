// Issues the stages of a transform on the tensor engine.
//   lines     with lines on partitions, the tensor engine (for some, the vector engine) transposes
//             the pieces of a unit, so that elements are on partitions, and they are copied out of
//             PSUM; these are the stationary operand, the matrix moves, and lines are on partitions
//             again
//   points    data loaded with points on partitions are operands already; results that are stored
//             so are the data moving through stationary matrices, all runs of an item at once
//   order     one loop over items, with stage s behind stage s - 1; while a unit is multiplied, the
//             next two are transposed; pools of tiles are two or three deep
//   bound     the tensor engine for batches of two stages or more, with the engines that empty PSUM
//             close behind; DMA for a single stage
#include "kernels/transform/run.hpp"

#include <utility>

#include "kernels/ceil_div.hpp"
#include "kernels/transform/transform_run.hpp"

namespace papilio::kernels_detail {

using namespace engine;

namespace {

constexpr int matrix_depth = 3;  // buffers for the matrices of a row, where they depend on it
constexpr int aside_depth = 1;

std::int64_t bank_words(const machine_spec& m) { return m.psum.bank_bytes / 4; }

std::int64_t pieces_of(const transform_stage& s) {
  std::int64_t pieces = 0;
  for (const product_unit& u : s.units) pieces += std::ssize(u.pieces);
  return pieces;
}

std::int64_t batch_runs(const run_layout& layout, const machine_spec& m) {
  return std::max<std::int64_t>(1, ceil_div(layout.batch, m.tensor.rows));
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
        !s.overlap.is_none() || (layout.stores_points && &s == &layout.stages.back());
    for (const product_unit& u : s.units)
      columns = std::max(columns, std::ssize(u.pieces) * (leaves ? layout.batch : m.tensor.rows));
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
      kept_type_(kept_type(layout.operands, nc.machine())),
      depths_(layout.depths),
      loads_points_(layout.loads_points),
      stores_points_(layout.stores_points),
      in_place_(layout.in_place),
      ports_(ports),
      tables_(tables.begin(), tables.end()),
      array_rows_(nc.machine().tensor.rows),
      bank_(bank_words(nc.machine())),
      each_(operand_columns(layout, nc.machine())),
      operand_pool_(
          nc.sbuf_pool(depths_.unit, int(array_rows_), operands_.parts * each_, operands_.type)),
      banks_(nc.psum_pool(nc.machine().psum.banks / int(product_banks), int(array_rows_),
                          product_banks * bank_)) {
  const auto pool = [&](std::optional<tile_pool>& of, int depth, std::int64_t columns) {
    if (columns > 0) of = nc.sbuf_pool(depth, int(array_rows_), columns);
  };
  pool(staging_, depths_.unit, staging_columns(layout));
  pool(remainders_, 2, operands_.parts > 2 ? product_banks * bank_ : 0);
  pool(results_, depths_.unit, stores_points_ ? product_banks * bank_ : 0);
  pool(factors_, depths_.unit, factor_columns(layout));
  pool(asides_, aside_depth, factor_columns(layout));
  pool(kept_pool_, 2, stages_[0].renewed > 0 ? pieces_of(stages_[0]) * array_rows_ : 0);
  // In place, the first stage's results need no tiles of their own.
  for (std::size_t s = in_place_ ? 1 : 0; s + 1 < stages_.size(); ++s)
    // Numbers of one part are rounded before their transpose, which then takes one pass.
    middles_.push_back(nc.sbuf_pool(depths_.middle * int(batch_runs(layout, nc.machine())),
                                    int(array_rows_), stages_[s].out_columns,
                                    operands_.parts == 1 ? operands_.type : dtype::fp32));
  matrices_.resize(stages_.size());
  next_matrices_.resize(stages_.size());
  for (std::size_t s = 0; s < stages_.size(); ++s) {
    matrix_pools_.push_back(
        nc.sbuf_pool(stages_[s].varies ? matrix_depth : 1, int(tables_[s].extent(0)),
                     operands_.parts * stages_[s].table_columns, tables_[s].type()));
    if (!stages_[s].varies) matrices_[s] = matrix_pools_[s].next();
  }
}

void transform_run::issue() {
  const std::int64_t count = ports_.items(), stages = std::int64_t(stages_.size()),
                     behind = depths_.middle - 1;
  items_.resize(std::size_t(count));
  // With many items the first lines are loaded first, since the tensor engine waits for them; with
  // one item the tables are the longer load.
  if (count > 1) ports_.source(0);
  load_matrix(0);
  ports_.prepare(0);
  for (std::size_t s = 1; s < stages_.size(); ++s) load_matrix(s);
  for (std::int64_t t = 0; t < count + behind * (stages - 1); ++t) {
    if (t < count) {
      // A buffer is loaded again only after all products that read its points have been issued.
      if (loads_points_) drain([&](const pending& p) { return p.item < t && p.stage == 0; });
      ports_.prepare(t);
    }
    for (std::int64_t s = 0; s < stages; ++s) {
      const std::int64_t i = t - s * behind;
      if (i >= 0 && i < count) stage(i, std::size_t(s));
      // At both ends of the loop nothing else hides the way of results out of PSUM: products follow
      // their transposes at once.
      if (count > 1 && (t == 0 || t >= count)) drain([](const pending&) { return true; });
    }
  }
  drain([](const pending&) { return true; });
}

void transform_run::push(pending what) {
  queue_.push_back(std::move(what));
  // A unit's products follow its transposes by depths_.unit - 1 units.
  if (std::ssize(queue_) >= depths_.unit) pop();
}

void transform_run::pop() {
  const std::function<void()> back = std::move(queue_.front().back);
  queue_.pop_front();
  back();
}

// Loads a matrix in parts, so that the first products need not wait for the last columns.
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

// Makes the matrices of the item's row current, and prefetches those of the next row.
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
  // All products that fill the tiles that this stage reads are issued first.
  drain([&](const pending& p) { return p.item == number && p.stage < s; });
  if (s == 0) {
    it.batch = ports_.batch(number);
    it.sums = ports_.sums(number);
    it.zeros = ports_.zeros(number);
    it.source = ports_.source(number);
  }
  if (stages_[s].varies) load_row(number, s);
  it.tiles.emplace_back();
  if (is_last(s)) return stores_points_ ? issue_units(number, s) : leave_in_runs(number, s);
  // All products that read the tile that this stage overwrites are issued first.
  drain([&](const pending& p) { return p.item <= number - depths_.middle && p.stage == s; });
  for (std::int64_t run = 0; run < runs_of(it); ++run) {
    const bool in_place = s == 0 && in_place_;
    const tile_view tile = in_place ? it.source.tile : middles_[s - in_place_].next();
    it.tiles[s].push_back(
        {tile.partition_range(0, int(batch_of(it, run))), in_place ? run * array_rows_ : 0});
  }
  if (stages_[s].renewed > 0)
    kept_units(number, s);
  else
    issue_units(number, s);
}

void transform_run::issue_units(std::int64_t number, std::size_t s) {
  item& it = items_[std::size_t(number)];
  const bool to_points = is_last(s) && stores_points_;
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

// Issues the last stage, whose lines are stored run by run, or all at once where they are added up.
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

// Takes the next tile for results, after the last products into the tile that it replaces.
tile_place transform_run::start_leaving(std::int64_t number, std::int64_t run) {
  ++leaving_;
  drain([&](const pending& p) { return p.leaving >= 0 && p.leaving <= leaving_ - depths_.exit; });
  tile_place to = ports_.target(number, run);
  const item& it = items_[std::size_t(number)];
  to.tile = to.tile.partition_range(0, int(it.sums > 0 ? it.sums : batch_of(it, run)));
  return to;
}

tile_view transform_run::fetch_factors(std::int64_t number, std::int64_t run, std::int64_t first,
                                       const product_unit& u) {
  const std::int64_t batch = batch_of(items_[std::size_t(number)], run),
                     results = u.products * u.columns;
  const tile_view factors = factors_->next().partition_range(0, int(batch)).columns(0, results);
  nc_.issue(dma_copy{.out = factors,
                     .in = tables_.back()
                               .slice(0, ports_.first_line(number) + run * array_rows_, batch)
                               .slice(1, first, results)});
  return factors;
}

// Issues a first stage whose operands are kept from item to item, since their lines overlap. New
// points of the next item are transposed before other stages begin, which hide the latency.
void transform_run::kept_units(std::int64_t number, std::size_t s) {
  item& it = items_[std::size_t(number)];
  const transform_stage& stage = stages_[s];
  const std::int64_t position = it.source.position,
                     rotated = position % stage.rotations * (stage.table_columns / stage.rotations);
  if (position == 0) kept_ = kept_pool_->next();
  unit_operand kept{.tile = kept_,
                    .first = 0,
                    .width = it.batch,
                    .part_columns = kept_.elements(),
                    .matrix = matrices_[s],
                    .matrix_shift = rotated};
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
  renew(next, stage, it.batch);
}

std::span<const run_depths> depths_tried() {
  static constexpr run_depths all[] = {{4, 2, 4}, {3, 2, 3}, {2, 2, 3}, {2, 2, 2},
                                       {2, 1, 2}, {1, 1, 2}, {1, 1, 1}, {1, 1, 1, 1}};
  return all;
}

std::int64_t run_words(const run_layout& layout, const machine_spec& machine) {
  const run_depths& depths = layout.depths;
  const array_operands& operands = layout.operands;
  const std::int64_t unit = product_banks * bank_words(machine), array_rows = machine.tensor.rows,
                     runs = batch_runs(layout, machine);
  std::int64_t words = depths.unit * operands.words(operand_columns(layout, machine)) +
                       depths.unit * (staging_columns(layout) + factor_columns(layout)) +
                       aside_depth * factor_columns(layout) + (operands.parts > 2 ? 2 * unit : 0) +
                       (layout.stores_points ? depths.unit * unit : 0);
  const std::span<const transform_stage> stages = layout.stages;
  if (stages[0].renewed > 0) words += 2 * pieces_of(stages[0]) * array_rows;
  for (std::size_t s = 0; s < stages.size(); ++s) {
    words += (stages[s].varies ? matrix_depth : 1) * operands.words(stages[s].table_columns);
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
