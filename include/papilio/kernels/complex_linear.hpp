#pragma once

#include <cstdint>

#include "papilio/base/export.hpp"
#include "papilio/engine/machine_spec.hpp"
#include "papilio/kernels/sized_kernel.hpp"

namespace papilio::kernels {

struct complex_linear_shape {
  std::int64_t batch = 1, in = 1, out = 1;
  bool bias = true;
  int products = 4;                            ///< real ones: 4, or Gauss' 3
  engine::dtype type = engine::dtype::fp32;    ///< of x, W and b
  engine::dtype result = engine::dtype::fp32;  ///< of y
};

/// y = x W^T + b of planar complex tensors: in x [2, batch, in], W [2, out, in] and, with `bias`,
/// b [2, out]; out y [2, batch, out]. W is not conjugated.
///
/// As complex_gemm, of which x is the left operand; W too is loaded in rows and transposed on the
/// tensor engine, a block of columns of y at a time, and b is added as the sums leave PSUM.
/// Bound: the tensor engine, at small batches DMA. Errors as complex_gemm.
/// Aliasing: as sized_kernel says.
PAPILIO_API sized_kernel complex_linear_kernel(const complex_linear_shape& shape,
                                               const engine::machine_spec& machine);

}  // namespace papilio::kernels
