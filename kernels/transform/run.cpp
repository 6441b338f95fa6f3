// Issues the stages of a transform over lines on partitions.
//   T      pieces of a unit's products are transposed on the tensor engine (elements to partitions)
//          and copied out of PSUM; the vector engine may do some of them
//   S      they are the stationary operand of products with their matrices moving: lines are on
//          partitions again
//   order  one skewed loop over items and stages; while a unit is multiplied, the next two are
//          transposed; tiles in pools that are two or three deep
#include "kernels/transform/run.hpp"

#include <algorithm>
#include <deque>
#include <functional>
#include <optional>
#include <utility>

#include "kernels/ceil_div.hpp"
#include "kernels/transposer.hpp"
#include "papilio/engine/lowering.hpp"

namespace papilio::kernels_detail {

using namespace engine;

namespace {

std::int64_t bank_words(const machine_spec& m) { return m.psum.bank_bytes / 4; }

// Columns of an operand tile, in numbers of one part.
std::int64_t operand_columns(std::span<const transform_stage> stages, const machine_spec& m) {
  std::size_t pieces = 1;
  for (const transform_stage& s : stages)
    for (const product_unit& u : s.units) pieces = std::max(pieces, u.pieces.size());
  return std::int64_t(pieces) * m.tensor.rows;
}

// Columns of a tile of results that are put in their places.
std::int64_t staging_columns(std::span<const transform_stage> stages) {
  std::int64_t widest = 0;
  for (const transform_stage& s : stages)
    for (const product_unit& u : s.units)
      if (s.scattered) widest = std::max(widest, u.products * u.columns);
  return widest;
}

std::int64_t pieces_of(const transform_stage& s) {
  std::int64_t pieces = 0;
  for (const product_unit& u : s.units) pieces += std::ssize(u.pieces);
  return pieces;
}

class transform_run {
 public:
  transform_run(core& nc, std::span<const transform_stage> stages, const array_operands& operands,
                const run_depths& depths, line_ports& ports, std::span<const hbm_view> tables)
      : nc_(nc),
        stages_(stages),
        operands_(operands),
        depths_(depths),
        ports_(ports),
        tables_(tables.begin(), tables.end()),
        side_(nc.machine().tensor.rows),
        bank_(bank_words(nc.machine())),
        each_(operand_columns(stages, nc.machine())),
        operand_pool_(
            nc.sbuf_pool(depths.ring, int(side_), operands_.parts * each_, operands_.type)),
        banks_(nc.psum_pool(nc.machine().psum.banks / int(product_banks), int(side_),
                            product_banks * bank_)) {
    if (const std::int64_t columns = staging_columns(stages))
      staging_ = nc.sbuf_pool(depths.ring, int(side_), columns);
    if (operands_.parts > 2) remainders_ = nc.sbuf_pool(2, int(side_), product_banks * bank_);
    for (std::size_t s = 0; s + 1 < stages.size(); ++s)
      // Numbers of one part are rounded before their transpose, which then takes one pass.
      middles_.push_back(nc.sbuf_pool(depths.middle, int(side_), stages[s].out_columns,
                                      operands_.parts == 1 ? operands_.type : dtype::fp32));
    if (stages[0].renewed > 0)
      kept_pool_ = nc.sbuf_pool(2, int(side_), pieces_of(stages[0]) * side_);
    for (const hbm_view& t : tables_)
      matrices_.push_back(nc.sbuf(int(t.extent(0)), t.extent(1), t.type()));
  }

  void issue() {
    const std::int64_t count = ports_.items(), stages = std::int64_t(stages_.size()),
                       behind = depths_.middle - 1;
    items_.resize(std::size_t(count));
    // The array waits for the first lines of many items; with few the tables are the longer load.
    if (count > 1) ports_.source(0);
    load_matrix(0);
    ports_.prepare(0);
    for (std::size_t s = 1; s < stages_.size(); ++s) load_matrix(s);
    for (std::int64_t t = 0; t < count + behind * (stages - 1); ++t) {
      if (t < count) ports_.prepare(t);
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

 private:
  struct item {
    int lanes = 0;
    std::vector<tile_place> tiles = {};  // the source, then of each stage
  };
  struct pending {
    std::int64_t item = 0;
    std::size_t stage = 0;
    std::function<void()> back = {};
  };

  template <class Which>
  void drain(const Which& which) {
    while (std::ranges::any_of(queue_, which)) pop();
  }
  void push(pending what) {
    queue_.push_back(std::move(what));
    // Units between transposes and products.
    if (std::ssize(queue_) >= depths_.ring) pop();
  }
  void pop() {
    const std::function<void()> back = std::move(queue_.front().back);
    queue_.pop_front();
    back();
  }

  // In parts, so that the first products need not wait for the last columns.
  void load_matrix(std::size_t s) {
    const hbm_view& table = tables_[s];
    const std::int64_t columns = table.extent(1),
                       each = std::max<std::int64_t>(ceil_div(columns, 4), bank_);
    for (std::int64_t at = 0; at < columns; at += each) {
      const std::int64_t here = std::min(each, columns - at);
      nc_.issue(dma_copy{.out = matrices_[s]->columns(at, here), .in = table.slice(1, at, here)});
    }
  }

  void stage(std::int64_t number, std::size_t s) {
    item& it = items_[std::size_t(number)];
    const bool last = s + 1 == stages_.size();
    // The tiles that the stage reads must have been filled, and the one that it takes been read.
    const int depth = last ? depths_.exit : depths_.middle;
    drain([&](const pending& p) {
      return (p.item == number && p.stage < s) || (p.item <= number - depth && p.stage == s);
    });
    if (s == 0) {
      it.lanes = ports_.lanes(number);
      it.tiles.push_back(ports_.source(number));
    }
    it.tiles.push_back(last ? ports_.target(number) : tile_place{middles_[s].next()});
    for (tile_place& t : it.tiles) t.tile = t.tile.partition_range(0, it.lanes);
    if (stages_[s].renewed > 0)
      kept_units(number, s);
    else
      for (const product_unit& u : stages_[s].units) unit(number, s, u);
    const auto finish = [this, number] {
      ports_.finish(number);
      items_[std::size_t(number)].tiles.clear();
    };
    if (last && queue_.empty()) finish();
    if (last && !queue_.empty())
      queue_.back().back = [finish, back = std::move(queue_.back().back)] {
        back();
        finish();
      };
  }

  void unit(std::int64_t number, std::size_t s, const product_unit& u) {
    item& it = items_[std::size_t(number)];
    if (!u.is_continued) {
      operand_ = operand_pool_.next();
      transpose_pieces(it, it.tiles[s], u, operand_, 0);
    }
    push({number, s, [this, &it, s, &u, operand = operand_] {
            multiply(it, s, u, {operand, 0, each_, 0});
          }});
  }

  // Units whose operands stay from item to item. Those of the next item come in before other stages
  // begin, which hide their way out of PSUM.
  void kept_units(std::int64_t number, std::size_t s) {
    item& it = items_[std::size_t(number)];
    const transform_stage& stage = stages_[s];
    const std::int64_t position = it.tiles[s].position,
                       turned = position % stage.turns * (stage.table_columns / stage.turns);
    std::int64_t piece = 0;
    if (position == 0) kept_ = kept_pool_->next();
    for (const product_unit& u : stage.units) {
      if (position == 0) transpose_pieces(it, it.tiles[s], u, kept_, piece);
      push({number, s, [this, &it, s, &u, kept = kept_, piece, turned] {
              multiply(it, s, u, {kept, piece, kept.elements(), turned});
            }});
      piece += std::ssize(u.pieces);
    }
    if (number + 1 == ports_.items()) return;
    const tile_place next = ports_.source(number + 1);
    if (next.position == 0) return;
    drain([&](const pending& p) { return p.stage == s; });
    renew(next, stage, it.lanes);
  }

  void renew(const tile_place& from, const transform_stage& stage, std::int64_t lanes) {
    const std::int64_t together = product_banks * (bank_ / lanes), turns = stage.turns,
                       all = std::ssize(stage.renewals);
    const int at = int((from.position - 1) % turns * stage.renewed);
    const tile_view places = kept_.partition_range(at, int(stage.renewed))
                                 .columns(0, all * turns * lanes)
                                 .reshape({all, turns, lanes});
    for (std::int64_t first = 0; first < all; first += together) {
      const std::int64_t count = std::min(together, all - first);
      const tile_view bank = banks_.next();
      for (std::int64_t i = 0; i < count; ++i) {
        const operand_piece& p = stage.renewals[std::size_t(first + i)];
        nc_.issue(transpose{
            .out = bank.partition_range(0, int(p.rows)).columns(bank_place(i, lanes, bank_), lanes),
            .in = from.tile.partition_range(0, int(lanes))
                      .pattern(from.column + p.offset, p.levels)});
      }
      for (std::int64_t next = 0, i = 0; i < count; i = next) {
        for (next = i + 1; next < count; ++next)
          if (bank_place(next, lanes, bank_) != bank_place(next - 1, lanes, bank_) + lanes) break;
        for (std::int64_t t = 0; t < turns; ++t)
          evacuate(nc_, places.slice(1, first + i, next - i).slice(2, t, 1),
                   bank.partition_range(int(t * stage.renewed), int(stage.renewed))
                       .columns(bank_place(i, lanes, bank_), (next - i) * lanes));
      }
    }
  }

  // Pieces lie in the operand in their order, `lanes` columns each, from piece `place` on.
  void transpose_pieces(const item& it, const tile_place& from, const product_unit& u,
                        const tile_view& operand, std::int64_t place) {
    const std::int64_t lanes = it.lanes, all = std::int64_t(u.pieces.size()),
                       together = product_banks * (bank_ / lanes);
    const std::int64_t by_vector = vector_share(u, all);
    for (std::int64_t first = 0; first < all - by_vector; first += together) {
      const std::int64_t count = std::min(together, all - by_vector - first);
      const tile_view bank = banks_.next();
      for (std::int64_t i = 0; i < count; ++i) {
        const operand_piece& p = u.pieces[std::size_t(first + i)];
        nc_.issue(transpose{
            .out = bank.partition_range(0, int(p.rows)).columns(bank_place(i, lanes, bank_), lanes),
            .in = from.tile.pattern(from.column + p.offset, p.levels)});
      }
      take_pieces(std::span(u.pieces).subspan(std::size_t(first), std::size_t(count)), bank,
                  operand, place + first, lanes);
    }
    for (std::int64_t i = all - by_vector; i < all; ++i) {
      const operand_piece& p = u.pieces[std::size_t(i)];
      transpose_in_blocks(
          nc_, operand.partition_range(0, int(p.rows)).columns((place + i) * lanes, lanes),
          from.tile.pattern(from.column + p.offset, p.levels));
    }
  }

  std::int64_t vector_share(const product_unit& u, std::int64_t all) {
    if (depths_.vector_turn == 0 || !operands_.is_fp32()) return 0;
    const bool able = std::ranges::all_of(
        u.pieces, [&](const operand_piece& p) { return is_in_blocks(nc_.machine(), p.levels); });
    return able ? turns_.share(depths_.vector_turn, all) : 0;
  }

  // Pieces out of PSUM: those that have rows in common and follow each other at once.
  void take_pieces(std::span<const operand_piece> pieces, const tile_view& bank,
                   const tile_view& operand, std::int64_t first, std::int64_t lanes) {
    const std::int64_t all = std::int64_t(pieces.size()),
                       part_columns = operand.elements() / operands_.parts;
    const auto place = [&](std::int64_t i) { return bank_place(i, lanes, bank_); };
    std::int64_t next = 0;
    for (std::int64_t i = 0; i < all; i = next) {
      const std::int64_t rows = pieces[std::size_t(i)].rows;
      for (next = i + 1; next < all && pieces[std::size_t(next)].rows == rows; ++next)
        if (place(next) != place(next - 1) + lanes) break;
      const std::int64_t columns = (next - i) * lanes;
      fill_parts(
          nc_, bank.partition_range(0, int(rows)).columns(place(i), columns), operands_.parts,
          [&](int part) {
            return operand.partition_range(0, int(rows))
                .columns(part * part_columns + (first + i) * lanes, columns);
          },
          [&] { return remainders_->next().partition_range(0, int(rows)).columns(0, columns); });
    }
  }

  // The operand of a unit: where its first piece is, columns of a part, and what its matrices are
  // moved by in the table.
  struct unit_operand {
    tile_view tile = {};
    std::int64_t first = 0, part_columns = 0, matrix_shift = 0;
  };

  void multiply(const item& it, std::size_t s, const product_unit& u, const unit_operand& operand) {
    const std::int64_t lanes = it.lanes, width = u.columns;
    const tile_view bank = banks_.next().partition_range(0, int(lanes));
    const tile_view matrix = matrices_[s].whole();
    const std::int64_t matrix_part = matrix.elements() / operands_.parts;
    std::int64_t piece = 0;
    for (std::int64_t i = 0; i < u.products; ++i)
      for (std::int64_t p = 0; p < u.pieces_each; ++p, ++piece) {
        const int rows = int(u.pieces[std::size_t(piece)].rows);
        multiply_parts(nc_, bank.columns(bank_place(i, width, bank_), width), operands_.parts,
                       {operand.tile.partition_range(0, rows), (operand.first + piece) * lanes,
                        operand.part_columns, lanes},
                       {matrix.partition_range(0, rows),
                        operand.matrix_shift + u.matrices[std::size_t(i)] + p * u.matrix_step,
                        matrix_part, width},
                       p > 0);
      }
    leave(stages_[s], it.tiles[s + 1], u, bank.columns(0, u.products * width));
  }

  void leave(const transform_stage& stage, const tile_place& to, const product_unit& u,
             const tile_view& sums) {
    if (!stage.scattered) {
      for (const result_copy& c : u.copies)
        evacuate(nc_, to.tile.pattern(to.column + c.to, c.to_levels),
                 sums.pattern(c.from, c.from_levels));
      return;
    }
    const tile_view results =
        staging_->next().partition_range(0, sums.partitions()).columns(0, sums.elements());
    if (stage.squared)
      nc_.issue(activation{.out = results, .in = sums, .function = activation_function::square});
    else
      evacuate(nc_, results, sums);
    for (const result_copy& c : u.copies) {
      const tile_view out = to.tile.pattern(to.column + c.to, c.to_levels),
                      in = results.pattern(c.from, c.from_levels);
      if (stage.squared)
        nc_.issue(tensor_tensor{
            .out = out, .left = in, .right = results.pattern(c.from + c.partner, c.from_levels)});
      else
        nc_.issue(tensor_copy{.out = out, .in = in, .on = unit::vector});
    }
  }

  core& nc_;
  std::span<const transform_stage> stages_;
  array_operands operands_;
  run_depths depths_;
  line_ports& ports_;
  std::vector<hbm_view> tables_;
  std::int64_t side_, bank_;
  std::int64_t each_;  // columns of a part of an operand
  tile_pool operand_pool_, banks_;
  std::optional<tile_pool> staging_, remainders_;
  std::vector<tile_pool> middles_;
  std::vector<tile> matrices_;
  std::vector<item> items_;
  std::deque<pending> queue_;
  std::optional<tile_pool> kept_pool_;
  tile_view operand_ = {}, kept_ = {};
  vector_turns turns_;
};

}  // namespace

std::span<const run_depths> depths_tried() {
  static constexpr run_depths all[] = {{4, 2, 4}, {3, 2, 3}, {2, 2, 3}, {2, 2, 2},
                                       {2, 1, 2}, {1, 1, 2}, {1, 1, 1}, {1, 1, 1, 1}};
  return all;
}

std::int64_t run_words(std::span<const transform_stage> stages, const array_operands& operands,
                       const run_depths& depths, const machine_spec& machine) {
  const std::int64_t unit = product_banks * bank_words(machine);
  std::int64_t words = depths.ring * operands.words(operand_columns(stages, machine)) +
                       depths.ring * staging_columns(stages) + (operands.parts > 2 ? 2 * unit : 0);
  if (stages[0].renewed > 0) words += 2 * pieces_of(stages[0]) * machine.tensor.rows;
  for (std::size_t s = 0; s < stages.size(); ++s) {
    words += operands.words(stages[s].table_columns);
    if (s + 1 < stages.size()) words += depths.middle * stages[s].out_columns;
  }
  return words;
}

void run_stages(core& nc, std::span<const transform_stage> stages, const array_operands& operands,
                const run_depths& depths, line_ports& ports, std::span<const hbm_view> tables) {
  transform_run(nc, stages, operands, depths, ports, tables).issue();
}

}  // namespace papilio::kernels_detail
