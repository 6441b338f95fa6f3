#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "kernels/array_operands.hpp"
#include "kernels/short_time/stretches.hpp"
#include "kernels/transform/run.hpp"
#include "papilio/kernels/sized_kernel.hpp"

// The inverse short-time transform is the transpose of short_time: lines of bins whose points
// overlap are added up.
namespace papilio::kernels_detail {

/// The body of the kernel depends on this; the window's values are in its tables alone.
struct inverse_short_time_design {
  transform_formula formula = {};
  stretches result = {};
  array_operands operands = {};
  std::int64_t channels = 1;
  std::int64_t given = 1;  ///< segments of the input
  std::int64_t begin = 0;  ///< of them, the first that the result can need
  bool wide = false;
  run_depths depths = {};
  bool is_long = false;  ///< a segment does not fit: see long_segments.hpp

  auto fields() const {
    return std::tie(formula, result, operands, channels, given, begin, wide, depths, is_long);
  }
  std::string describe() const;
  inverse_short_time_design without_batch() const;
  /// Segments of a group of stretches.
  std::int64_t columns() const { return result.segments_of(result.lanes); }
};

/// The values of the tables.
struct inverse_short_time_values {
  std::vector<float> window = {};
  /// Factors of bins that are their own mirror images, and of all others, beside the transposed transform,
  /// in which these count twice.
  double ends = 1, others = 1;
};

/// resource_error of segments that are too long for the machine, before there is a window of them.
void require_room(const inverse_short_time_design& problem, const engine::machine_spec& machine);

/// The kernel of a checked problem, whose stretches are of one hop each.
kernels::sized_kernel inverse_short_time_kernel(const inverse_short_time_design& problem,
                                                const inverse_short_time_values& values,
                                                bool halved_ends,
                                                const engine::machine_spec& machine);

}  // namespace papilio::kernels_detail
