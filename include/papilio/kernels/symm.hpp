#pragma once

#include <cstdint>

#include "papilio/base/export.hpp"
#include "papilio/base/view.hpp"
#include "papilio/engine/device.hpp"
#include "papilio/kernels/sized_kernel.hpp"
#include "papilio/kernels/triangle_layout.hpp"

namespace papilio::kernels {

struct symm_shape {
  std::int64_t m = 1, n = 1;  ///< of B and C; A is m x m on the left, n x n on the right
  solve_side side = solve_side::left;
  triangle part = triangle::lower;  ///< of A; the other triangle is not used
  float alpha = 1, beta = 0;
};

/// C = alpha A B + beta C0, or alpha B A + beta C0, A symmetric, of which one triangle is given;
/// all fp32. In A [order, order], B [m, n], then C0 where beta is not 0; out C [m, n]. The triangle
/// of A that is not named may hold anything. beta = 0 reads no C0; alpha = 0 multiplies all the
/// same, so that values that are no numbers show.
///
/// Method: A is made whole in HBM, blocks of the other triangle transposed on the tensor engine;
/// then gemm's tiles. On the left the whole A is its own transpose and is loaded as it lies.
/// Bound: the tensor engine, a product's cycles; DMA for A where B has few columns (rows on the
/// right). Values: each element a sum of order terms, in array order by 128, then in PSUM; the same
/// bits as gemm's of the whole matrix.
/// invalid_argument for a size below 1 and an alpha or beta that is no finite number;
/// resource_error where bytes overflow.
PAPILIO_API sized_kernel symm_kernel(const symm_shape& shape, const engine::machine_spec& machine);

/// c = alpha a b + beta c or alpha b a + beta c by one launch, arrays copied to the device and
/// back. With beta = 0 nothing of c is read. c is not touched where anything is refused.
/// shape_error unless all agree with the shape; others as symm_kernel and device::launch.
PAPILIO_API engine::launch_result symm(engine::device& on, const symm_shape& shape,
                                       const view<const float, 2>& a, const view<const float, 2>& b,
                                       const view<float, 2>& c);

}  // namespace papilio::kernels
