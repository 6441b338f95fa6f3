#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "kernels/mp2/design.hpp"
#include "papilio/engine/core.hpp"

// Energies of pairs: B^T, which they are made of, and sums of their parts.
namespace papilio::kernels_detail {

/// B^T of one spin, naux on partitions: made from what is given, whole in SBUF or as a tensor
/// [nocc, planes, naux, nvir] in HBM, of which parts are loaded.
class mp2_panels {
 public:
  mp2_panels(engine::core& nc, const mp2_design& design, const mp2_side& side,
             const engine::hbm_view& b);
  /// Into a tensor that is there, [nocc, planes, naux, nvir]; not of a whole home.
  mp2_panels(engine::core& nc, const mp2_design& design, const mp2_side& side,
             const engine::hbm_view& b, const engine::hbm_view& tensor);

  /// B^T of the orbitals' virtual columns as [128 k, (k tile, plane, orbital, virtual)].
  struct panel {
    engine::tile_view tiles;
    std::int64_t first = 0, width = 0;  ///< columns: of the first orbital on; of all

    bool is_empty() const { return tiles.empty(); }
  };
  /// Of orbitals [first, first + count): the place they have, or a load into a tile of `pool`.
  panel orbitals(engine::tile_pool* pool, std::int64_t first, std::int64_t count);
  /// Of k tile t and `count` virtual orbitals from a of one orbital, into a tile of `pool`.
  engine::tile_view k_tile(engine::tile_pool& pool, std::int64_t t, std::int64_t orbital,
                           std::int64_t a, std::int64_t count);
  /// Columns [c, c + count) of a panel, counted from its first orbital's first.
  engine::tile_view operand(const panel& of, std::int64_t t, int plane, std::int64_t c,
                            std::int64_t count) const;
  int depth(std::int64_t t) const {
    return int(std::min(design_.side, design_.naux - t * design_.side));
  }

 private:
  void make(const engine::hbm_view& b);
  void split(const engine::tile_view& high, const engine::tile_view& low,
             const engine::tile_view& x);
  engine::tile_view columns_of_whole(std::int64_t t, std::int64_t plane, std::int64_t c,
                                     std::int64_t count) const;

  engine::core& nc_;
  const mp2_design& design_;
  const mp2_side& side_;
  std::optional<engine::tile> whole_;
  engine::hbm_view tensor_;
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

  /// Energies as [1, 1] or [1, 2]: -(s0 + 2 s1), -(s2 + 2 s3) / `part`.
  engine::tile_view energies(float part);

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
