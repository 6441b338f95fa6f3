#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <vector>

#include "kernels/transform/long_line.hpp"
#include "papilio/engine/core.hpp"

namespace papilio::kernels_detail {

/// What the transforms of long real lines in both directions issue alike.
class long_run {
 public:
  /// Tables: over a, over b, over s, and twiddle factors.
  long_run(engine::core& nc, const long_line& g, std::int64_t outer, const engine::hbm_view& in,
           const engine::hbm_view& out, std::span<const engine::hbm_view> tables);

 protected:
  static constexpr std::size_t lag = 2;  ///< units between transposes and products

  /// Where elements are: the first, the imaginary part of each after it, and levels of one plane.
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

  /// Matrices over b for consecutive results, those of each operand `apart` columns further.
  struct matrix_columns {
    engine::tile_view tile;
    std::int64_t at = 0, apart = 0;
    engine::tile_view of(int part, std::int64_t first, std::int64_t count) const {
      return tile.columns(at + part * apart + first, count);
    }
  };
  /// Results `first` to `first` + `count` of the middle; of a group, or of the lone row.
  matrix_columns matrices_over_b(std::int64_t line, std::int64_t first, std::int64_t count);
  /// Columns of the table of twiddle factors.
  engine::tile_view turns(std::int64_t line, std::int64_t first, std::int64_t count);
  /// Results in PSUM times the twiddle factors, into a middle tile; products lie as these do.
  void turn(const engine::tile_view& to, const planes& place, const engine::tile_view& bank,
            const planes& from, const engine::tile_view& table, const planes& factors);
  /// Parts of `width` of a unit, in the order of a tile's columns.
  void leave(const engine::tile_view& to, const engine::tile_view& bank, std::int64_t width,
             std::int64_t count);
  /// Where part `index` of a unit is.
  std::int64_t place(std::int64_t index, std::int64_t width) const;
  /// Parts that fit a unit; of one bank, where they leave a gap in it.
  std::int64_t fitting(std::int64_t width) const;
  /// Products over s, of both planes and into both: moving(plane), on so many partitions, and so
  /// many results from `first` on.
  engine::tile_view over_s(int rows, std::int64_t first, int results,
                           const std::function<engine::tile_view(int)>& moving);

  using line_stage_of = std::function<void(std::int64_t line)>;
  /// Stages of successive lines take turns, so that no engine waits for a line's chain of them;
  /// where there are too few tiles, one line is done after the other.
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
    engine::tile_view entered, turned, middle;
  };
  std::vector<line_tiles> of_line_;
  engine::tile_pool lines_, bins_, operands_, asides_, lasts_, ends_, banks_;

 private:
  void load_over_b(const matrix_columns& to, std::int64_t first, std::int64_t count);

  // One tile with all, or several that are filled in turn.
  engine::tile_pool over_b_, turns_;
  engine::tile_view all_over_b_, all_turns_;
  std::int64_t loaded_ = 0;  ///< columns of the groups' matrices over b
  std::deque<std::function<void()>> queue_;
};

/// Issue all lines.
void run_long_forward(engine::core& nc, const long_line& g, std::int64_t outer,
                      const engine::hbm_view& in, const engine::hbm_view& out,
                      std::span<const engine::hbm_view> tables);
void run_long_inverse(engine::core& nc, const long_line& g, std::int64_t outer,
                      const engine::hbm_view& in, const engine::hbm_view& out,
                      std::span<const engine::hbm_view> tables);

}  // namespace papilio::kernels_detail
