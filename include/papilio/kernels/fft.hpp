#pragma once

#include <cstdint>
#include <vector>

#include "papilio/base/export.hpp"
#include "papilio/base/precision.hpp"
#include "papilio/engine/machine_spec.hpp"
#include "papilio/kernels/sized_kernel.hpp"

namespace papilio::kernels {

/// Complex transforms of lines along some axes of an array.
struct fft_shape {
  std::vector<std::int64_t> extents = {1};  ///< of the array, row-major
  std::vector<int> axes =
      {};                ///< that are transformed; negative ones count from the end. Empty: all
  bool inverse = false;  ///< exp(+2 pi i j k / n); forward exp(-2 pi i j k / n)
  double scale = 1;      ///< on every output; 1/N is the caller's
  precision_options precision = {};
  /// Elements of the array that this one is a part of, so that each line has the bits that it has
  /// there: between ways that differ in them the whole decides. 0: it is the whole.
  std::int64_t whole_elements = 0;
};

/// X[k] = scale * sum over j of x[j] exp(-+ 2 pi i j k / n) along each axis.
/// Input and output: [2, extents...] fp32, the first axis real and imaginary parts. One to five
/// extents of at least 1.
///
/// Sweeps over HBM, each of up to 4096 points a line in stages of up to 64 points (128 for prime
/// lengths); see kernels/fft/run_pass.cpp. Where an axis is longer it is cut in two (four-step),
/// and up to 16 shorter lines may be; lines of up to 8192 points may go as their real and imaginary
/// parts, whichever a dry run finds faster, which depends on the number of lines, and with it the
/// last bits of a line; where it has a prime factor above 128, by Bluestein's algorithm (lines of
/// at least 2n - 1 points in between; on chip in one sweep, for n up to 8192, where a dry run finds
/// that faster, as above). Axes beside too few others for long rows are transposed before and
/// behind. Precision: native, bf16 and split_bf16 are of the tensor engine's products; bf16_refined
/// is several of these transforms in one launch; compensated is butterflies on the vector engine,
/// for lines along the last axis that butterfly_fft_fits. With a target error, dry runs of each
/// mode choose the fastest that is expected to meet it: `explanation` lists them all. A value that
/// is not finite spoils its line; of short lines, and of axes that are followed by few elements,
/// also lines that are stored within 4096 elements of it. `expected_error` is relative, in the
/// Euclidean norm, for random input. shape_error for no or too many extents, extents below 1, axes
/// out of range or given twice, fewer elements of the whole than there are here; resource_error for
/// an array beyond 64 bits or a core's HBM. invalid_argument for a scale that is not finite in
/// fp32, members of precision out of range, a mode that the shape cannot have, and a target error
/// that no mode meets (with the least that one would). Aliasing: as sized_kernel says.
PAPILIO_API sized_kernel fft_kernel(const fft_shape& shape, const engine::machine_spec& machine);

}  // namespace papilio::kernels
