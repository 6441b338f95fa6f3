#pragma once

#include <cstdint>
#include <vector>

#include "kernels/triangular_system.hpp"

// How A, B and X of a triangular system come on chip and leave it.
namespace papilio::kernels_detail {

/// The blocks of T beside its diagonal, transposed, in the order of their use: step by step, each
/// step's from step 0 on.
class stationary_blocks {
 public:
  static constexpr int depth = 8;  ///< of groups of blocks
  static constexpr int raw_depth = 4;

  stationary_blocks(engine::core& nc, const triangular_system& system, const engine::hbm_view& a,
                    engine::tile_pool& banks);

  /// T[step, other]^T, other < step. Not before those that come before it.
  engine::tile_view of(std::int64_t step, std::int64_t other);

 private:
  struct group {
    std::int64_t step = 0, first = 0, count = 0;
  };
  std::int64_t index_of(std::int64_t step, std::int64_t part) const;
  void make();

  engine::core& nc_;
  const triangular_system& system_;
  engine::hbm_view a_;
  engine::tile_pool& banks_;
  std::int64_t at_once_;
  engine::tile_pool raw_, made_;
  std::vector<engine::tile_view> tiles_;
  group next_;
};

/// Blocks of B on their way in and of X on their way out, of some columns.
class system_columns {
 public:
  static constexpr int depth = 3, raw_depth = 4;

  system_columns(engine::core& nc, const triangular_system& system, engine::tile_pool& banks,
                 std::int64_t first, std::int64_t count);

  /// alpha B of a step, [rows, count].
  engine::tile_view load(const engine::hbm_view& b, std::int64_t step);
  void store(const engine::hbm_view& x, std::int64_t step, const engine::tile_view& values);

 private:
  void load_turned(const engine::hbm_view& b, std::int64_t step, const engine::tile_view& to);
  void store_turned(const engine::hbm_view& x, std::int64_t step, const engine::tile_view& values);

  engine::core& nc_;
  const triangular_system& system_;
  engine::tile_pool& banks_;
  std::int64_t first_, count_;
  engine::tile_pool values_, raw_;
};

}  // namespace papilio::kernels_detail
