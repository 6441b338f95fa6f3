#pragma once

#include <cstdint>

#include "papilio/base/export.hpp"
#include "papilio/engine/core.hpp"
#include "papilio/kernels/sized_kernel.hpp"

namespace papilio::kernels {

/// C = A B on the tensor engine. A: [m, k], B: [k, n], both fp32 or both of a narrower
/// floating-point type; C: [m, n] of any floating-point type. Any sizes of at least 1.
///
/// Layout: a panel of A is loaded in long rows, transposed on the tensor engine (128 x 128 blocks
/// through PSUM) and stays in SBUF with k on partitions, in groups of up to 512 rows; B streams
/// past it in tiles of 128 x 512 or 1024, each used by all rows of the panel, and k is summed in
/// PSUM, one bank an output tile. The next panel is transposed between the products of this one.
/// Rows, groups and columns are chosen by dry runs of a few (see gemm_kernel). Where a panel of all
/// k does not fit, k is cut and the parts are added in HBM.
/// Bound: the tensor engine, 4 n cycles for each 128 x 128 x n product in fp32; DMA where m is
/// small. fp32: C of a sum of k terms, in array order by 128, then in PSUM.
/// shape_error if the shapes do not agree, device_error for types that the array does not multiply.
PAPILIO_API void gemm(engine::core& nc, const engine::hbm_view& c, const engine::hbm_view& a,
                      const engine::hbm_view& b);

struct gemm_shape {
  std::int64_t m = 1, k = 1, n = 1;
  engine::dtype type = engine::dtype::fp32;    ///< of A and B
  engine::dtype result = engine::dtype::fp32;  ///< of C
};

/// gemm at given sizes: in A and B, out C. The tiling is chosen once, here, and explained with
/// those that lost. invalid_argument for a size below 1 and for types that are not floating-point,
/// resource_error where a tensor's bytes overflow.
/// Aliasing: as sized_kernel says.
PAPILIO_API sized_kernel gemm_kernel(const gemm_shape& shape, const engine::machine_spec& machine);

}  // namespace papilio::kernels
