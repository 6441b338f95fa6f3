#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "kernels/transform/run.hpp"
#include "kernels/transposer.hpp"

namespace papilio::kernels_detail {

/// Issues a transform: see run.cpp.
class transform_run {
 public:
  transform_run(engine::core& nc, const run_layout& layout, transform_ports& ports,
                std::span<const engine::hbm_view> tables);
  void issue();

 private:
  struct item {
    std::int64_t batch = 0, sums = 0;
    zero_lines zeros = {};
    tile_place source = {};
    std::vector<std::vector<tile_place>> tiles = {};  // results of each stage and run
  };
  // The operand of a unit: its first piece, the columns of a piece and of a bf16 part; and the
  // stage's matrices, with their first column.
  struct unit_operand {
    engine::tile_view tile = {};
    std::int64_t first = 0, width = 0, part_columns = 0;
    engine::tile_view matrix = {};
    std::int64_t matrix_shift = 0;
    zero_lines zeros = {};
  };
  struct pending {
    std::int64_t item = 0;
    std::size_t stage = 0;
    std::int64_t leaving = -1;
    std::function<void()> back = {};
  };

  // run.cpp: the order of stages and units
  void stage(std::int64_t number, std::size_t s);
  void issue_units(std::int64_t number, std::size_t s);
  void leave_in_runs(std::int64_t number, std::size_t s);
  tile_place start_leaving(std::int64_t number, std::int64_t run);
  engine::tile_view fetch_factors(std::int64_t number, std::int64_t run, std::int64_t first,
                                  const product_unit& u);
  void kept_units(std::int64_t number, std::size_t s);
  void load_matrix(std::size_t s);
  void load_row(std::int64_t number, std::size_t s);
  void push(pending what);
  void pop();
  template <class Which>
  void drain(const Which& which) {
    while (std::ranges::any_of(queue_, which)) pop();
  }
  bool is_last(std::size_t s) const { return s + 1 == stages_.size(); }
  std::int64_t runs_of(const item& it) const { return (it.batch + array_rows_ - 1) / array_rows_; }
  std::int64_t batch_of(const item& it, std::int64_t run) const {
    return std::min(array_rows_, it.batch - run * array_rows_);
  }
  bool adds_up(std::size_t s) const { return !stages_[s].overlap.is_none(); }
  bool rounds_in_psum(std::size_t s, const product_unit& u) const;

  // run_operands.cpp: operands of units
  tile_place read_by(const item& it, std::size_t s, std::int64_t run) const;
  unit_operand operand_of(const item& it, std::size_t s, const product_unit& u,
                          std::int64_t first_run, std::int64_t runs);
  void gather_pieces(const item& it, const product_unit& u, const unit_operand& to,
                     std::int64_t first_run);
  void transpose_pieces(const item& it, std::size_t s, const product_unit& u,
                        const unit_operand& to, std::int64_t first_run, std::int64_t runs);
  void take_pieces(std::span<const operand_piece> pieces, const engine::tile_view& bank,
                   const unit_operand& to);
  void clear_zeros(const unit_operand& to, std::int64_t pieces);
  std::int64_t vector_share(const product_unit& u, std::int64_t all);
  void renew(const tile_place& from, const transform_stage& stage, std::int64_t batch);

  // run_results.cpp: products, and copies of their results
  operand_parts data_of(const unit_operand& operand, const operand_piece& piece,
                        std::int64_t number, std::int64_t batch) const;
  operand_parts matrix_of(const product_unit& u, const unit_operand& operand, std::int64_t product,
                          std::int64_t piece, int rows) const;
  void multiply(const item& it, std::size_t s, const product_unit& u, const unit_operand& operand,
                std::int64_t run, const tile_place& to, const engine::tile_view& factors);
  void multiply_to_points(std::int64_t item, const product_unit& u, const unit_operand& operand);
  void copy_in_order(const product_unit& u, const engine::tile_view& results,
                     const engine::tile_view& bank, std::int64_t batch);
  void leave(const transform_stage& stage, const tile_place& to, const product_unit& u,
             const engine::tile_view& sums);
  void leave_with_weights(const tile_place& to, const product_unit& u,
                          const engine::tile_view& sums, const engine::tile_view& weights);
  void leave_with_factors(const tile_place& to, const product_unit& u,
                          const engine::tile_view& sums, const engine::tile_view& factors);

  engine::core& nc_;
  std::span<const transform_stage> stages_;
  array_operands operands_;
  engine::dtype kept_type_;  // kept_type(operands_)
  run_depths depths_;
  bool loads_points_, stores_points_, in_place_;
  transform_ports& ports_;
  std::vector<engine::hbm_view> tables_;
  std::int64_t array_rows_, bank_;
  std::int64_t each_;  // columns of a part of an operand
  engine::tile_pool operand_pool_, banks_;
  std::optional<engine::tile_pool> staging_, remainders_, results_, factors_, asides_;
  std::vector<engine::tile_pool> middles_;
  // Matrices of each stage; where they depend on a row, those of one row at a time.
  std::vector<engine::tile_pool> matrix_pools_;
  std::vector<engine::tile_view> matrices_, next_matrices_;
  std::vector<item> items_;
  std::deque<pending> queue_;
  std::int64_t leaving_ = -1;
  std::optional<engine::tile_pool> kept_pool_;
  unit_operand operand_ = {};
  engine::tile_view kept_ = {};
  vector_turns turns_;
};

/// Columns of an operand tile, for one part of each number.
std::int64_t operand_columns(const run_layout& layout, const engine::machine_spec& machine);
/// Columns of a tile of results that the vector engine puts in their places.
std::int64_t staging_columns(const run_layout& layout);
/// Columns of a tile of factors, and of a tile of products with their sines.
std::int64_t factor_columns(const run_layout& layout);

}  // namespace papilio::kernels_detail
