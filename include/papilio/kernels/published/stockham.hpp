#pragma once

#include <cstdint>
#include <vector>

#include "papilio/base/export.hpp"
#include "papilio/base/view.hpp"
#include "papilio/engine/device.hpp"
#include "papilio/kernels/published/published_run.hpp"
#include "papilio/kernels/sized_kernel.hpp"

namespace papilio::kernels::published {

/// Combines `radix` transforms of `combined` points each.
struct stockham_stage_shape {
  std::int64_t n = 0;
  std::int64_t batch = 1;
  int radix = 4;              ///< 4 or 8
  std::int64_t combined = 1;  ///< L: the product of the radices before
};

/// One stage of trnfft's Stockham FFT: with a line as x[l, k, j] of extents L, r, M = n / (r L),
///   y[q, l, j] = sum over k of exp(-2 pi i q k / r) w[l, k] x[l, k, j], w = exp(-2 pi i l k / rL).
///
/// Both planes are permuted before and after, in HBM, element by element where M is 1: in the
/// published system four operations of the same graph, here steps of the same program.
/// Radix 4: inputs re, im [batch, n] and the twiddles' re, im [batch n/4, 4]; rows (batch, l, j)
/// on partitions, their four elements on the free axis; six vector instructions multiply, and the
/// butterfly is twelve additions. Bound: DMA descriptors of 16 bytes, and those of the permutes.
/// Radix 8: inputs re, im, twiddles' re, im [8, batch n/8], and the 8 x 8 DFT matrix re, im; the
/// twiddles are multiplied in a pass of their own over HBM; then k is on partitions and the matrix
/// stationary, four products a tile of 512 columns. Bound: the permutes' descriptors.
/// Outputs: re, im [batch, n]; all fp32.
/// Source: trnsci/trnfft, trnfft.nki: stockham_radix4_stage_kernel, stockham_radix8_w8_kernel.
/// invalid_argument unless the radix is 4 or 8, the batch at least 1 and n a multiple of r L.
PAPILIO_API sized_kernel stockham_stage_kernel(const stockham_stage_shape& shape,
                                               const engine::machine_spec& machine);

/// Which stages a Stockham FFT has.
enum class stockham_plan : std::uint8_t {
  radix_4,  ///< n = 4^k
  radix_8,  ///< n = 8^k
  mixed     ///< n = 2^k: as many eights as leave a power of four, then the fours
};

/// The radices of the stages in order: mixed 1024 is 8 8 4 4, 2048 is 8 8 8 4, 64 is 8 8.
/// invalid_argument, with the rule and n, unless n is of the plan's form, k at least 1 (mixed: 2).
PAPILIO_API std::vector<int> stockham_radices(std::int64_t n, stockham_plan plan);

struct stockham_options {
  stockham_plan plan = stockham_plan::mixed;
  bool inverse = false;  ///< scaled by 1/n
};

/// trnfft's Stockham FFT of lines: one launch for each stage. Both planes are uploaded, a pair of
/// twiddle tables for each stage (as large as the data) and once the 8 x 8 matrix if a stage has
/// radix 8; data stay on the device, and the two planes are fetched at the end. Inverse: the
/// host conjugates before and after, and scales by 1/n.
/// in, out: [2, batch, n], plane 0 re, plane 1 im; they may be the same.
/// shape_error unless the extents are equal and there are two planes; invalid_argument as
/// stockham_radices and for an empty batch; errors of the device's. Nothing is then written.
PAPILIO_API published_run stockham_fft(engine::device& on, view<const float, 3> in,
                                       view<float, 3> out, const stockham_options& options = {});
/// The same without values.
PAPILIO_API published_run stockham_fft(engine::device& on, const transform_shape& shape,
                                       const stockham_options& options = {});

}  // namespace papilio::kernels::published
