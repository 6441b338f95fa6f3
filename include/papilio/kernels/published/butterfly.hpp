#pragma once

#include <cstdint>

#include "papilio/base/export.hpp"
#include "papilio/base/view.hpp"
#include "papilio/engine/device.hpp"
#include "papilio/kernels/published/published_run.hpp"
#include "papilio/kernels/sized_kernel.hpp"

namespace papilio::kernels::published {

/// Stage s combines transforms of 2^s points into such of m = 2^(s+1).
struct butterfly_stage_shape {
  std::int64_t n = 0;
  std::int64_t batch = 1;
  std::int64_t stage = 0;
  /// Products by Dekker's splitting with their rounding errors, which are added at the end.
  bool compensated = false;
};

/// One stage of trnfft's radix-2 FFT (decimation in time):
///   y[j] = x[j] + w[j] x[j + m/2], y[j + m/2] = x[j] - w[j] x[j + m/2] in each group of m points.
///
/// Inputs: re and im [batch, n], and the twiddles' re and im [batch n/m, m/2], a row for each
/// group; outputs re and im [batch, n]; all fp32.
/// Layout: groups on partitions, 128 at a time. A column step takes one j of them: six loads of an
/// element a partition, ten vector instructions (62 where compensated), four stores.
/// Bound: DMA descriptors of 4 bytes, 10 x 128 of them a full step; the vector engine's static
/// cost where fewer than about 35 groups are left.
/// Compensated: each product a b as p + e, p = fl(a b), and the sums of two as (p + p') + (e + e').
/// Source: trnsci/trnfft, trnfft.nki: butterfly_stage_kernel and its kahan variant.
/// invalid_argument unless n is a power of two of at least 2, the batch is at least 1 and the
/// stage is one of log2(n).
PAPILIO_API sized_kernel butterfly_stage_kernel(const butterfly_stage_shape& shape,
                                                const engine::machine_spec& machine);

struct butterfly_options {
  bool inverse = false;  ///< scaled by 1/n
  bool compensated = false;
};

/// Lines that the published system transforms for a batch: a batch that is no power of two is
/// filled up to a multiple of 128.
PAPILIO_API std::int64_t butterfly_padded_batch(std::int64_t batch);

/// trnfft's power-of-two FFT of lines: the host reverses bits, uploads both planes, then for each
/// of the log2(n) stages uploads a pair of twiddle tables (as large as half the data) and launches
/// the stage; data stay on the device in between, and the two planes are fetched at the end.
/// in, out: [2, batch, n], plane 0 re, plane 1 im; they may be the same. Inverse: conjugate
/// twiddles; the host scales by 1/n.
/// shape_error unless the extents are equal and there are two planes; invalid_argument as
/// butterfly_stage_kernel; errors of the device's. Nothing is then written.
PAPILIO_API published_run butterfly_fft(engine::device& on, view<const float, 3> in,
                                        view<float, 3> out, const butterfly_options& options = {});
/// The same without values.
PAPILIO_API published_run butterfly_fft(engine::device& on, const transform_shape& shape,
                                        const butterfly_options& options = {});

}  // namespace papilio::kernels::published
