#pragma once

#include <cstdint>

#include "papilio/base/export.hpp"
#include "papilio/base/view.hpp"
#include "papilio/engine/device.hpp"
#include "papilio/kernels/sized_kernel.hpp"
#include "papilio/kernels/triangle_layout.hpp"

namespace papilio::kernels {

struct syrk_shape {
  std::int64_t n = 1, k = 1;
  triangle part = triangle::lower;  ///< of C
  bool transposed = false;          ///< A lies as [k, n] and C is A^T A
  float alpha = 1, beta = 0;
  engine::dtype type = engine::dtype::fp32;  ///< of A; C is fp32
};

/// How the kernel keeps a triangle of n x n: in blocks of the array's side.
PAPILIO_API triangle_layout syrk_layout(const syrk_shape& shape,
                                        const engine::machine_spec& machine);

/// One triangle of C = alpha A A^T + beta C0, A: [n, k], or of alpha A^T A + beta C0, A: [k, n]. In
/// A, then C0 where beta is not 0; out C, both as syrk_layout says: only the blocks that touch the
/// triangle are computed, and come back. beta = 0 reads no C0.
///
/// Layout: as gemm's, with A as both operands, which are the same tiles where one panel holds all
/// of A. It is transposed on the tensor engine, or loaded as it lies where it is given as [k, n].
/// A row of blocks passes over those columns only that it has in the triangle. gpsimd puts zeros
/// into the blocks on the diagonal where they reach out of it.
/// Bound: the tensor engine, half the cycles of a product and half a block row more. fp32: each
/// element a sum of k terms, in array order by 128, then in PSUM; the same bits as gemm's.
/// invalid_argument for a size below 1, a type that is not floating-point, and an alpha or beta
/// that is no finite number; resource_error where bytes overflow.
PAPILIO_API sized_kernel syrk_kernel(const syrk_shape& shape, const engine::machine_spec& machine);

/// The triangle of c = alpha op(a) op(a)^T + beta c by one launch, its arrays copied to the device
/// and back; the other triangle of c is neither read nor written. With beta = 0 nothing of c is
/// read. c is not touched where anything is refused. shape_error unless c is square and a agrees;
/// others as syrk_kernel and device::launch.
PAPILIO_API engine::launch_result syrk(engine::device& on, const syrk_shape& shape,
                                       const view<const float, 2>& a, const view<float, 2>& c);

}  // namespace papilio::kernels
