#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "papilio/base/export.hpp"
#include "papilio/dispatch/operation.hpp"
#include "papilio/engine/machine_spec.hpp"
#include "papilio/kernels/sized_kernel.hpp"

namespace papilio::kernels {

/// Computes copies of boxes of one array to other positions of another, out[to + i] = in[from + i]
/// for every i within a box's extents, 0 outside all boxes: padding and cropping of axes, rolls,
/// complex from real (imaginary values +0), real values of complex, scaling and conjugation
/// (scale_im -1).
/// Input and output: [extents...] fp32, of complex arrays planes [2, extents...]; one to five
/// extents of at least 1. Aliasing: as sized_kernel says.
///
/// Layout: axes contiguous in both arrays are merged; the elements of a box are cut into long
/// rows, one a partition, loaded and stored again, or zeros stored. The vector engine multiplies
/// where a scale, rounded to fp32, is not 1; elsewhere values, NaNs too, arrive with the bits that
/// they had. O(b^2) for b boxes.
/// Bound: DMA, the boxes once in and the output once out; where less than 340 elements are
/// contiguous in both arrays, a descriptor for each run.
/// `expected_error` is 0, or one rounding where a scale is no power of two.
///
/// Throws
///   invalid_argument  ranks that differ, a box beyond an array, a scale that is not finite in fp32
///   shape_error       no or more than 5 extents, extents below 1, boxes that meet in the output
///   resource_error    arrays beyond 64 bits or a core's HBM
PAPILIO_API sized_kernel rearrange_kernel(const arrangement_problem& problem,
                                          const engine::machine_spec& machine);

/// Returns the boxes of a roll: out[(i + shift) mod extent] = in[i] along each axis, any shift of
/// either sign, up to two boxes for each axis. Shifts n / 2 are the fftshift, (n + 1) / 2 its
/// inverse. Throws shape_error unless there is a shift for each extent, and extents are at least 1.
PAPILIO_API std::vector<arrangement_problem::box> rolled_boxes(
    std::span<const std::size_t> extents, std::span<const std::int64_t> shifts);

}  // namespace papilio::kernels
