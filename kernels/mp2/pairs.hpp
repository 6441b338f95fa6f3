#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "kernels/mp2/design.hpp"
#include "papilio/engine/core.hpp"

// Energies of pairs: B^T, which they are made of, and sums of their parts.
namespace papilio::kernels_detail {

/// B as it is given to [planes, nocc, naux, nvir].
void transpose_b(engine::core& nc, const mp2_design& design, const mp2_side& of,
                 const engine::hbm_view& b, const engine::hbm_view& out);

/// B^T of one spin, naux on partitions, as operands of products: whole in SBUF, or in HBM, from
/// which panels are loaded.
class mp2_panels {
 public:
  mp2_panels(engine::core& nc, const mp2_design& design, const mp2_side& of,
             const engine::hbm_view& b);

  /// Columns (orbital, virtual) from one on, of each k tile.
  struct panel {
    std::shared_ptr<const product_panel> tiles = {};
    std::int64_t first = 0;

    std::size_t k_tiles() const { return tiles->k_tiles().size(); }
    /// Columns [c, c + count), counted from the first orbital's first.
    engine::tile_view operand(std::size_t t, int part, std::int64_t c, std::int64_t count) const;
  };
  /// Some orbitals, of each some virtual ones, and some auxiliary functions: a load into a tile of
  /// the pool, or what is here, with all columns.
  panel load(engine::tile_pool& pool, const axis_ranges& some) const;

 private:
  void keep_all(const mp2_design& design);
  std::shared_ptr<const product_panel> made(const panel_pools& pools,
                                            const axis_ranges& some) const;

  engine::core& nc_;
  const mp2_side& of_;
  mp2_operand operand_;
  engine::hbm_view flat_;
  std::optional<engine::tile_pool> kept_;
  std::vector<std::shared_ptr<const product_panel>> resident_;
  std::int64_t together_ = 1;  // orbitals of each
};

/// Sums of squares with integer weights, collected by lanes: a column of a ring for each strip; a
/// full ring is added up into one column.
class mp2_sums {
 public:
  /// What a sum is for: squares of T r, then of (T - T^T) r, with weights 1 and 2.
  enum kind { square, square_twice, difference, difference_twice };
  static constexpr std::size_t kinds = 4;

  mp2_sums(engine::core& nc, std::int64_t lanes, bool squares, bool differences);

  /// The column that the sum over a strip of so many rows goes to.
  engine::tile_view next(kind which, std::int64_t rows);

  /// Energies as [1, 1] or [1, 2]: -(s0 + 2 s1), -(s2 + 2 s3), of differences alone half of it.
  engine::tile_view energies();

 private:
  struct ring {
    std::optional<engine::tile_pool> columns;
    engine::tile_view open = {};
    std::int64_t used = 0;
    bool is_begun = false;
  };

  void open(ring& r);
  void close(ring& r, std::size_t which);

  engine::core& nc_;
  bool squares_, differences_;
  engine::tile totals_, ones_, weights_, weighted_, results_;
  engine::tile_pool partials_;
  std::array<ring, kinds> rings_;
};

/// What of one spin is given: B, and energies [nocc] and [nvir].
struct mp2_operands {
  engine::hbm_view b, occupied, virtuals;
};

/// The energies of all pairs of the design, to `out`.
void run_mp2(engine::core& nc, const mp2_design& design, const mp2_operands& of_left,
             const mp2_operands& of_right, const engine::hbm_view& out);

}  // namespace papilio::kernels_detail
