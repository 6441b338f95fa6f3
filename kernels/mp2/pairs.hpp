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
void transpose_b(engine::core& nc, const mp2_design& design, const mp2_side& of,
                 const engine::hbm_view& b, const engine::hbm_view& out);

/// B^T of one spin, naux on partitions, as operands of products: whole in SBUF, or in HBM, from
/// which panels are loaded.
class mp2_panels {
 public:
  mp2_panels(engine::core& nc, const mp2_design& design, const mp2_side& of,
             const engine::hbm_view& b);

  /// The k tiles of some orbitals; column (orbital, virtual) `first` of the tiles is the panel's
  /// first one.
  struct panel {
    std::shared_ptr<const product_panel> tiles = {};
    std::int64_t first = 0;

    std::size_t k_tiles() const { return tiles->k_tiles().size(); }
    /// Columns [c, c + count) of the panel, of a part of k tile `t`.
    engine::tile_view operand(std::size_t t, int part, std::int64_t c, std::int64_t count) const;
  };
  /// Loads a range of occupied, of virtual and of auxiliary indices into a tile of the pool. Where
  /// SBUF holds all of B^T nothing is loaded: the panel then has all columns of these orbitals.
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
  std::int64_t together_ = 1;  // orbitals of a resident panel
};

/// Weighted sums of squares. Each strip's sums over its columns, one a partition, are a column of a
/// ring; a full ring is added up into one column, and partitions are added up at the end.
class mp2_sums {
 public:
  /// The four sums: squares of T r with weights 1 and 2, and of (T - T^T) r with weights 1 and 2.
  enum kind { square, square_twice, difference, difference_twice };
  static constexpr std::size_t kinds = 4;

  mp2_sums(engine::core& nc, std::int64_t lanes, bool squares, bool differences);

  /// The column that the sum over a strip of so many rows goes to.
  engine::tile_view next(kind which, std::int64_t rows);

  /// Energies as [1, 1] or [1, 2]: -(s0 + 2 s1) and -(s2 + 2 s3); the latter is halved where it is
  /// the only one, the energy of one spin.
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

/// The tensors of one spin: B, and the orbital energies [nocc] and [nvir].
struct mp2_operands {
  engine::hbm_view b, occupied, virtuals;
};

/// Sums the energies of all pairs of the design, and writes them to `out`, [1] or [2].
void run_mp2(engine::core& nc, const mp2_design& design, const mp2_operands& of_left,
             const mp2_operands& of_right, const engine::hbm_view& out);

}  // namespace papilio::kernels_detail
