#pragma once

#include "papilio/base/export.hpp"
#include "papilio/engine/machine_spec.hpp"
#include "papilio/kernels/fft.hpp"
#include "papilio/kernels/sized_kernel.hpp"

namespace papilio::kernels {

/// X[k] = scale * sum over j of x[j] exp(-2 pi i j k / n) along each axis, of real numbers:
/// `shape.extents` are theirs. Along the last one of `shape.axes` (all: the last) the bins 0 ...
/// n/2 are computed, the others being conjugates of them; any extents of at least 1.
///
/// Input: [extents...] fp32; output: [2, extents..., n/2 + 1 in place of n], real and imaginary
/// parts. Imaginary parts of bins that are real are 0 for one axis.
///
/// Even lengths take half the work of a complex transform: x[2j] + i x[2j+1] are the points of a
/// complex one of n/2. Lines of up to some thousand elements stay on chip from end to end, the
/// step from the complex to the real transform being part of the last product; longer ones take a
/// further sweep over HBM for it. Lengths up to 96, and odd ones up to 128, are one product with
/// the matrix of the transform; for longer odd ones, and along axes that are not the array's last,
/// the complex transform is taken of the numbers with imaginary parts of 0. `expected_error` is
/// relative, in the Euclidean norm, for random input. Errors as fft_kernel; invalid_argument for
/// `inverse`, and for precisions other than native and a target error.
PAPILIO_API sized_kernel rfft_kernel(const fft_shape& shape, const engine::machine_spec& machine);

/// The inverse of rfft_kernel's map, times scale times the product of the axes' lengths: `shape` is
/// that of the real result (`inverse`: invalid_argument).
/// Input: [2, extents..., n/2 + 1 in place of n]; output: [extents...]. Along the last axis of
/// `shape.axes` imaginary parts of bin 0, and of bin n/2 if n is even, are not looked at once the
/// other axes are transformed; of one axis they are not looked at at all.
PAPILIO_API sized_kernel irfft_kernel(const fft_shape& shape, const engine::machine_spec& machine);

}  // namespace papilio::kernels
