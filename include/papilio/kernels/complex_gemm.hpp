#pragma once

#include <cstdint>

#include "papilio/base/export.hpp"
#include "papilio/engine/machine_spec.hpp"
#include "papilio/kernels/sized_kernel.hpp"

namespace papilio::kernels {

struct complex_gemm_shape {
  std::int64_t m = 1, k = 1, n = 1;
  int products = 4;                            ///< real ones: 4, or Gauss' 3
  engine::dtype type = engine::dtype::fp32;    ///< of A and B
  engine::dtype result = engine::dtype::fp32;  ///< of C
};

/// C = A B of complex matrices as two planes, re and im: in A [2, m, k] and B [2, k, n], out
/// C [2, m, n]. No conjugation, no scale. Any sizes of at least 1.
///
/// Four products: re += Ar Br, im += Ar Bi, re += Ai (-Bi), im += Ai Br, summed in two banks of
/// PSUM. Three: p = Ar Br, q = Ai Bi, s = (Ar + Ai)(Br + Bi) in three banks, re = p - q,
/// im = s - p - q: a quarter less work for the array, and 1.4 times the error in the norm (an
/// element's smaller part may lose more); its sums of parts are rounded to the operands' type.
/// Layout as gemm's, the planes side by side: a panel of A, transposed, stays in SBUF, B streams
/// past it; -Bi, or the sums of parts, are made on the way, on gpsimd. Tiles are chosen by dry
/// runs, which the explanation lists. Bound: the tensor engine; its floor counts four products in
/// either form. invalid_argument for a size below 1, other products than 3 and 4, and types that
/// are not floating-point; resource_error where a tensor's bytes overflow.
/// Aliasing: as sized_kernel says.
PAPILIO_API sized_kernel complex_gemm_kernel(const complex_gemm_shape& shape,
                                             const engine::machine_spec& machine);

}  // namespace papilio::kernels
