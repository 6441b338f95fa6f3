#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <vector>

#include "kernels/fft/block.hpp"
#include "kernels/fft/pass.hpp"
#include "kernels/fft/units.hpp"
#include "kernels/transposer.hpp"
#include "papilio/engine/core.hpp"

namespace papilio::kernels_detail {

/// A block under way.
struct pass_block {
  std::int64_t lane = 0, lanes = 0;
  std::int64_t in = 0, out = 0;         ///< offsets in the tensors, elements
  std::vector<std::int64_t> sums = {};  ///< K of each axis from outside
  engine::tile_view entry = {}, middle = {};
};

/// The issuing of one pass.
class pass_run {
 public:
  pass_run(engine::core& nc, const fft_pass& pass, const engine::hbm_view& in,
           const engine::hbm_view& out, std::span<const engine::hbm_view> tables);
  void issue();

 private:
  // What a unit's transposes leave for its products: [rows, (group, piece, lanes)] of each part.
  struct unit_operands {
    engine::tile_view tile;
    std::int64_t width = 0, pieces = 1, part_columns = 0;
  };
  // One level of a copy between PSUM and a tile: extents with both strides.
  struct copy_level {
    std::int64_t extent, to, from;
  };
  // The second half of a unit, issued when later units have been transposed.
  struct pending {
    std::int64_t block, stage, leaving;
    std::function<void()> back;
  };

  // run_pass.cpp: order
  void stream_matrices(std::int64_t index);
  void require_matrices(std::size_t stage, std::int64_t variant);
  void require_matrices(const pass_block& b, std::size_t stage, const group_box& box);
  std::int64_t blocks() const;
  pass_block block_at(std::int64_t index) const;
  void push(std::int64_t block, std::int64_t stage, std::function<void()> back);
  void pop();
  template <class Which>
  void drain(const Which& which) {
    while (std::ranges::any_of(queue_, which)) pop();
  }

  // pass_blocks.cpp: HBM
  void load_block(std::int64_t index);
  void load_rows(pass_block& b);
  void load_short_rows(pass_block& b);
  void load_twins(const engine::tile_view& lines, const pass_block& b);
  void load_columns(pass_block& b);
  engine::tile_view fetch_factors(std::int64_t index, std::int64_t run, std::size_t unit);
  template <class Levels>
  static std::vector<group_box> parts_of(const group_box& box, const Levels& hbm_levels);
  void store_rows(const pass_block& b, std::int64_t run, const engine::tile_view& lines);
  void store_twins(const pass_block& b, std::int64_t run, const engine::tile_view& lines);
  void store_parts(const pass_block& b, std::int64_t run, const engine::tile_view& lines);
  void store_columns(const pass_block& b, const fft_stage& s, const group_box& box,
                     const engine::tile_view& results);
  std::int64_t lanes_of_run(const pass_block& b, std::int64_t run) const;

  // pass_bins.cpp: bins of real lines
  void load_bins(pass_block& b);
  void clear_ends(const pass_block& b);
  void store_bins(const pass_block& b, const fft_stage& s, const group_box& box,
                  const engine::tile_view& results);
  std::int64_t lanes_of_pair(const pass_block& b, std::int64_t run) const;
  void unit_from_bins(std::int64_t index, const group_box& box, std::int64_t first_run);
  void products_from_bins(const engine::tile_view& sums, const pass_block& b, const fft_stage& s,
                          std::int64_t group, std::int64_t run);
  void evacuate_bins(const engine::tile_view& to, const engine::tile_view& bank, const fft_stage& s,
                     std::int64_t lanes, std::int64_t groups);
  std::int64_t runs_of(const pass_block& b) const;

  // pass_units.cpp: products
  void segment(std::int64_t index, std::size_t stage);
  void start_leaving(std::int64_t index, std::int64_t run);
  void unit_by_rows(std::int64_t index, std::size_t stage, const group_box& box, std::int64_t run);
  void unit_to_columns(std::int64_t index, std::size_t stage, const group_box& box);
  std::vector<group_box> tapered(const fft_stage& s, std::vector<group_box> boxes) const;
  unit_operands transposed(const pass_block& b, std::size_t stage, const group_box& box,
                           std::int64_t first_run, std::int64_t runs);
  unit_operands gathered(const pass_block& b, const fft_stage& s, const group_box& box,
                         std::int64_t lane, std::int64_t lanes);
  void products(const engine::tile_view& sums, const fft_stage& s, std::size_t stage,
                std::int64_t variant, const std::function<engine::tile_view(int, int)>& data,
                int out_plane);
  void fill_parts(const unit_operands& to, const engine::tile_view& from, std::int64_t at,
                  std::int64_t columns);
  engine::tile_view entered(const pass_block& b, const fft_stage& s, std::int64_t group,
                            std::int64_t piece, std::int64_t lane, std::int64_t lanes) const;
  engine::tile_view operand(const unit_operands& u, std::int64_t part, std::int64_t at,
                            std::int64_t rows, std::int64_t lanes) const;
  engine::tile_view matrix(const fft_stage& s, std::size_t stage, std::int64_t variant, int piece,
                           int part) const;
  std::int64_t variant_of(const pass_block& b, const fft_stage& s, std::int64_t group) const;
  std::int64_t bank_place(std::int64_t index, std::int64_t width) const;

  // pass_results.cpp: out of PSUM
  void deliver(pass_block& b, std::size_t stage, const group_box& box, std::int64_t run,
               const engine::tile_view& sums, const engine::tile_view& exit,
               const engine::tile_view& factors);
  void deliver_slots(const pass_block& b, const fft_stage& s, const group_box& box,
                     std::int64_t run, const engine::tile_view& sums);
  std::vector<copy_level> result_levels(const fft_stage& s, const group_box& box,
                                        const std::vector<std::int64_t>& strides) const;
  template <class Emit>
  void split_levels(std::int64_t to, std::int64_t from, std::vector<copy_level> levels,
                    const Emit& emit) const;
  void copy(const engine::tile_view& to, std::int64_t to_offset, const engine::tile_view& from,
            std::vector<copy_level> levels);
  void multiply(const engine::tile_view& to, std::int64_t to_offset, std::int64_t to_plane,
                const engine::tile_view& from, const fft_stage& s, std::int64_t groups,
                std::vector<copy_level> levels, const engine::tile_view& factors);

  engine::core& nc_;
  const fft_pass& pass_;
  engine::hbm_view in_, out_;
  std::vector<engine::hbm_view> tables_;
  std::int64_t side_, bank_, unit_;
  column_tile column_tile_;
  engine::tile_pool entries_, middles_, exits_, operands_, remainders_, factors_, products_, twins_,
      banks_;
  std::vector<engine::tile> matrices_;
  // Where they are streamed: those that are there, the last loaded first.
  struct stream {
    std::int64_t number;
    engine::tile_view tile;
  };
  engine::tile_pool streams_;
  std::deque<stream> streamed_;
  std::vector<std::int64_t> loaded_;  ///< matrices of each stage
  vector_turns turns_;
  std::deque<pending> queue_;
  std::vector<pass_block> blocks_;
  // Lines that leave by rows, one tile for each run of lanes, counted through.
  std::int64_t leaving_ = -1;
  engine::tile_view exit_tile_, factors_tile_;
};

}  // namespace papilio::kernels_detail
