#pragma once

#include <cstdint>

#include "papilio/base/export.hpp"
#include "papilio/base/view.hpp"
#include "papilio/engine/device.hpp"
#include "papilio/kernels/published/published_run.hpp"
#include "papilio/kernels/sized_kernel.hpp"

namespace papilio::kernels::published {

/// C[m, n] = A[m, k] B[k, n]. For a linear layer m is the batch, k the inputs, n the outputs.
struct complex_product_shape {
  std::int64_t m = 0, k = 0, n = 0;
  engine::dtype type = engine::dtype::fp32;  ///< of A and B, fp32 or bf16; C is fp32
};

/// trnfft's complex GEMM. Inputs: re and im of A [m, k], then of B [k, n]; outputs: re and im of C.
///
/// Layout: A stationary, 128 x 128 with k on partitions (by a transposing load), B moving, 128 x
/// up to 512; re and im summed over k in a PSUM bank each; -B_im by the vector engine, so that the
/// four products share four loads. A is loaded again for every 512 columns. Edges are short tiles.
/// Bound: DMA rows of 512 bytes (A), and about as much the tensor engine, 4 x 4 x 512 cycles a
/// step.
/// Source: trnsci/trnfft, trnfft.nki: _complex_gemm_kernel.
/// invalid_argument for sizes below 1 and other types.
PAPILIO_API sized_kernel complex_gemm_kernel(const complex_product_shape& shape,
                                             const engine::machine_spec& machine);

/// trnfft's complex linear layer, Y = X W^T: as complex_gemm_kernel, with W [n, k] loaded
/// transposed too. Inputs: re and im of X [m, k], then of W [n, k]; outputs: re and im of Y.
/// fp32 only; no bias, which the published kernel leaves to its caller.
PAPILIO_API sized_kernel complex_linear_kernel(const complex_product_shape& shape,
                                               const engine::machine_spec& machine);

/// trnfft's complex mask: `elements` complex products, as [128, elements / 128] (filled up with
/// zeros), 512 columns at a time; four loads, six vector instructions, two stores.
/// Inputs: re and im of the mask, then of the spectrum; outputs: re and im; all fp32.
/// Bound: the vector engine, ten cycles an element of a partition; DMA nearly as long.
/// invalid_argument for elements below 1.
PAPILIO_API sized_kernel complex_mask_kernel(std::int64_t elements,
                                             const engine::machine_spec& machine);

// The whole operations as the published system runs them: four uploads, one launch, two fetches.
// Operands are planar, [2, ...], plane 0 re, plane 1 im. shape_error unless the extents agree,
// each at least 1; errors of the kernels' and of the device's. Nothing is then written. An output
// may be an input. The forms of shapes run without values.

/// c [2, m, n] = a [2, m, k] b [2, k, n]; a and b are rounded to `type`.
PAPILIO_API published_run complex_gemm(engine::device& on, view<const float, 3> a,
                                       view<const float, 3> b, view<float, 3> c,
                                       engine::dtype type = engine::dtype::fp32);
PAPILIO_API published_run complex_gemm(engine::device& on, const complex_product_shape& shape);

/// y [2, batch, outputs] = x [2, batch, inputs] times w^T, w [2, outputs, inputs].
PAPILIO_API published_run complex_linear(engine::device& on, view<const float, 3> x,
                                         view<const float, 3> w, view<float, 3> y);
PAPILIO_API published_run complex_linear(engine::device& on, const complex_product_shape& shape);

/// out = mask * spectrum, all [2, rows, columns].
PAPILIO_API published_run complex_mask_apply(engine::device& on, view<const float, 3> mask,
                                             view<const float, 3> spectrum, view<float, 3> out);
PAPILIO_API published_run complex_mask_apply(engine::device& on, std::int64_t elements);

struct dft_gemm_options {
  bool inverse = false;  ///< scaled by 1/n, on the host
  engine::dtype type = engine::dtype::fp32;
};

/// DFT of lines as one complex GEMM with the n x n matrix of roots of unity, any n; the published
/// system takes it for n <= 256. in, out: [2, batch, n]. O(batch n^2).
/// The roots are within 0.51 ulp; the published system takes their angles in fp32.
PAPILIO_API published_run dft_gemm(engine::device& on, view<const float, 3> in, view<float, 3> out,
                                   const dft_gemm_options& options = {});
PAPILIO_API published_run dft_gemm(engine::device& on, const transform_shape& shape,
                                   const dft_gemm_options& options = {});

}  // namespace papilio::kernels::published
