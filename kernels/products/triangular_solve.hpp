#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

#include "kernels/ceil_div.hpp"
#include "kernels/transposer.hpp"
#include "papilio/engine/core.hpp"
#include "papilio/engine/machine_spec.hpp"

// Triangular systems T X = alpha B, T the matrix A or its transpose, solved block by block;
// triangular_solve.cpp has the identity, the layout and the bound.
namespace papilio::kernels_detail {

struct triangular_system {
  std::int64_t order = 1, columns = 1;  ///< order of T; columns of X
  std::int64_t block = 1;               ///< a power of two, at most `array_rows`
  std::int64_t array_rows = 1;          ///< rows of the tensor engine's array
  /// Blocks that are loaded, transposed and inverted side by side: as many as a PSUM bank holds.
  std::int64_t at_once = 1;
  bool flipped = false;  ///< T = A^T
  bool lower = true;     ///< T is lower triangular
  bool unit = false;
  bool transposed = false;  ///< B and X are stored transposed, [columns, order]
  float alpha = 1;
  int refinements = 1;

  auto fields() const {
    return std::tie(order, columns, block, array_rows, at_once, flipped, lower, unit, transposed,
                    alpha, refinements);
  }

  std::int64_t blocks() const { return ceil_div(order, block); }
  /// The first row of the block that a step solves: from the top where T is lower, else from below.
  std::int64_t place(std::int64_t step) const {
    return (lower ? step : blocks() - 1 - step) * block;
  }
  std::int64_t rows(std::int64_t step) const { return std::min(block, order - place(step)); }
};

/// How many columns of X are solved at a time.
struct triangular_tiling {
  std::int64_t chunk = 1;   ///< columns of a product
  std::int64_t chunks = 1;  ///< chunks in flight side by side
  std::int64_t groups = 2;  ///< groups of inverses that stay in SBUF

  auto fields() const { return std::tie(chunk, chunks, groups); }

  std::int64_t columns() const { return chunk * chunks; }
  bool keeps_inverses(const triangular_system& system) const {
    return groups * system.at_once >= system.blocks();
  }
};

/// Takes as many columns as fit SBUF, up to where a step's products hide its chain.
triangular_tiling tile_triangular(const triangular_system& system,
                                  const engine::machine_spec& machine);

/// Solves T X = alpha B. a is [order, order]; b and x are [order, columns], or transposed where the
/// system says so.
void solve_triangular(engine::core& nc, const triangular_system& system,
                      const triangular_tiling& tiling, const engine::hbm_view& a,
                      const engine::hbm_view& b, const engine::hbm_view& x);

/// Inverses of the blocks on the diagonal of T, several side by side, made in stages, so that they
/// can be issued between other work.
class diagonal_inverses {
 public:
  /// Matrices kept for each block: its inverse and the block itself, both transposed.
  static constexpr std::int64_t matrices_kept = 2;

  /// a is [order, order]. The last `groups` groups of blocks stay in SBUF, at least 2.
  diagonal_inverses(engine::core& nc, const triangular_system& system, const engine::hbm_view& a,
                    engine::tile_pool& banks, std::int64_t groups);

  /// Bytes of a partition that it takes besides the matrices that stay.
  static std::int64_t work_bytes(const triangular_system& system);

  /// Finishes the inverses of this step's group.
  void ensure(std::int64_t step);
  /// Does some stages of the group after this step's, if there is one.
  void advance(std::int64_t step, int stages);

  /// The inverse of the step's block, and the block, both transposed for use as stationary
  /// operands.
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
  // The group in the making.
  std::int64_t group_ = -1, stage_ = 0, count_ = 0;
  engine::tile_view kept_now_, natural_, inverse_, transposed_, product_;
};

/// The blocks of T off its diagonal, transposed, loaded ahead in the order of their use: step by
/// step, each step's blocks from column 0 on.
class stationary_blocks {
 public:
  static constexpr int depth = 8;  ///< groups of blocks in flight
  static constexpr int raw_depth = 4;

  stationary_blocks(engine::core& nc, const triangular_system& system, const engine::hbm_view& a,
                    engine::tile_pool& banks);

  /// T[step, other]^T, other < step. Blocks must be asked for in the order of their use.
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

/// Loads blocks of B and stores blocks of X, for some columns. In a transposed system each column
/// is a row in HBM: blocks of several steps then move together, as longer rows.
class system_columns {
 public:
  static constexpr int depth = 3;

  system_columns(engine::core& nc, const triangular_system& system, engine::tile_pool& banks,
                 std::int64_t first, std::int64_t count);
  /// Bytes of a partition that rows of a transposed system take, with so many columns.
  static std::int64_t line_bytes(const triangular_system& system, std::int64_t count);

  /// Loads alpha B of a step, [rows, count].
  engine::tile_view load(const engine::hbm_view& b, std::int64_t step);
  void store(const engine::hbm_view& x, std::int64_t step, const engine::tile_view& values);

 private:
  // Steps whose blocks are loaded or stored together: neighbours in each row.
  struct span_of_steps {
    std::int64_t first = 0, last = 0, place = 0, width = 0;
  };
  span_of_steps span_of(std::int64_t step) const;
  std::int64_t chunks() const { return ceil_div(count_, system_.array_rows); }
  std::int64_t lines(std::int64_t chunk) const {
    return std::min(system_.array_rows, count_ - chunk * system_.array_rows);
  }
  engine::hbm_view lines_of(const engine::hbm_view& tensor, std::int64_t chunk,
                            const span_of_steps& steps) const;
  // A step's columns in a tile of rows of several steps.
  engine::tile_view part_of(const engine::tile_view& tile, std::int64_t chunk,
                            std::int64_t step) const;
  void store_transposed(const engine::hbm_view& x, std::int64_t step,
                        const engine::tile_view& values);

  engine::core& nc_;
  const triangular_system& system_;
  engine::tile_pool& banks_;
  std::int64_t first_, count_, at_once_;
  engine::tile_pool values_, lines_in_, lines_out_;
  std::optional<transposer> from_;      // transposes B on its way in
  std::vector<engine::tile_view> out_;  // by chunk
};

}  // namespace papilio::kernels_detail
