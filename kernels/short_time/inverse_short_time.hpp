#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "kernels/array_operands.hpp"
#include "kernels/short_time/stretches.hpp"
#include "kernels/transform/run.hpp"
#include "papilio/kernels/sized_kernel.hpp"

// The inverse short-time transform is the transpose of short_time.hpp: lines of bins become
// segments of samples, which overlap and are added up.
namespace papilio::kernels_detail {

/// The design of the kernel's body; the window's values are in its tables alone.
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
  /// Segments that overlap a group of stretches.
  std::int64_t columns() const { return result.segments_of(result.batch); }
};

/// The values of the tables.
struct inverse_short_time_values {
  std::vector<float> window = {};
  /// Factors of bins that are their own mirror images, and of all others; the transposed transform
  /// counts the others twice besides.
  double ends = 1, others = 1;
};

/// Throws resource_error where segments are too long for the machine, before a window is made.
void require_room(const inverse_short_time_design& problem, const engine::machine_spec& machine);

/// The kernel of a checked problem, whose stretches are given as one hop each.
kernels::sized_kernel inverse_short_time_kernel(const inverse_short_time_design& problem,
                                                const inverse_short_time_values& values,
                                                bool halved_ends,
                                                const engine::machine_spec& machine);

}  // namespace papilio::kernels_detail
