#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "kernels/array_operands.hpp"
#include "kernels/short_time/stft_design.hpp"
#include "kernels/short_time/stft_rows.hpp"
#include "kernels/transform/run.hpp"
#include "papilio/kernels/sized_kernel.hpp"
#include "papilio/kernels/stft.hpp"

// The short-time transform: a transform of real lines that overlap, with the window as the diagonal
// on their points.
namespace papilio::kernels_detail {

/// The design of the kernel's body; the window's values are in its tables alone.
struct short_time_design {
  transform_formula formula = {};
  segment_rows rows = {};
  array_operands operands = {};
  spectrum_form output = spectrum_form::complex;
  float floor = 0;
  std::int64_t mels = 0;
  bool wide = false;
  bool shares_points = false;  ///< segments of a row share transposed points
  run_depths depths = {};
  bool is_long = false;  ///< a segment does not fit: see long_segments.hpp

  auto fields() const {
    return std::tie(formula, rows, operands, output, floor, mels, wide, shares_points, depths,
                    is_long);
  }
  std::string describe() const;
  short_time_design without_batch() const;
  bool planar() const { return output == spectrum_form::complex; }
  /// Number of values of a segment in the output, in each plane.
  std::int64_t width() const { return mels > 0 ? mels : formula.bins(); }
};

/// The values of the tables.
struct short_time_values {
  std::vector<float> window = {}, mel = {};
  double end_weight = 1;  ///< of bins that are their own mirror images
};

inline constexpr double decibels_per_neper = 8.685889638065035;  // 20 / ln 10

/// The kernel of a checked problem.
kernels::sized_kernel short_time_kernel(const stft_problem& problem, const array_operands& operands,
                                        const engine::machine_spec& machine);

/// Turns powers into magnitudes or decibel in place, as the design's output says.
void finish_numbers(engine::core& nc, const short_time_design& design,
                    const engine::tile_view& powers);

}  // namespace papilio::kernels_detail
