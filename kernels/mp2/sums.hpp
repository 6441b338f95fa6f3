#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "papilio/engine/core.hpp"

namespace papilio::kernels_detail {

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
  std::int64_t lanes_;
  bool squares_, differences_;
  engine::tile totals_, ones_, weights_, weighted_, results_;
  engine::tile_pool partials_;
  std::array<ring, kinds> rings_;
};

}  // namespace papilio::kernels_detail
