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
/// About half the work of a complex transform of the same array, in one sweep over HBM:
///   n up to 96         one product with the matrix of the transform
///   even, some 1000s   x[2j] + i x[2j+1] as complex lines of n/2 points, the step from their
///                      transform to that of x being part of the last product
///   odd, some 1000s    two factors, the first over real numbers, of which half of the rows are
///                      enough
///   up to 2^21         n = a b s, each at most 128 and s even if n is: the same with three; one
///                      line after the other, so that few lines of any length go this way
///   large primes       a single line, or few, of up to 10923 points: a convolution of n/2 + 1
///                      results, 3/4 of the complex transform's
/// Other lengths (with a prime factor above 127, or longer than these) in more than one sweep,
/// whichever way is fastest by dry runs:
///   small factors      n = n1 n2 in two sweeps, the first over real numbers; up to some 2^24, and
///                      shorter ones, of up to 32 lines, where that is faster than on chip
///   even               complex transforms of n/2 points and a further sweep
///   the others         two lines, p and p + lines / 2, as the parts of one complex line, with the
///                      step between its bins and theirs on chip for n up to about 2000 with large
///                      primes, and a further sweep beyond. Of an odd number of lines one is in two
///                      pairs.
///   one line alone     of odd n = m q, m at most 128: its m columns as lines of q points, one of
///                      the ways above, and a further sweep from their spectra; else, with large
///                      primes, a convolution as above in sweeps, and so up to 256 lines where a
///                      dry run finds that faster; where n is even and above 65536, of n/2 points
/// Which one is taken depends on n and on the number of lines, and with it the last bits of a line;
/// those of a line that is paired depend on its partner, by rounding: errors are in proportion to
/// the norm of both. A value that is not finite spoils both.
/// Along an axis that is not the array's last the same products are made of columns; fewer than 64
/// lines beside each other are transposed before and behind, and so are lengths of more than one
/// sweep, but where two lines as one are faster by columns (by dry runs of both).
/// `expected_error` is relative, in the Euclidean norm, for random input. Errors as fft_kernel;
/// invalid_argument for `inverse`, and for precisions other than native and a target error.
/// Aliasing: as sized_kernel says.
PAPILIO_API sized_kernel rfft_kernel(const fft_shape& shape, const engine::machine_spec& machine);

/// The inverse of rfft_kernel's map, times scale times the product of the axes' lengths: `shape` is
/// that of the real result (`inverse`: invalid_argument).
/// Input: [2, extents..., n/2 + 1 in place of n]; output: [extents...]. Along the last axis of
/// `shape.axes` imaginary parts of bin 0, and of bin n/2 if n is even, are not looked at once the
/// other axes are transformed; of one axis they are not looked at at all.
/// Aliasing: as sized_kernel says.
PAPILIO_API sized_kernel irfft_kernel(const fft_shape& shape, const engine::machine_spec& machine);

}  // namespace papilio::kernels
