#pragma once

#include "papilio/base/export.hpp"
#include "papilio/engine/core.hpp"

namespace papilio::kernels {

/// C = A B on the tensor engine. A: [m, k], B: [k, n], both fp32 or both of a narrower
/// floating-point type; C: [m, n] of any floating-point type. Any sizes of at least 1.
///
/// Layout: a panel of up to 512 rows of A is loaded in long rows, transposed on the tensor engine
/// (128 x 128 blocks through PSUM) and stays in SBUF with k on partitions; B streams past it in
/// tiles of 128 x 512, each used by every 128 rows of the panel, and k is summed in PSUM, one bank
/// an output tile. The next panel is transposed between the columns of this one. Where a panel of
/// all k does not fit, k is cut and the parts are added in HBM.
/// Bound: the tensor engine, 4 n cycles for each 128 x 128 x n product in fp32; DMA where a type
/// takes one pass and m is small. fp32: C of a sum of k terms, in array order by 128, then in PSUM.
/// shape_error if the shapes do not agree, device_error for types that the array does not multiply.
PAPILIO_API void gemm(engine::core& nc, const engine::hbm_view& c, const engine::hbm_view& a,
                      const engine::hbm_view& b);

}  // namespace papilio::kernels
