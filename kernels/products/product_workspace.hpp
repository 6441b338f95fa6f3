#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "kernels/ceil_div.hpp"
#include "kernels/products/products.hpp"
#include "kernels/tiles.hpp"
#include "kernels/transposer.hpp"

// A run of a tiled product: its memory, how A and B come on chip, and how tiles of C are made.
namespace papilio::kernels_detail {

/// The pools that a run takes from SBUF.
struct product_pools {
  pool_shape panels, left_slices, right_slices, moving, moving_sums, stationary_sums, results,
      addends, parts, turned, biases, row_sums, cells, totals, diagonals;
  std::int64_t slice = 0;  ///< of k in a slice
  std::int64_t sums = 0;   ///< tiles of C under way
  int transposing_banks = 0;

  std::int64_t bytes(const engine::machine_spec& machine) const;
};
product_pools pools_of(const matrix_product& problem, const product_tiling& tiling,
                       const engine::machine_spec& machine);

/// Of a triangle: one panel is all of A, and its tiles are the moving operand too.
bool moves_its_panel(const matrix_product& problem, const product_tiling& tiling);

/// All blocks of B are one that stays for the whole run.
bool one_block(const matrix_product& problem, const product_tiling& tiling);

/// Part [first, first + depth) of k.
struct k_part {
  std::int64_t first, depth, tiles;
  std::int64_t rows_of(std::int64_t t, std::int64_t side) const {
    return std::min(side, depth - t * side);
  }
};

/// Memory and operands of a run.
struct workspace {
  workspace(engine::core& on, const matrix_product& p, const product_tiling& t,
            const product_operands& o);

  engine::core& nc;
  const matrix_product& problem;
  const product_tiling& tiling;
  const product_operands& operands;
  product_pools pools;
  std::int64_t bank_columns;
  engine::tile_pool panels, left_slices, right_slices, moving, moving_sums, stationary_sums,
      results, addends, parts, turned, biases, row_sums, cells, totals, diagonals, sums, transposes;
  /// Where the sums of parts of k are until the last: C, or where that is not stored, a tensor of
  /// its own.
  engine::hbm_view partial;
  engine::tile_view lane_sums = {};  ///< of the epilogue's sum of all
};

/// Rows [i, i + rows) x columns [j, j + columns) of a batch, as [1, rows, planes, columns].
engine::hbm_view block_of(const engine::hbm_view& tensor, std::int64_t batch, std::int64_t i,
                          std::int64_t rows, std::int64_t j, std::int64_t columns);

/// Columns of an operand with k on partitions, k tile by k tile: as they lie in HBM, or rows there,
/// which are transposed on the tensor engine; of a triangular matrix masked on chip, of a symmetric
/// one both.
class operand_reader {
 public:
  /// `slices`: of the rows that are transposed.
  operand_reader(workspace& w, const k_part& k, bool is_transposed, engine::tile_pool& slices,
                 const std::optional<operand_triangle>& triangle)
      : w_(w), k_(k), is_transposed_(is_transposed), slices_(slices), triangle_(triangle) {}

  /// k tile t, from 0 on, of columns [first, first + count): into out, [k, planes x stride].
  void make(const engine::hbm_view& tensor, std::int64_t batch, std::int64_t first,
            std::int64_t count, std::int64_t t, const engine::tile_view& out, std::int64_t stride);

 private:
  void mask(const engine::tile_view& block, std::int64_t row, std::int64_t column);
  // Of a symmetric matrix: k tile t of columns from `first` on; some of them by their mirror image.
  void make_symmetric(const engine::hbm_view& matrix, std::int64_t t, std::int64_t first,
                      const engine::tile_view& out);
  void make_mirrored(const engine::hbm_view& matrix, std::int64_t k, std::int64_t column,
                     const engine::tile_view& out);
  // Rows of it that were loaded, [k, end).
  struct mirrored_rows {
    engine::tile_view tile = {};
    std::int64_t k = 0, end = 0;
  };

  workspace& w_;
  k_part k_;
  bool is_transposed_;
  engine::tile_pool& slices_;
  const std::optional<operand_triangle>& triangle_;
  std::optional<transposer> from_;
  std::vector<mirrored_rows> mirrored_;  // by blocks of columns from first_ on
  std::int64_t first_ = 0;
};

/// Some rows of A of one batch, made k tile by k tile, group by group.
class panel {
 public:
  panel(workspace& w, const k_part& k, std::int64_t batch, std::int64_t first)
      : w_(w),
        k_(k),
        reader_(w, k, !w.problem.left_transposed, w.left_slices, w.problem.left_triangle),
        batch_(batch),
        first_(first) {
    rows_ = std::min(w.tiling.rows * w.tiling.groups, w.problem.m - first);
    whole_ = w.panels.next();
    if (w.problem.epilogue.sums != kernels::product_sums::none) row_sums_ = w.row_sums.next();
  }

  std::int64_t batch() const { return batch_; }
  std::int64_t first() const { return first_; }
  std::int64_t rows() const { return rows_; }
  /// Sums of the values in each row that are finished: [row within its tile, tile].
  const engine::tile_view& row_sums() const { return row_sums_; }
  std::int64_t groups() const { return ceil_div(rows_, w_.tiling.rows); }
  std::int64_t rows_of(std::int64_t group) const {
    return std::min(w_.tiling.rows, rows_ - group * w_.tiling.rows);
  }
  std::int64_t units() const { return groups() * k_.tiles; }
  std::int64_t made() const { return made_; }
  bool complete() const { return made_ == units(); }

  void ensure(std::int64_t count) {
    while (made_ < std::min(count, units())) make();
  }
  /// k tile t of `count` rows from i of a group: a stationary operand.
  engine::tile_view stationary(std::int64_t group, std::int64_t t, std::int64_t plane,
                               std::int64_t i, std::int64_t count) const {
    return whole_.partition_range(0, int(k_.rows_of(t, w_.tiling.side)))
        .columns(place(group, t) + plane * w_.tiling.rows + i, count);
  }

 private:
  std::int64_t place(std::int64_t group, std::int64_t t) const {
    return (t * w_.tiling.groups + group) * w_.problem.planes() * w_.tiling.rows;
  }
  void make();

  workspace& w_;
  k_part k_;
  operand_reader reader_;
  engine::tile_view whole_, row_sums_;
  std::int64_t batch_, first_, rows_ = 0, made_ = 0;
};

/// The blocks of B in the order of their use, k tile by k tile.
class moving_blocks {
 public:
  moving_blocks(workspace& w, const k_part& k, std::int64_t a_panel)
      : w_(w),
        k_(k),
        reader_(w, k, w.problem.right_transposed, w.right_slices, w.problem.right_triangle),
        across_(ceil_div(w.problem.n, w.tiling.width)),
        a_panel_(a_panel) {
    one_ = one_block(w.problem, w.tiling);
    if (w.problem.part) choose_of_triangle();
  }

  /// Blocks that a panel passes over, of a triangle at most.
  std::int64_t blocks() const {
    return across_ * (w_.problem.batch_a == 1 ? w_.problem.batch_b : 1);
  }
  /// The first block of panel x; of one past the last panel, how many there are.
  std::int64_t first(std::int64_t x) const {
    return w_.problem.part ? starts_[std::size_t(x)] : x * blocks();
  }
  /// Batch of C and first column of block q.
  std::pair<std::int64_t, std::int64_t> place(std::int64_t q) const {
    if (w_.problem.part) return {0, columns_[std::size_t(q)]};
    const std::int64_t within = q % blocks();
    const std::int64_t batch = w_.problem.batch_a == 1 ? within / across_ : q / blocks() / a_panel_;
    return {batch, within % across_ * w_.tiling.width};
  }
  std::int64_t width(std::int64_t q) const {
    return std::min(w_.tiling.width, w_.problem.n - place(q).second);
  }
  void ensure(std::int64_t q, std::int64_t t) {
    for (const std::int64_t wanted = one_ ? t : q * k_.tiles + t; made_ <= wanted;) make();
  }
  /// [k, planes x width] of what was made last but few.
  const engine::tile_view& tile(std::int64_t t) const { return tiles_[std::size_t(t)]; }
  void begin(std::int64_t q) {
    ensure(q, 0);
    if (one_) return;
    tiles_.erase(tiles_.begin(), tiles_.begin() + (q * k_.tiles - dropped_));
    dropped_ = q * k_.tiles;
  }

 private:
  void make();
  void choose_of_triangle();

  workspace& w_;
  k_part k_;
  operand_reader reader_;
  std::int64_t across_, a_panel_, made_ = 0, dropped_ = 0;
  std::vector<std::int64_t> starts_,
      columns_;  // of a triangle: first(x), and columns of each block
  bool one_ = false;
  std::vector<engine::tile_view> tiles_;
};

/// Rows of a group times some columns of a block: what is summed in PSUM at once.
struct product_place {
  std::int64_t batch = 0, group = 0, rows = 0;
  std::int64_t j = 0;      ///< first column in C
  std::int64_t c = 0;      ///< ... and in the block
  std::int64_t count = 0;  ///< of columns
};

/// Whether the problem's part of C has elements in these rows and columns; of a triangle the blocks
/// on the diagonal are taken for whole.
bool touches(const matrix_product& problem, std::int64_t row, std::int64_t rows,
             std::int64_t column, std::int64_t columns);
/// Stores what the epilogue sums of a panel whose values are all finished.
void finish_sums(workspace& w, const panel& rows, bool is_last);

/// Tiles of C under way, of up to `side` rows each, or where the tiling is turned columns each.
class product_tiles {
 public:
  product_tiles(workspace& w, const k_part& k, const panel& rows, const product_place& place);

  /// Adds the products of k tile t; block: [k, planes x width].
  void multiply(std::int64_t t, const engine::tile_view& block);
  /// Stores the sums, with the bias, or added to those of the parts of k before.
  void finish(const engine::tile_view& bias);

  /// The bias of some columns on all partitions; none where there is none to add.
  static engine::tile_view bias_of(workspace& w, const k_part& k, std::int64_t j,
                                   std::int64_t count);

 private:
  struct open_tile {
    engine::tile_view sums;
    std::int64_t first = 0, extent = 0;  // rows within the group, or columns within the place
    std::int64_t from = 0, count = 0;    // of the moving operand: columns of the place, or rows
  };
  // Rows of the group and columns of the place whose values leave PSUM together.
  struct window {
    std::int64_t i, rows, from, count;
  };

  void open(std::int64_t first, std::int64_t extent);
  bool is_last_part() const { return k_.first + k_.depth == w_.problem.k; }
  std::int64_t row_of(std::int64_t i) const {
    return panel_.first() + at_.group * w_.tiling.rows + i;
  }
  engine::tile_view lanes(engine::tile_pool& pool, const window& at) const;
  engine::tile_view loaded(const engine::hbm_view& tensor, const window& at);
  engine::hbm_view part_of(const engine::hbm_view& tensor, const window& at) const;
  void put(const engine::tile_view& sums, const engine::tile_view& bias, const window& at);
  engine::tile_view added(const engine::tile_view& sums, const engine::tile_view& bias,
                          const window& at);
  engine::tile_view added_before(const engine::tile_view& bias, const window& at);
  void sum_rows(const engine::tile_view& values, float scale, const window& at);
  void mask(const engine::tile_view& result, const window& at);
  template <class Fill>
  void put_sums(const engine::tile_view& bias, const window& at, const Fill& fill);
  void combine_three(const engine::tile_view& out, const engine::tile_view& sums);
  void finish_straight(const open_tile& tile, const engine::tile_view& bias);
  void finish_turned(const engine::tile_view& bias);

  workspace& w_;
  k_part k_;
  const panel& panel_;
  product_place at_;
  bool turned_, has_epilogue_;
  std::int64_t moving_columns_;  // of a product
  std::vector<open_tile> open_;
};

}  // namespace papilio::kernels_detail
