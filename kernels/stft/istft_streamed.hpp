#pragma once

#include "kernels/stft/istft_design.hpp"

namespace papilio::kernels_detail {

/// The direct inverse where no whole segment of 128 lanes fits on chip: bins and matrix pass by in
/// pieces, up to 512 samples of each stretch at a time.
class istft_streamed {
 public:
  istft_streamed(engine::core& nc, const istft_design& design, const engine::kernel_arguments& t);
  void run();

 private:
  void part(std::int64_t channel, const stretch_group& g, std::int64_t at, std::int64_t count);
  engine::tile_view points(std::int64_t channel, const stretch_group& g, std::int64_t first,
                           std::int64_t count);
  void load(const engine::tile_view& to, std::int64_t channel, std::int64_t segment,
            std::int64_t first);

  engine::core& nc_;
  const istft_design& d_;
  const stft_factors& f_;
  const engine::kernel_arguments& args_;
  const std::int64_t side_, width_;  // samples at a time, and packed bins
  const int parts_;
  const stretch_groups groups_;
  engine::tile_pool spectra_, points_, matrix_, results_, weights_, sums_, banks_, remainders_;
};

}  // namespace papilio::kernels_detail
