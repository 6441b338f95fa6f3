#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <vector>

#include "kernels/transform/long_line.hpp"
#include "papilio/engine/core.hpp"

namespace papilio::kernels_detail {

/// Instructions that the transforms of long real lines in both directions share.
class long_run {
 public:
  /// Tables: over a, over b, over s, and twiddle factors.
  long_run(engine::core& nc, const long_line& g, std::int64_t outer, const engine::hbm_view& in,
           const engine::hbm_view& out, std::span<const engine::hbm_view> tables);

 protected:
  static constexpr std::size_t lag = 2;  ///< units between transposes and products

  /// A layout of complex elements: the first one, the distance to the imaginary plane, and the
  /// levels of a plane.
  struct planes {
    std::int64_t at = 0, plane = 0;
    std::vector<engine::pattern_dim> levels = {};
  };

  /// Bins [first, first + length) of a chunk, for rows k_s < rows.
  struct bin_block {
    std::int64_t rows, first, length;
  };
  std::vector<bin_block> blocks_of(std::int64_t chunk) const;

  void load_over_a();
  void load_over_s();

  /// Matrices over b for consecutive results; those of the second operand are `apart` columns
  /// behind.
  struct matrix_columns {
    engine::tile_view tile;
    std::int64_t at = 0, apart = 0;
    engine::tile_view of(int part, std::int64_t first, std::int64_t count) const {
      return tile.columns(at + part * apart + first, count);
    }
  };
  /// Matrices for columns [first, first + count) of the middle layout, of groups or of the unpaired
  /// row; loads them if they are not there.
  matrix_columns matrices_over_b(std::int64_t line, std::int64_t first, std::int64_t count);
  /// Columns of the table of twiddle factors; loads them if they are not there.
  engine::tile_view twiddle_factors(std::int64_t line, std::int64_t first, std::int64_t count);
  /// Multiplies results in PSUM by twiddle factors into a tile of the middle layout. Products with
  /// sines have the layout of the factors.
  void multiply_by_twiddles(const engine::tile_view& to, const planes& place,
                            const engine::tile_view& bank, const planes& from,
                            const engine::tile_view& table, const planes& factors);
  /// Copies results of `width` columns each out of a unit's banks to consecutive columns of a tile.
  void copy_parts(const engine::tile_view& to, const engine::tile_view& bank, std::int64_t width,
                  std::int64_t count);
  /// Column in PSUM of result `index` of a unit.
  std::int64_t place(std::int64_t index, std::int64_t width) const;
  /// Number of results that fit a unit; one bank is used where they leave a gap in it.
  std::int64_t fitting(std::int64_t width) const;
  /// Multiplies by the matrices over s, from both planes to both: moving(plane) on `rows`
  /// partitions gives results [first, first + results).
  engine::tile_view over_s(int rows, std::int64_t first, int results,
                           const std::function<engine::tile_view(int)>& moving);

  using line_stage_of = std::function<void(std::int64_t line)>;
  /// Issues the stages of successive lines interleaved, so that no engine waits for the chain of a
  /// line's stages; where there are too few tiles, lines are done one after the other.
  void issue_lines(const std::vector<line_stage_of>& stages);
  bool interleaved() const;
  void later(std::function<void()> back);
  void drain();

  engine::core& nc_;
  const long_line& g_;
  std::int64_t outer_;
  engine::hbm_view in_, out_;
  std::vector<engine::hbm_view> tables_;
  engine::tile over_a_, over_s_;
  struct line_tiles {
    engine::tile_view loaded, twiddled, middle;
  };
  std::vector<line_tiles> of_line_;
  engine::tile_pool lines_, bins_, operands_, asides_, lasts_, ends_, banks_;

 private:
  void load_over_b(const matrix_columns& to, std::int64_t first, std::int64_t count);

  // One tile with the whole table, or several that are filled round robin.
  engine::tile_pool over_b_, twiddles_;
  engine::tile_view all_over_b_, all_twiddles_;
  std::int64_t loaded_ = 0;  ///< columns of the groups' matrices over b
  std::deque<std::function<void()>> queue_;
};

/// Issue the transforms of all lines.
void run_long_forward(engine::core& nc, const long_line& g, std::int64_t outer,
                      const engine::hbm_view& in, const engine::hbm_view& out,
                      std::span<const engine::hbm_view> tables);
void run_long_inverse(engine::core& nc, const long_line& g, std::int64_t outer,
                      const engine::hbm_view& in, const engine::hbm_view& out,
                      std::span<const engine::hbm_view> tables);

}  // namespace papilio::kernels_detail
