// Makes the operands of a unit's products: by transposes, or from points that are on partitions.
#include <algorithm>
#include <utility>

#include "kernels/transform/transform_run.hpp"
#include "papilio/engine/lowering.hpp"

namespace papilio::kernels_detail {

using namespace engine;

tile_place transform_run::read_by(const item& it, std::size_t s, std::int64_t run) const {
  if (s > 0) return it.tiles[s - 1][std::size_t(run)];
  return {it.source.tile, it.source.column + run * it.source.run_step, it.source.position};
}

transform_run::unit_operand transform_run::operand_of(const item& it, std::size_t s,
                                                      const product_unit& u, std::int64_t first_run,
                                                      std::int64_t runs) {
  const bool enters = s == 0 && loads_points_;
  const std::int64_t batch = runs > 1 ? it.batch : batch_of(it, first_run);
  if (enters && operands_.parts == 1 && it.source.tile.type() == operands_.type)
    return {.tile = it.source.tile.columns(first_run * array_rows_,
                                           it.source.tile.elements() - first_run * array_rows_),
            .first = u.first_slot,
            .width = ports_.slot_columns(),
            .part_columns = it.source.tile.elements(),
            .matrix = matrices_[s]};
  unit_operand to{
      .tile = operand_pool_.next(), .width = batch, .part_columns = each_, .matrix = matrices_[s]};
  if (adds_up(s)) {
    to.zeros = it.zeros;
    to.width += it.zeros.before + it.zeros.behind;
  }
  if (enters) {
    gather_pieces(it, u, to, first_run);
    return to;
  }
  transpose_pieces(it, s, u, to, first_run, runs);
  return to;
}

// Converts points that are on partitions to the type of the products.
void transform_run::gather_pieces(const item& it, const product_unit& u, const unit_operand& to,
                                  std::int64_t first_run) {
  const std::int64_t batch = to.width;
  for (std::size_t i = 0; i < u.pieces.size(); ++i) {
    const int rows = int(u.pieces[i].rows);
    const tile_view from = it.source.tile.partition_range(0, rows).columns(
        (u.first_slot + std::int64_t(i)) * ports_.slot_columns() + first_run * array_rows_, batch);
    fill_parts(
        nc_, from, operands_.parts,
        [&](int part) {
          return to.tile.partition_range(0, rows).columns(part * each_ + std::int64_t(i) * batch,
                                                          batch);
        },
        [&] { return remainders_->next().partition_range(0, rows).columns(0, batch); });
  }
}

// Transposes the pieces of a unit into its operand, in order, `width` columns each.
void transform_run::transpose_pieces(const item& it, std::size_t s, const product_unit& u,
                                     const unit_operand& to, std::int64_t first_run,
                                     std::int64_t runs) {
  const std::int64_t all = std::ssize(u.pieces), together = product_banks * (bank_ / to.width),
                     by_vector = vector_share(u, all);
  const auto of_runs = [&](const operand_piece& p, const auto& transpose_of) {
    for (std::int64_t run = first_run; run < first_run + runs; ++run) {
      const tile_place from = read_by(it, s, run);
      transpose_of(from.tile.partition_range(0, int(batch_of(it, run)))
                       .pattern(from.column + p.offset, p.levels),
                   to.zeros.before + (run - first_run) * array_rows_);
    }
  };
  for (std::int64_t first = 0; first < all - by_vector; first += together) {
    const std::int64_t count = std::min(together, all - by_vector - first);
    tile_view bank = banks_.next();
    if (read_by(it, s, first_run).tile.type() == kept_type_) bank = bank.as(kept_type_);
    for (std::int64_t i = 0; i < count; ++i) {
      const operand_piece& p = u.pieces[std::size_t(first + i)];
      of_runs(p, [&](const tile_view& in, std::int64_t at) {
        nc_.issue(
            transpose{.out = bank.partition_range(0, int(p.rows))
                                 .columns(bank_place(i, to.width, bank_) + at, in.partitions()),
                      .in = in});
      });
    }
    unit_operand part = to;
    part.first += first;
    take_pieces(std::span(u.pieces).subspan(std::size_t(first), std::size_t(count)), bank, part);
  }
  if (to.zeros.before + to.zeros.behind > 0) clear_zeros(to, all);
  for (std::int64_t i = all - by_vector; i < all; ++i) {
    const operand_piece& p = u.pieces[std::size_t(i)];
    of_runs(p, [&](const tile_view& in, std::int64_t at) {
      transpose_in_blocks(nc_,
                          to.tile.partition_range(0, int(p.rows))
                              .columns((to.first + i) * to.width + at, in.partitions()),
                          in);
    });
  }
}

std::int64_t transform_run::vector_share(const product_unit& u, std::int64_t all) {
  if (depths_.vector_turn == 0 || !operands_.is_fp32()) return 0;
  const bool able = std::ranges::all_of(
      u.pieces, [&](const operand_piece& p) { return is_in_blocks(nc_.machine(), p.levels); });
  return able ? turns_.share(depths_.vector_turn, all) : 0;
}

// Copies pieces out of PSUM, adjacent ones of as many rows at once.
void transform_run::take_pieces(std::span<const operand_piece> pieces, const tile_view& bank,
                                const unit_operand& to) {
  const std::int64_t all = std::ssize(pieces), batch = to.width,
                     there = batch - to.zeros.before - to.zeros.behind;
  const auto there_of = [&](const tile_view& of) {
    if (there == batch) return of;
    return of.reshape({of.elements() / batch, batch}).slice(2, to.zeros.before, there);
  };
  const auto place = [&](std::int64_t i) { return bank_place(i, batch, bank_); };
  std::int64_t next = 0;
  for (std::int64_t i = 0; i < all; i = next) {
    const std::int64_t rows = pieces[std::size_t(i)].rows;
    for (next = i + 1; next < all && pieces[std::size_t(next)].rows == rows; ++next)
      if (place(next) != place(next - 1) + batch) break;
    const std::int64_t columns = (next - i) * batch;
    fill_parts(
        nc_, there_of(bank.partition_range(0, int(rows)).columns(place(i), columns)),
        operands_.parts,
        [&](int part) {
          return there_of(to.tile.partition_range(0, int(rows))
                              .columns(part * to.part_columns + (to.first + i) * batch, columns));
        },
        [&] {
          return there_of(remainders_->next().partition_range(0, int(rows)).columns(0, columns));
        });
  }
}

void transform_run::clear_zeros(const unit_operand& to, std::int64_t pieces) {
  for (int part = 0; part < operands_.parts; ++part)
    for (const auto& [first, count] : {std::pair(std::int64_t(0), to.zeros.before),
                                       std::pair(to.width - to.zeros.behind, to.zeros.behind)})
      if (count > 0)
        nc_.issue(memset{
            .out = to.tile.columns(part * to.part_columns + to.first * to.width, pieces * to.width)
                       .reshape({pieces, to.width})
                       .slice(2, first, count)});
}

void transform_run::renew(const tile_place& from, const transform_stage& stage,
                          std::int64_t batch) {
  const std::int64_t together = product_banks * (bank_ / batch), rotations = stage.rotations,
                     all = std::ssize(stage.renewals);
  const int at = int((from.position - 1) % rotations * stage.renewed);
  const tile_view places = kept_.partition_range(at, int(stage.renewed))
                               .columns(0, all * rotations * batch)
                               .reshape({all, rotations, batch});
  for (std::int64_t first = 0; first < all; first += together) {
    const std::int64_t count = std::min(together, all - first);
    const tile_view bank = banks_.next();
    for (std::int64_t i = 0; i < count; ++i) {
      const operand_piece& p = stage.renewals[std::size_t(first + i)];
      nc_.issue(transpose{
          .out = bank.partition_range(0, int(p.rows)).columns(bank_place(i, batch, bank_), batch),
          .in =
              from.tile.partition_range(0, int(batch)).pattern(from.column + p.offset, p.levels)});
    }
    for (std::int64_t next = 0, i = 0; i < count; i = next) {
      for (next = i + 1; next < count; ++next)
        if (bank_place(next, batch, bank_) != bank_place(next - 1, batch, bank_) + batch) break;
      for (std::int64_t t = 0; t < rotations; ++t)
        evacuate(nc_, places.slice(1, first + i, next - i).slice(2, t, 1),
                 bank.partition_range(int(t * stage.renewed), int(stage.renewed))
                     .columns(bank_place(i, batch, bank_), (next - i) * batch));
    }
  }
}

}  // namespace papilio::kernels_detail
