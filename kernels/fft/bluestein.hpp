#pragma once

#include <cstdint>
#include <vector>

#include "kernels/fft/chirp.hpp"
#include "kernels/fft/recipe.hpp"
#include "papilio/engine/machine_spec.hpp"

namespace papilio::kernels_detail {

/// What Bluestein's algorithm transforms: contiguous lines, all n points of them in and out, or
/// fewer.
struct chirp_lines {
  std::int64_t lanes = 1, n = 1;
  bool inverse = false;
  double scale = 1;  ///< of the results
  /// Points of a line that there are, which zeros follow, and results that are wanted; 0: n.
  std::int64_t in_points = 0, out_points = 0;
  /// From the real to the imaginary plane of the input; 0: every number is both. Negative: planes
  /// follow each other.
  std::int64_t in_plane = -1;
  chirp_weight weight = chirp_weight::none;

  std::int64_t points_in() const { return in_points > 0 ? in_points : n; }
  std::int64_t points_out() const { return out_points > 0 ? out_points : n; }
};

/// Steps of transforms by Bluestein's algorithm, with lines of a smooth length of at least
/// points_in + points_out - 1 in between that is cheap for the array.
std::vector<fft_step> bluestein_steps(const chirp_lines& what, const array_operands& operands,
                                      const engine::machine_spec& machine);

}  // namespace papilio::kernels_detail
