#pragma once

#include <cstdint>
#include <vector>

#include "kernels/products/triangular_solve.hpp"
#include "papilio/engine/core.hpp"

namespace papilio::kernels_detail {

/// Inverses of the blocks on the diagonal of T, several side by side, made in stages, so that they
/// can be issued between other work.
class diagonal_inverses {
 public:
  /// What stays for each block: its inverse, transposed, and the block itself, transposed.
  static constexpr std::int64_t matrices_kept = 2;

  /// a: [order, order]. `groups`: how many groups of blocks stay, at least 2; all of them if as
  /// many as there are.
  diagonal_inverses(engine::core& nc, const triangular_system& system, const engine::hbm_view& a,
                    engine::tile_pool& banks, std::int64_t groups);

  /// Bytes of a partition that it takes from SBUF beside what stays.
  static std::int64_t work_bytes(const triangular_system& system);

  /// Makes the group of this step, whatever is left to do.
  void ensure(std::int64_t step);
  /// Does some of the group after this step's, if there is one.
  void advance(std::int64_t step, int stages);

  /// Inverse of the step's block, and the block, both transposed: stationary operands.
  engine::tile_view inverse(std::int64_t step) const { return kept(step, 0); }
  engine::tile_view block(std::int64_t step) const { return kept(step, 1); }

 private:
  void make_masks();
  void start(std::int64_t group);
  void run_stage();
  void load();
  void transpose_blocks();
  void invert_diagonal();
  void join_parts(std::int64_t level);
  void finish_level(std::int64_t level);
  engine::tile_view kept(std::int64_t step, std::int64_t which) const;
  engine::tile_view repeated(const engine::tile_view& mask) const { return mask.repeat(count_); }
  engine::tile_view block_of(const engine::tile_view& tile, std::int64_t b) const {
    return tile.columns(b * system_.block, system_.block);
  }
  engine::tile_view wide(engine::tile_pool& pool) const {
    return pool.next().partition_range(0, int(system_.block)).columns(0, count_ * system_.block);
  }
  std::int64_t stages() const { return 3 + 2 * levels_; }

  engine::core& nc_;
  const triangular_system& system_;
  engine::hbm_view a_;
  engine::tile_pool& banks_;
  std::int64_t at_once_, levels_ = 0;
  engine::tile masks_, ones_;
  engine::tile_pool kept_, given_, other_, work_, parts_, cells_;
  std::vector<engine::tile_view> groups_;  // [block, (matrix, block, column)]; by group
  // The group under way.
  std::int64_t group_ = -1, stage_ = 0, count_ = 0;
  engine::tile_view kept_now_, natural_, inverse_, transposed_, product_;
};

}  // namespace papilio::kernels_detail
