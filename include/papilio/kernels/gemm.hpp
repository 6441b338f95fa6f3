#pragma once

#include <cstdint>

#include "papilio/base/export.hpp"
#include "papilio/engine/core.hpp"
#include "papilio/kernels/product_epilogue.hpp"
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
  engine::dtype result = engine::dtype::fp32;  ///< of C, and of C0; sums are fp32
  bool left_transposed = false;                ///< A lies as [k, m]
  bool right_transposed = false;               ///< B lies as [n, k]
  product_epilogue epilogue = {};
};

/// gemm at given sizes: in A and B, then C0 where beta is not 0, then the bias [n], of A's type,
/// where there is one; out C, or what the epilogue sums. The tiling is chosen once, here, and
/// explained with those that lost.
///
/// Epilogue: alpha and the function are part of the copy out of PSUM, on the scalar engine; C0 and
/// bias are added in it, by one instruction of the vector engine for a tile (after gpsimd scaled
/// C0), the function then takes one more within SBUF. Sums of rows are made by the instruction that
/// applies the function, tile by tile of up to 512 columns from the left; that of all adds rows
/// 128 apart first, then lanes. The values that are summed are not stored.
/// A^T is loaded as it lies; B^T is transposed on the tensor engine as A is.
///
/// invalid_argument for a size below 1, types that are not floating-point, and an alpha or beta
/// that is no finite number; resource_error where a tensor's bytes overflow.
/// Aliasing: as sized_kernel says.
PAPILIO_API sized_kernel gemm_kernel(const gemm_shape& shape, const engine::machine_spec& machine);

}  // namespace papilio::kernels
