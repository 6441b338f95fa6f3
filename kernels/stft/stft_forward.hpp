#pragma once

#include <optional>
#include <string>
#include <tuple>

#include "kernels/stft/stft_banks.hpp"
#include "kernels/stft/stft_design.hpp"
#include "kernels/stft/stft_rows.hpp"

namespace papilio::kernels_detail {

/// What the body of the kernel depends on; the window's values are in its tables alone.
struct stft_design {
  stft_factors factors = {};
  segment_rows rows = {};
  array_operands operands = {};
  spectrum_form output = spectrum_form::complex;
  float floor = 0;
  std::int64_t mels = 0;
  int depth = 2;  // of the pools between the stages; 0: all share few tiles, in turn
  /// Products of the second stage whose data the vector engine transposes, where it has time.
  std::int64_t by_vector = 0;
  /// Partitions of transposed points that are new in a segment of a row: the others stay where they
  /// are from the segment before, with the first matrix's rows turned by as much. 0: all are new.
  std::int64_t fresh = 0;
  bool streamed = false;  // a segment does not fit: see stft_streamed
  bool resident = true;   // the direct matrix in SBUF; else it streams past each 128 segments

  auto fields() const {
    return std::tie(factors, rows, operands, output, floor, mels, depth, by_vector, fresh, streamed,
                    resident);
  }
  std::string describe() const;
  stft_design without_batch() const;
  bool planar() const { return output == spectrum_form::complex; }
  /// Columns of the widest operand, and of the widest tile between two stages.
  std::int64_t widest_operand(std::int64_t side) const {
    return side *
           (factors.direct ? factors.tiles(side) : std::max(factors.groups(), factors.products()));
  }
  std::int64_t widest(std::int64_t side) const {
    return std::max({rows.row_samples(), factors.n, widest_operand(side)});
  }
  /// At depth 0: fp32 tiles in turn; operands of another type have one of their own.
  int shared_tiles() const { return operands.is_fp32() || mels > 0 ? 2 : 1; }
  double expected_error(std::int64_t side) const { return factors.expected_error(side, operands); }
  /// The first matrix, so often, its rows turned each time.
  std::int64_t turns() const { return fresh > 0 ? factors.group_points() / fresh : 1; }
  /// Segments that lanes have at a time.
  kernels::repetition repeats(std::int64_t lanes) const {
    return {.unit = "segments", .count = rows.channels * rows.segments, .least = rows.run * lanes};
  }
  /// Numbers of a segment in the output (of each plane).
  std::int64_t width() const { return mels > 0 ? mels : factors.bins(); }
};

/// Issues everything: loads, stages, output.
class stft_forward {
 public:
  stft_forward(engine::core& nc, const stft_design& design, const engine::kernel_arguments& t);
  void run();

 private:
  struct item {
    std::int64_t group = 0, segment = 0;
    int lanes = 0;
    engine::tile_view row = {}, x = {}, y = {}, t = {};
  };
  engine::tile_view next(std::optional<engine::tile_pool>& pool) {
    return (pool ? pool : shared_pool_)->next();
  }
  engine::tile_view next_operand(std::optional<engine::tile_pool>& pool) {
    return next(shared_operand_ ? shared_operand_ : pool);
  }
  engine::tile_pool operand_pool(int depth, std::int64_t columns) {
    return nc_.sbuf_pool(depth, int(side_), d_.operands.parts * columns, d_.operands.type);
  }
  struct late {
    item it = {};
    engine::tile_view power = {}, out = {};
  };
  void make_pools();
  item begin(std::int64_t index);
  void load(std::size_t group);
  void transpose_points(item& it);
  void first_stage(item& it);
  void renew_points(const item& it);
  void transpose_units(item& it);
  engine::tile_view second_stage(const item& it);
  engine::tile_view multiply_direct(const item& it);
  void take_away(const engine::tile_view& out, const engine::tile_view& in);
  void finish_segment(const item& it, const engine::tile_view& e);
  void planes(const item& it, const engine::tile_view& e);
  void powers(const engine::tile_view& out, const engine::tile_view& e);
  void finish_late();
  void mel_product(const engine::tile_view& power, const engine::tile_view& out);
  void finish_group(const item& it, const engine::tile_view& whole);
  /// Rows tiles * side of a tile that `make` asks for, transposed, side by side in `to`.
  void transpose_columns(const engine::tile_view& from, std::int64_t first, std::int64_t count,
                         const engine::tile_view& to);

  engine::core& nc_;
  const stft_design& d_;
  const stft_factors& f_;
  const engine::kernel_arguments& args_;
  const std::int64_t side_;
  std::vector<row_group> groups_;
  bank_ring banks_;
  engine::tile first_, second_, mel_;  // matrices; first_ is the direct one too
  std::vector<engine::tile_view> rows_;
  std::optional<engine::tile_pool> row_pool_, x_pool_, y_pool_, t_pool_, e_pool_, out_pool_,
      power_pool_, mel_pool_, stream_pool_, shared_pool_, shared_operand_;
  engine::tile_view out_, x_;
  std::optional<late> late_;
};

/// What powers become in place: magnitudes, decibel, or themselves.
void finish_numbers(engine::core& nc, const stft_design& design, const engine::tile_view& powers);

/// Whether segments of a row share transposed points, if rows have several.
void reuse_points(stft_design& design, const engine::machine_spec& machine);

/// How many transposes the vector engine takes over, so that neither it nor the array waits.
void share_transposes(stft_design& design, const engine::machine_spec& machine);

/// resource_error above a size at which nothing overflows.
void require_most(const char* name, std::size_t value, std::size_t most);

/// The deepest pools and longest runs that fit; resource_error where nothing does.
void fit_on_chip(stft_design& design, const engine::machine_spec& machine);

}  // namespace papilio::kernels_detail
