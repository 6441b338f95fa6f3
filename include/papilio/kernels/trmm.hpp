#pragma once

#include <cstdint>

#include "papilio/base/export.hpp"
#include "papilio/base/view.hpp"
#include "papilio/engine/device.hpp"
#include "papilio/kernels/sized_kernel.hpp"
#include "papilio/kernels/triangle_layout.hpp"

namespace papilio::kernels {

struct trmm_shape {
  std::int64_t m = 1, n = 1;  ///< of B and C; A is m x m on the left, n x n on the right
  solve_side side = solve_side::left;
  triangle part = triangle::lower;  ///< of A; the other triangle is not used
  bool transposed = false;          ///< A^T instead of A
  bool unit = false;                ///< A's diagonal is taken for ones and not used
  float alpha = 1;
};

/// C = alpha op(A) B, or alpha B op(A), A triangular; all fp32. In A [order, order], B [m, n]; out
/// C [m, n]. The triangle of A that is not named, and a unit diagonal, may hold anything. alpha = 0
/// multiplies all the same, so that values that are no numbers show.
///
/// Method: strips of 256 rows of C (on the right columns), each a product, with gemm's tiles, of
/// that part of B only that the triangle reaches, to the end of the strip's block on the diagonal,
/// in which there are zeros beside the triangle: elements of B that are not finite make NaN of up
/// to 255 rows (columns) of C before or after that the triangle does not let them reach.
/// Bound: the tensor engine, half of a product's cycles and half a strip more; DMA where B has few
/// columns (rows on the right). Values: sums in array order by 128, then in PSUM.
/// invalid_argument for a size below 1 and an alpha that is no finite number; resource_error where
/// bytes overflow.
PAPILIO_API sized_kernel trmm_kernel(const trmm_shape& shape, const engine::machine_spec& machine);

/// b = alpha op(a) b or alpha b op(a) by one launch, arrays copied to the device and back. b is not
/// touched where anything is refused. shape_error unless a and b agree with the shape; others as
/// trmm_kernel and device::launch.
PAPILIO_API engine::launch_result trmm(engine::device& on, const trmm_shape& shape,
                                       const view<const float, 2>& a, const view<float, 2>& b);

}  // namespace papilio::kernels
