#pragma once

#include "kernels/transform/short_time.hpp"

namespace papilio::kernels_detail {

/// The direct transform where no whole segment of 128 lanes fits on chip: points, matrix and
/// bins pass by in pieces. Points are loaded again for each 512 bins.
class stft_streamed {
 public:
  stft_streamed(engine::core& nc, const short_time_design& design,
                const engine::kernel_arguments& t);
  void run();

 private:
  void bins(const row_group& group, std::int64_t first, std::int64_t count);
  void add_points(const row_group& group, std::int64_t at, std::int64_t first, std::int64_t count,
                  const engine::tile_view& re, const engine::tile_view& im);
  void leave(const row_group& group, std::int64_t first, std::int64_t count,
             const engine::tile_view& re, const engine::tile_view& im);
  /// Up to 128 columns with their points on partitions.
  operand_parts turned(const engine::tile_view& columns);
  void add_bands(const engine::tile_view& power, std::int64_t first);
  void store(const row_group& group, int plane, std::int64_t first,
             const engine::tile_view& values);

  engine::core& nc_;
  const short_time_design& d_;
  const engine::kernel_arguments& args_;
  const std::int64_t n_, bins_, side_, width_;  // width: bins at a time, and points
  const int parts_;
  std::vector<row_group> groups_;
  engine::tile_pool points_, turned_, matrix_, results_, sums_, banks_, remainders_;
  engine::tile bands_;
  engine::tile_view lanes_bands_;
};

}  // namespace papilio::kernels_detail
