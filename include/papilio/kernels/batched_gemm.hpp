#pragma once

#include <cstdint>

#include "papilio/base/export.hpp"
#include "papilio/engine/machine_spec.hpp"
#include "papilio/kernels/sized_kernel.hpp"

namespace papilio::kernels {

struct batched_gemm_shape {
  std::int64_t batch = 1, m = 1, k = 1, n = 1;
  bool shared_left = false;                    ///< A is [1, m, k], for all of the batch
  bool shared_right = false;                   ///< B is [1, k, n], for all of the batch
  engine::dtype type = engine::dtype::fp32;    ///< of A and B
  engine::dtype result = engine::dtype::fp32;  ///< of C
  float alpha = 1, beta = 0;
};

/// C[i] = alpha A[i] B[i] + beta C0[i]: in A [batch, m, k] and B [batch, k, n], each with batch 1
/// where it is shared, then C0 [batch, m, n] where beta is not 0; out C [batch, m, n]. Any sizes of
/// at least 1. Factors as product_epilogue says.
///
/// As gemm, in one program: while a product is under way, the next one's A is loaded and
/// transposed, so that the array never waits between them. A shared A is transposed once a panel,
/// and all B stream past it; with a shared B the batch is one product of batch * m rows. Bound: the
/// tensor engine. invalid_argument for a size below 1, types that are not floating-point, and an
/// alpha or beta that is no finite number; resource_error where a tensor's bytes overflow.
/// Aliasing: as sized_kernel says.
PAPILIO_API sized_kernel batched_gemm_kernel(const batched_gemm_shape& shape,
                                             const engine::machine_spec& machine);

}  // namespace papilio::kernels
