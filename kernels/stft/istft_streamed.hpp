#pragma once

#include "kernels/transform/inverse_short_time.hpp"

namespace papilio::kernels_detail {

/// The table of istft_streamed: [n packed bins, parts x width]. Packed are the real parts of all bins,
/// then the imaginary parts of those that have one.
kernels::constant_table streamed_table(const transform_formula& formula, const stretches& result,
                                       const array_operands& operands);

/// resource_error where the table or a few tiles are too large for the machine.
void require_streamable(const inverse_short_time_design& design,
                        const engine::machine_spec& machine);

/// The direct inverse where no whole segment of 128 lanes fits on chip: bins and matrix pass by in
/// pieces, up to 512 samples of each stretch at a time.
class istft_streamed {
 public:
  istft_streamed(engine::core& nc, const inverse_short_time_design& design,
                 const engine::kernel_arguments& t);
  void run();

 private:
  void part(std::int64_t channel, const stretch_group& g, std::int64_t at, std::int64_t count);
  engine::tile_view points(std::int64_t channel, const stretch_group& g, std::int64_t first,
                           std::int64_t count);
  void load(const engine::tile_view& to, std::int64_t channel, std::int64_t segment,
            std::int64_t first);

  engine::core& nc_;
  const inverse_short_time_design& d_;
  const stretches& r_;
  const engine::kernel_arguments& args_;
  const std::int64_t side_, width_, columns_;  // width: samples at a time, and packed bins
  const int parts_;
  const stretch_groups groups_;
  engine::tile_pool spectra_, points_, matrix_, results_, weights_, sums_, banks_, remainders_;
};

}  // namespace papilio::kernels_detail
