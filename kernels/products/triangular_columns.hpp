#pragma once

#include <cstdint>
#include <vector>

#include "kernels/products/triangular_solve.hpp"
#include "papilio/engine/core.hpp"

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

/// Blocks of B on their way in and of X on their way out, of some columns. Of a turned system,
/// where both have a line for each column, several steps' blocks go together, in long rows.
class system_columns {
 public:
  static constexpr int depth = 3;

  system_columns(engine::core& nc, const triangular_system& system, engine::tile_pool& banks,
                 std::int64_t first, std::int64_t count);
  /// Bytes of a partition for so many columns, without `depth` tiles of them.
  static std::int64_t line_bytes(const triangular_system& system, std::int64_t count);

  /// alpha B of a step, [rows, count].
  engine::tile_view load(const engine::hbm_view& b, std::int64_t step);
  void store(const engine::hbm_view& x, std::int64_t step, const engine::tile_view& values);

 private:
  // Steps whose blocks are neighbours in a line.
  struct span_of_steps {
    std::int64_t first = 0, last = 0, place = 0, width = 0;
  };
  span_of_steps span_of(std::int64_t step) const;
  std::int64_t chunks() const { return (count_ + system_.side - 1) / system_.side; }
  std::int64_t lines(std::int64_t chunk) const {
    return std::min(system_.side, count_ - chunk * system_.side);
  }
  engine::hbm_view lines_of(const engine::hbm_view& tensor, std::int64_t chunk,
                            const span_of_steps& steps) const;
  // A step's part of a tile of lines.
  engine::tile_view part_of(const engine::tile_view& tile, std::int64_t chunk,
                            std::int64_t step) const;
  void load_turned(const engine::hbm_view& b, std::int64_t step, const engine::tile_view& to);
  void store_turned(const engine::hbm_view& x, std::int64_t step, const engine::tile_view& values);

  engine::core& nc_;
  const triangular_system& system_;
  engine::tile_pool& banks_;
  std::int64_t first_, count_, at_once_;
  engine::tile_pool values_, lines_in_, lines_out_;
  std::vector<engine::tile_view> in_, out_;  // by chunk
};

}  // namespace papilio::kernels_detail
