#pragma once

#include <cstdint>

#include "papilio/base/export.hpp"
#include "papilio/engine/machine_spec.hpp"
#include "papilio/kernels/sized_kernel.hpp"

namespace papilio::kernels {

struct butterfly_fft_shape {
  std::int64_t batch = 1, n = 1;
  bool inverse = false;
  double scale = 1;  ///< of the result, as the nearest fp32
  /// Twiddle products by two-products and sums by two-sums, in pairs of fp32 that are added once at
  /// the end: the error is that of one rounding for every n.
  bool compensated = false;
};

/// FFT by butterflies on the vector engine, one launch: y[b, k] = scale sum over j of
/// x[b, j] exp(-+2 pi i j k / n). Input and output [2, batch, n] fp32, real plane first.
///
/// Layout: the batch on partitions, several items on each where n is short; an item's points along
/// the free axis, in SBUF from the first pass to the last. Stockham's order, so that nothing is
/// reversed: a pass of radix r reads r runs of n / r points and writes every result where the next
/// pass reads runs again. Radices 2, 3, 4, 5 and primes up to 31.
/// An instruction covers a whole run of all items and both planes. Intermediates lie in PSUM where
/// they meet others in SBUF, since the engine reads one of each in half the time. Twiddle factors
/// are a table that is spread over the partitions once, or, where it does not fit beside the data,
/// passes by in pieces.
/// Bound: the vector engine, O(n log n) cycles an item; a device plan has faster kernels for large
/// batches. Tables: 2 (compensated: 8) fp32 a twiddle factor, fewer than n of them.
///
/// Errors, relative in the Euclidean norm for random input, are `expected_error`: every rounding
/// adds 0.18 2^-48 of the power where it falls: 2 levels of additions in a pass of radix 4, 3 for
/// a twiddle factor (its own, products, sum); compensated, the last rounding and the scale's.
/// Compensated results need |x| < 2^114 and products that do not underflow.
/// Source: the classical algorithm (Stockham; Dekker's and Knuth's error-free operations).
///
/// invalid_argument for batch or n below 1, a scale that is not finite, and a prime factor of n
/// above 31; resource_error where a partition of SBUF does not hold an item twice (compensated:
/// four times) and intermediates beside it, and where the tensors' bytes overflow.
/// Aliasing: as sized_kernel says.
PAPILIO_API sized_kernel butterfly_fft_kernel(const butterfly_fft_shape& shape,
                                              const engine::machine_spec& machine);

/// Whether butterfly_fft_kernel takes this n.
PAPILIO_API bool butterfly_fft_fits(std::int64_t n, const engine::machine_spec& machine,
                                    bool compensated = false);

}  // namespace papilio::kernels
