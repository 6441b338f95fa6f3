#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "kernels/mp2/design.hpp"
#include "papilio/engine/core.hpp"

// The parts of the MP2 energy kernel: B^T as operands of products, the sums of squares, and the run
// over all pairs.
namespace papilio::kernels_detail {

/// Permutes B from the caller's layout to [planes, nocc, naux, nvir], split into bf16 parts where
/// there are several planes.
void transpose_b(engine::core& nc, const mp2_design& design, const mp2_spin& of,
                 const engine::hbm_view& b, const engine::hbm_view& out);

/// B^T of one spin, naux on partitions, as operands of products: whole in SBUF, or in HBM, from
/// which panels are loaded.
class mp2_panels {
 public:
  mp2_panels(engine::core& nc, const mp2_design& design, const mp2_spin& of,
             const engine::hbm_view& b);

  /// The k tiles of some orbitals; column (orbital, virtual) `first` of the tiles is the panel's
  /// first one.
  struct panel {
    std::shared_ptr<const product_panel> tiles = {};
    std::int64_t first = 0;

    /// The panel from column c on.
    panel from(std::int64_t c) const { return {tiles, first + c}; }
    std::size_t k_tiles() const { return tiles->k_tiles().size(); }
    /// Columns [c, c + count) of the panel, of a part of k tile `t`.
    engine::tile_view operand(std::size_t t, int part, std::int64_t c, std::int64_t count) const;
  };
  /// Loads a range of occupied, of virtual and of auxiliary indices into a tile of the pool. Where
  /// SBUF holds all of B^T nothing is loaded: the panel then has all columns of these orbitals.
  panel load(engine::tile_pool& pool, const axis_ranges& some) const;

 private:
  std::shared_ptr<const product_panel> made(const panel_pools& pools,
                                            const axis_ranges& some) const;

  engine::core& nc_;
  const mp2_spin& of_;
  mp2_operand operand_;
  engine::hbm_view flat_;
  std::optional<engine::tile_pool> kept_;
  std::vector<std::shared_ptr<const product_panel>> resident_;  // of a group of orbitals each
};

/// Sums of squares, collected by lanes: a column of a ring for each strip. A ring is added up over
/// the lanes, column by column, in a bank of PSUM, of which each energy has a row.
class mp2_sums {
 public:
  /// Squares of T r, then of (T - T^T) r, each with weights 1 and 2.
  enum kind : std::size_t { square, square_twice, difference, difference_twice };
  static constexpr std::size_t kinds = 4;

  mp2_sums(engine::core& nc, const mp2_design& design);

  /// The column that the sum over a strip of so many rows goes to.
  engine::tile_view next(kind which, int rows);
  /// [1, 1] or [2, 1]: -(s0 + 2 s1), -(s2 + 2 s3), of differences alone half of it.
  engine::tile_view energies();

 private:
  struct ring {
    engine::tile columns;
    std::int64_t used = 0;
  };

  void add(std::size_t which);

  engine::core& nc_;
  std::int64_t columns_;
  std::size_t first_, last_;  // kinds
  int count_;                 // of energies
  engine::tile weights_, results_, totals_;
  std::vector<ring> rings_ = {};
  bool is_begun_ = false;
};

/// The energies of all pairs of the design, [1] or [2], from what the kernel is given.
void run_mp2(engine::core& nc, const mp2_design& design, const engine::kernel_arguments& given);

}  // namespace papilio::kernels_detail
