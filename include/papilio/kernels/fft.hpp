#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "papilio/base/export.hpp"
#include "papilio/base/vocabulary.hpp"
#include "papilio/dispatch/operation.hpp"
#include "papilio/engine/device_group.hpp"
#include "papilio/engine/machine_spec.hpp"
#include "papilio/kernels/group_split.hpp"
#include "papilio/kernels/sized_kernel.hpp"

namespace papilio::kernels {

/// Options of the transform kernels.
struct fft_kernel_options {
  double scale = 1;  ///< Factor on every output, besides the problem's norm
  /// All modes for complex transforms, all but compensated for real ones, native for others.
  precision_options precision = {};
  /// Elements of the array of which this one is a slice, so that each line has the bits that it has
  /// there: it decides between methods with different bits. 0: this is the whole.
  std::int64_t whole_elements = 0;
};

/// Computes the Fourier transform of a whole array along its axes, one to five extents:
///   complex        X[k] = scale * sum over j of x[j] exp(-+ 2 pi i j k / n) along each axis;
///                  [2, extents...] to the same, the first axis real and imaginary planes
///   real, forward  the bins 0 ... n/2 along the last of the problem's axes, the others being
///                  conjugates of them: [extents...] to [2, extents..., n/2 + 1 in place of n].
///                  Imaginary values of bins that are real are 0 for one axis
///   real, inverse  back: [2, extents..., n/2 + 1 in place of n] to [extents...]. Imaginary values
///                  of bin 0 along the last of the axes, and of bin n/2 of an even n, are not read;
///                  with several axes they are dropped once the others are transformed
///   cosine, sine   [extents...] to the same, along one axis of up to 4096 points, of types 2 and 3 up
///                  to 8192 without a prime factor above 127
/// All are fp32; the scale is that of the problem's norm times the options'. `expected_error` is
/// relative, in the Euclidean norm, for random input. Aliasing: as sized_kernel says.
///
/// Complex transforms, chosen by dry runs where several ways are possible:
///   up to 4096 points    one sweep over HBM for each axis, in stages of up to 64 points (128 for
///                        prime lengths); see kernels/transform/lines.hpp
///   up to 64 lines       also each as the array's columns, to some 131072 points, in one sweep; see
///                        kernels/transform/own_digits.hpp
///   up to 8192 points    also as real and imaginary planes of two batches, one sweep
///   longer               four-step: the axis is cut in two
///   prime factor > 128   Bluestein with lines of at least 2n - 1 points; in one sweep for n up to
///                        8192, or where these have at most 4096 points
/// Axes with too few others beside them for long rows are transposed before and after. The choice
/// depends on the number of lines, and with it the last bits of a line. A value that is not finite
/// makes its line not finite; for short lines, and for axes followed by few elements, also lines
/// that are stored within 4096 elements of it.
///
/// Precision of complex and real transforms:
///   native, bf16, split_bf16   the tensor engine's products
///   bf16_refined               several of these transforms in one launch
///   compensated                butterflies on the vector engine, for complex lines along the last
///                              axis
///   target_error               the fastest mode expected to meet it; recipe() lists all
///
/// Real transforms take about half the work of complex ones of the same array, in one sweep over
/// HBM:
///   up to 8192 points  the complex transform's stages, the first over real numbers, of whose rows
///                      half are enough; in every precision but compensated
///   up to 64 lines     also as the array's columns, to 16384 points
///   up to 2^21         n = a b s, each at most 128 and s even if n is: the same with three; one
///                      line after the other, so that few lines of any length go this way
///   large primes       a single line, or few, of up to 10923 points: a convolution of n/2 + 1
///                      results, 3/4 of the complex transform's
/// Other lengths (with a prime factor above 127, or longer than these) in more than one sweep,
/// whichever way is fastest by dry runs:
///   small factors      n = n1 n2 in two sweeps, the first over real numbers; up to some 2^24, and
///                      shorter ones, of up to 32 lines, where that is faster than on chip
///   even               complex transforms of n/2 points and a further sweep
///   the others         two-for-one packing: lines p and p + lines / 2 are the real and imaginary
///                      planes of one complex line; the step between its bins and theirs is on chip
///                      for n up to about 2000 with large primes, and a further sweep beyond. Of an
///                      odd number of lines one is in two pairs
///   one line alone     of odd n = m q, m at most 128: its m columns as lines of q points, one of
///                      the ways above, and a further sweep from their spectra; else, with large
///                      primes, a convolution as above in sweeps, and so up to 256 lines where a
///                      dry run finds that faster; where n is even and above 65536, of n/2 points
/// The choice depends on n and on the number of lines, and with it the last bits of a line; those
/// of a packed line depend on its partner, by rounding: errors are in proportion to the norm of
/// both, and a value that is not finite makes both not finite. Along an axis that is not the last
/// the same products are made of columns; fewer than 64 lines beside each other, and lengths of
/// more than one sweep, are transposed before and after, except where dry runs find two-for-one
/// packing by columns faster.
///
/// Cosine and sine transforms of types 2 and 3 are real ones with another order of points; where these
/// do not fit, and of types 1 and 4, they are products with the matrix of the transform, a table.
///
/// Throws
///   invalid_argument  a malformed problem, one in another type than float or without axes, a scale
///                     that is not finite in fp32, members of precision out of range, a mode that
///                     the transform cannot have, a target error that no mode meets (with the least
///                     that one would)
///   shape_error       more than five extents, fewer elements of the whole than there are here
///   resource_error    an array beyond 64 bits or a core's HBM
PAPILIO_API sized_kernel fft_kernel(const fft_problem& problem, const engine::machine_spec& machine,
                                    const fft_kernel_options& options = {});

/// Options of dft_kernel: what the matrix contains besides the transform.
struct dft_kernel_options {
  double scale = 1;                            ///< Factor on every output besides the norm's
  std::vector<float> window = {};              ///< Factors of the n inputs; empty: none
  std::vector<std::complex<float>> mask = {};  ///< Factors of the n outputs; empty: none
};

/// Computes the complex transform of lines by one product with an n x n matrix that contains window
/// and mask, so that they cost nothing:
///   X[b, k] = scale mask[k] sum over j of window[j] x[b, j] exp(-+ 2 pi i j k / n)
/// Input and output: [2, extents...] fp32, real and imaginary planes; the last extent is n, at most
/// the array's rows (128), and no other axis is transformed. Aliasing: as sized_kernel says.
///
/// `expected_error` grows with the root of n: each output is a sum of 2 n products in order.
/// Throws as fft_kernel, and invalid_argument for other problems, and for a window or mask of
/// another length than n.
PAPILIO_API sized_kernel dft_kernel(const fft_problem& problem, const engine::machine_spec& machine,
                                    const dft_kernel_options& options = {});

/// Computes the complex transform of lines along the last axis by butterflies on the vector engine
/// in one launch. Input and output: [2, extents...] fp32, real and imaginary planes. Aliasing: as
/// sized_kernel says.
///
/// Precision:
///   native       fp32
///   compensated  twiddle products by two-products and sums by two-sums, in pairs of fp32 that are
///                added once at the end: the error is that of one rounding for every n. Needs
///                |x| < 2^114 and products that do not underflow
///
/// Layout: the batch on partitions, several items on each if n is short; an item's points along the
/// free axis, in SBUF from the first pass to the last. Stockham's order, without bit reversal: a
/// pass of radix r reads r runs of n / r points and writes results where the next pass reads runs
/// again. Radices 2, 3, 4, 5 and primes up to 31. An instruction covers a whole run of all items
/// and both planes. Intermediates that are combined with operands in SBUF lie in PSUM, since the
/// engine reads one of each in half the time. Twiddle factors are a table, of which each part of a
/// pass loads what it needs, for all partitions, while its sums are computed. Bound: the vector
/// engine, O(n log n) cycles per item; for large batches fft_kernel is faster. Tables: 2
/// (compensated: 8) fp32 per twiddle factor, fewer than n of them.
///
/// `expected_error` is relative, in the Euclidean norm, for random input: every rounding adds
/// 0.18 2^-48 of the power where it falls: 2 levels of additions in a pass of radix 4, 3 for a
/// twiddle factor (its own, products, sum); compensated, the last rounding and the scale's.
/// Source: the classical algorithm (Stockham; Dekker's and Knuth's error-free operations).
///
/// Throws as fft_kernel; invalid_argument for other problems and precisions, and a prime factor of
/// n above 31; resource_error if a partition of SBUF does not hold an item twice (compensated: four
/// times) with its intermediates.
PAPILIO_API sized_kernel butterfly_fft_kernel(const fft_problem& problem,
                                              const engine::machine_spec& machine,
                                              const fft_kernel_options& options = {});

/// Returns whether butterfly_fft_kernel takes this n.
PAPILIO_API bool butterfly_fft_fits(std::int64_t n, const engine::machine_spec& machine,
                                    bool compensated = false);

/// Splits fft_kernel's transforms over cores by the longest of the axes that come before all
/// transformed ones (batches). Every finite value of a complex transform has the bits that it has
/// on one core: a line's factors depend only on its length, and sums keep the order of its points.
/// A value that is not finite also affects lines that share a matrix with it. Transforms of real
/// numbers, whose lines may be computed two by two, have the error of one core, not its bits.
/// Throws as fft_kernel, and invalid_argument for cores < 1 and a transform of the first axis.
PAPILIO_API group_split split_fft(const fft_problem& problem, int cores,
                                  const engine::machine_spec& machine,
                                  const fft_kernel_options& options = {});

/// Computes X[k] = scale * sum over j of x[j] exp(-+ 2 pi i j k / n), one transform on all cores of
/// a group.
///
/// n = n1 n2, j = j1 n2 + j2, k = k1 + n1 k2. Core c has ceil(n2 / p) consecutive columns j2: it
/// transforms them over j1 and multiplies by exp(-+ 2 pi i j2 k1 / n). An all-to-all brings
/// ceil(n1 / p) consecutive k1 of all columns to each core, which transforms them over j2. Two
/// dispatches and one exchange. Where n has no factors n1, n2 for that (primes, one core, prime
/// factors above 128), core 0 does it alone by fft_kernel; explanation() says so.
///
/// Results depend only on n, the machine and the number of cores.
class PAPILIO_API large_fft {
 public:
  /// The group must outlive it. Tables are copied to the cores here.
  /// Throws as fft_kernel; invalid_argument unless the problem is one complex line and the
  /// precision native; resource_error for a line beyond the HBM of all cores.
  large_fft(engine::device_group& on, const fft_problem& line,
            const fft_kernel_options& options = {},
            engine::run_mode mode = engine::run_mode::execute);

  const fft_problem& problem() const;
  /// Returns n1 and n2; 1 and n if one core computes alone.
  std::int64_t rows() const;
  std::int64_t columns() const;
  std::string explanation() const;
  /// Returns the expected error, as sized_kernel::expected_error.
  double expected_error() const;

  /// Transforms an array [2, n] (planes re and im) of the host to one, in natural order; shapes
  /// alone in dry runs. Returns its phases, which are also the group's last ones.
  /// Throws shape_error for other shapes, invalid_argument for buffers.
  engine::group_report transform(const engine::launch_input& in,
                                 const engine::launch_output& out) const;

  /// Transforms likewise, but keeps results on the cores: core c has [2, n2, own(c)], element
  /// [plane, k2, i] being X[k], k = own first k1 + i + n1 k2. Buffers are empty where own(c) is
  /// empty.
  std::vector<engine::device_buffer> transform_apart(const engine::launch_input& in) const;
  /// Returns the k1 of a core. Throws invalid_argument beyond the group's cores.
  index_range own(int core) const;

 private:
  struct members;
  std::shared_ptr<members> members_;
};

/// Returns modelled times on a new group, with operands copied from the host and back and tables
/// already on the cores. Throws as the split and device_group.
PAPILIO_API group_times time_split_fft(const fft_problem& problem, int cores,
                                       const engine::machine_spec& machine,
                                       const engine::runtime_spec& runtime,
                                       const engine::group_options& how_group = {},
                                       const fft_kernel_options& options = {});
PAPILIO_API group_times time_large_fft(const fft_problem& line, int cores,
                                       const engine::machine_spec& machine,
                                       const engine::runtime_spec& runtime,
                                       const engine::group_options& options = {});

}  // namespace papilio::kernels
