// Short real lines along an inner axis: one product each, elements on partitions on both sides.
//   forward   [n, lanes] times the matrix of the transform, stationary: real parts on the first
//             half of the partitions, imaginary ones on the second
//   inverse   the transpose; imaginary parts that are not looked at are not loaded
//   bound     DMA
#include <algorithm>

#include "kernels/fft/error_model.hpp"
#include "kernels/real/real_lines.hpp"
#include "papilio/base/error.hpp"
#include "papilio/engine/lowering.hpp"

namespace papilio::kernels_detail {

using namespace engine;

namespace {

constexpr int dense_load_ring = 4, dense_store_ring = 4, banks_together = 2;

class dense_columns {
 public:
  dense_columns(core& nc, const real_lines& what, const hbm_view& in, const hbm_view& out,
                const hbm_view& table)
      : nc_(nc),
        what_(what),
        in_(in),
        out_(out),
        side_(nc.machine().tensor.rows),
        unit_(banks_together * nc.machine().psum.bank_bytes / 4),
        matrix_(nc.sbuf(int(side_), side_)),
        stored_(nc.sbuf_pool(dense_store_ring, int(side_), unit_)),
        banks_(nc.psum_pool(nc.machine().psum.banks / banks_together, int(side_), unit_)) {
    load_matrix(table);
    for (int i = 0; i < dense_load_ring; ++i) {
      loaded_.push_back(nc.sbuf(int(side_), unit_));
      // Partitions between the planes are read with coefficients of zero.
      if (what.inverse && parts() > 1)
        nc.issue(memset{.out = loaded_.back().whole(), .on = unit::gpsimd});
    }
  }

  void issue() {
    const auto [outer, inner, order, width, ring] = *what_.columns;
    std::vector<block> blocks;
    const std::int64_t together = std::max<std::int64_t>(1, unit_ / inner);
    for (std::int64_t o = 0; o < outer; o += together)
      for (std::int64_t l = 0; l < inner; l += unit_)
        blocks.push_back({o, std::min(together, outer - o), l, std::min(unit_, inner - l)});
    for (std::size_t i = 0; i < std::min<std::size_t>(ahead, blocks.size()); ++i)
      load(i, blocks[i]);
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      if (i + ahead < blocks.size()) load(i + ahead, blocks[i + ahead]);
      multiply(i, blocks[i]);
    }
  }

 private:
  // Lanes of some outer values.
  struct block {
    std::int64_t outer, outers, lane, lanes;
    std::int64_t columns() const { return outers * lanes; }
  };
  static constexpr std::size_t ahead = dense_load_ring - 1;

  std::int64_t half() const { return side_ / 2; }
  /// Imaginary parts that are there: results of all bins, operands of those in between.
  std::int64_t parts() const { return !what_.inverse || what_.n > 2 ? 2 : 1; }
  std::int64_t between() const { return what_.n - what_.bins(); }
  /// Partitions of operands, and of results.
  int rows() const {
    return int(!what_.inverse ? what_.n : parts() > 1 ? half() + between() : what_.bins());
  }
  int results() const { return int(what_.inverse ? what_.n : half() + what_.bins()); }

  void load_matrix(const hbm_view& table) {
    nc_.issue(memset{.out = matrix_.whole()});
    const std::int64_t n = what_.n, bins = what_.bins();
    const auto part = [&](std::int64_t row, std::int64_t column, std::int64_t from_column,
                          std::int64_t height, std::int64_t count) {
      nc_.issue(
          dma_copy{.out = matrix_->partition_range(int(row), int(height)).columns(column, count),
                   .in = table.slice(0, 0, height).slice(1, from_column, count)});
    };
    if (!what_.inverse) {
      part(0, 0, 0, n, bins);
      part(0, half(), bins, n, bins);
      return;
    }
    part(0, 0, 0, bins, n);
    if (parts() > 1) part(half(), 0, n, between(), n);
  }

  hbm_view place(const hbm_view& of, const block& b, std::int64_t length, int plane,
                 std::int64_t first, std::int64_t count) const {
    const auto [outer, inner, order, width, ring] = *what_.columns;
    return of.pattern(((plane * outer + b.outer) * length + first) * inner + b.lane,
                      {{count, inner}, {b.outers, length * inner}, {b.lanes, 1}});
  }

  void load(std::size_t index, const block& b) {
    const tile_view tile = loaded_[index % dense_load_ring].whole().columns(0, b.columns());
    if (!what_.inverse) {
      nc_.issue(dma_copy{.out = tile.partition_range(0, int(what_.n)),
                         .in = place(in_, b, what_.n, 0, 0, what_.n)});
      return;
    }
    nc_.issue(dma_copy{.out = tile.partition_range(0, int(what_.bins())),
                       .in = place(in_, b, what_.bins(), 0, 0, what_.bins())});
    if (parts() > 1)
      nc_.issue(dma_copy{.out = tile.partition_range(int(half()), int(between())),
                         .in = place(in_, b, what_.bins(), 1, 1, between())});
  }

  void multiply(std::size_t index, const block& b) {
    const tile_view x = loaded_[index % dense_load_ring].whole().partition_range(0, rows()),
                    bank = banks_.next().partition_range(0, results()),
                    y = stored_.next().partition_range(0, results());
    const std::int64_t most = unit_ / banks_together;
    for (std::int64_t c = 0; c < b.columns(); c += most) {
      const std::int64_t count = std::min(most, b.columns() - c);
      nc_.issue(matmul{.out = bank.columns(c, count),
                       .stationary = matrix_->partition_range(0, rows()).columns(0, results()),
                       .moving = x.columns(c, count)});
    }
    evacuate(nc_, y.columns(0, b.columns()), bank.columns(0, b.columns()));
    const std::int64_t length = what_.inverse ? what_.n : what_.bins();
    for (int plane = 0; plane < (what_.inverse ? 1 : 2); ++plane)
      nc_.issue(dma_copy{
          .out = place(out_, b, length, plane, 0, length),
          .in = y.partition_range(plane * int(half()), int(length)).columns(0, b.columns())});
  }

  core& nc_;
  const real_lines& what_;
  hbm_view in_, out_;
  std::int64_t side_, unit_;
  tile matrix_;
  std::vector<tile> loaded_;
  tile_pool stored_, banks_;
};

struct column_products {
  real_lines what = {};

  auto fields() const { return std::tie(what); }
  std::string describe() const {
    return base_detail::message("real columns of ", what.n, ", one product each, ", what.lines,
                                " lanes");
  }
  column_products without_batch() const { return {what.without_batch()}; }
};

}  // namespace

std::optional<fft_step> dense_columns_step(const real_lines& what, const machine_spec& machine) {
  // A plane of bins is on half of the partitions.
  if (what.n > machine.thresholds.one_product_points_max || what.bins() > machine.tensor.rows / 2)
    return std::nullopt;
  const std::vector<line_program> programs = dense_lines(what, machine);
  if (programs.empty()) return std::nullopt;
  const auto stage = std::make_shared<const line_stage>(programs.front().stages.front());
  const std::int64_t reals = what.lines * what.n, bins = 2 * what.lines * what.bins();
  fft_step step{.design = design_of(column_products{what}),
                .in_elements = what.inverse ? bins : reals,
                .out_elements = what.inverse ? reals : bins,
                .squared_error = stage_error(double(stage->points))};
  step.tables.push_back(table_of(stage, step.design.explain()));
  step.run = [what](core& nc, const hbm_view& in, const hbm_view& out,
                    std::span<const hbm_view> tables) {
    dense_columns(nc, what, in, out, tables[0]).issue();
  };
  return step;
}

}  // namespace papilio::kernels_detail
