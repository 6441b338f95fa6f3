#pragma once

#include "kernels/stft/istft_design.hpp"

namespace papilio::kernels_detail {

/// Issues everything: loads, stages, overlap-add, output.
class istft_inverse {
 public:
  istft_inverse(engine::core& nc, const istft_design& design, const engine::kernel_arguments& t);
  void run();

 private:
  /// Segments [segment, + lanes) of a group, on their way to columns [column, + lanes).
  struct chunk {
    std::int64_t channel = 0, segment = 0, column = 0;
    int lanes = 0;
    engine::tile_view spectra = {}, x = {}, v = {};
  };
  struct item {
    std::int64_t channel = 0;
    stretch_group group = {};
    std::vector<chunk> chunks = {};
    engine::tile_view points = {};  // what the last product takes: points on partitions
  };
  engine::tile_view next(std::optional<engine::tile_pool>& pool) {
    return (pool ? pool : shared_pool_)->next();
  }
  engine::tile_pool operand_pool(int depth, std::int64_t columns) {
    return nc_.sbuf_pool(depth, int(side_), d_.operands.parts * columns, d_.operands.type);
  }
  void make_pools();
  item begin(std::int64_t index);
  void load(chunk& c);
  void transpose_units(chunk& c);
  void first_stage(chunk& c);
  void transpose_points(const chunk& c, const engine::tile_view& to);
  void transpose_spectra(const chunk& c, const engine::tile_view& to);
  void fill_beyond(const item& it);
  void add_up(const item& it);
  void last_stage(const item& it, const engine::tile_view& out, const engine::tile_view& weights);
  void last_direct(const item& it, const engine::tile_view& out, const engine::tile_view& weights);

  engine::core& nc_;
  const istft_design& d_;
  const stft_factors& f_;
  const engine::kernel_arguments& args_;
  const std::int64_t side_;
  const stretch_groups groups_;
  bank_ring banks_;
  engine::tile first_, last_, weights_;
  std::optional<engine::tile_pool> spectra_pool_, x_pool_, v_pool_, points_pool_, out_pool_,
      weights_pool_, stream_pool_, shared_pool_;
};

}  // namespace papilio::kernels_detail
