#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "papilio/base/export.hpp"
#include "papilio/engine/machine_spec.hpp"
#include "papilio/kernels/sized_kernel.hpp"

namespace papilio::kernels {

/// Boxes of one array, real or planar complex, at other places of another.
struct rearrangement {
  std::vector<std::int64_t> in_extents = {1}, out_extents = {1};  ///< of as many axes, 1 to 5
  int in_planes = 1, out_planes = 1;  ///< 1: real, [extents...]; 2: complex, [2, extents...]
  struct box {
    std::vector<std::int64_t> from = {}, to = {}, extents = {};  ///< an entry for each axis
  };
  /// Within both arrays; disjoint in the output. Anything else is zero there.
  std::vector<box> boxes = {};
  /// On the real and on the imaginary parts that come from the input; rounded to fp32. -1 for
  /// scale_im conjugates.
  double scale_re = 1, scale_im = 1;
};

/// out[to + i] = in[from + i] for every i within a box's extents, zero where no box is: padding and
/// cropping of axes, rolls, complex from real (imaginary parts +0), real parts of complex, scaling
/// and conjugation. fp32, any extents.
///
/// Layout: axes that are contiguous on both sides are one; the elements of a box are cut into long
/// rows, one a partition, loaded and stored again, or zeros stored. The vector engine multiplies
/// where a scale is not 1; elsewhere values, NaNs too, arrive with the bits that they had.
/// Bound: DMA, the boxes once in and the output once out; where less than 340 elements are
/// contiguous on both sides, a descriptor for each run.
/// `expected_error` is 0, or one rounding where a scale is no power of two.
/// shape_error for no or more than 5 extents, extents below 1, ranks that differ, a box that leaves
/// an array or meets another in the output; invalid_argument for planes other than 1 and 2 and a
/// scale that is not finite in fp32; resource_error for arrays beyond 64 bits or a core's HBM.
/// O(b^2) for b boxes.
/// Aliasing: as sized_kernel says.
PAPILIO_API sized_kernel rearrange_kernel(const rearrangement& what,
                                          const engine::machine_spec& machine);

/// Boxes of a roll: out[(i + shift) mod extent] = in[i] along each axis, any shift of either sign;
/// up to two boxes for each axis. n / 2 as the shifts is the fftshift, (n + 1) / 2 its inverse.
/// shape_error unless there is a shift for each extent, and extents are at least 1.
PAPILIO_API std::vector<rearrangement::box> rolled_boxes(std::span<const std::int64_t> extents,
                                                         std::span<const std::int64_t> shifts);

}  // namespace papilio::kernels
