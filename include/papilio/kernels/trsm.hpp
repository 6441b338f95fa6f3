#pragma once

#include <cstdint>

#include "papilio/base/export.hpp"
#include "papilio/base/view.hpp"
#include "papilio/engine/device.hpp"
#include "papilio/kernels/sized_kernel.hpp"
#include "papilio/kernels/triangle_layout.hpp"

namespace papilio::kernels {

struct trsm_shape {
  std::int64_t m = 1, n = 1;  ///< of B and X; A is m x m on the left, n x n on the right
  solve_side side = solve_side::left;
  triangle part = triangle::lower;  ///< of A; the other triangle is not used
  bool transposed = false;          ///< A^T instead of A
  bool unit = false;                ///< A's diagonal is taken for ones and not used
  float alpha = 1;
  int refinements = 1;  ///< of each block of X; 0: none
};

/// X of op(A) X = alpha B, or of X op(A) = alpha B, A triangular; all fp32. In A, then B; out X.
/// The triangle of A that is not named may hold anything.
///
/// Method: blocks of 128; a small matrix is one, of the next power of two. The inverse W of each
/// block on the diagonal is made on the tensor engine by halves, W := W - W E W with E the part of
/// the block between neighbouring inverted parts, for parts of 1, 2, ..., 64; nothing cancels,
/// since W is 0 where the product comes. A block of X is W R, R = alpha B less the products with
/// those found before; then a refinement adds W (R - T X), T the block on the diagonal.
///
/// Layout: X stays in SBUF, solved rows on partitions, for so many columns at a time as fit; A
/// passes by once for these, transposed on the tensor engine where A itself, not A^T, stands on the
/// left. On the right everything is transposed on its way in and out. While a block is solved, the
/// products of the next one with earlier blocks run.
/// Bound: the tensor engine; a chain of dependent instructions for each block where columns are
/// few.
///
/// Error, refined once: |op(A) X - alpha B| <= q u (|op(A)| |X| + |alpha B|) element by element, q
/// about the order of A and u = 2^-24, as long as no block on the diagonal is worse conditioned
/// than about 1 / (128 u): backward stable as substitution is. Without, q grows by the condition of
/// the blocks on the diagonal. A zero on the diagonal gives values that are no numbers in its block
/// and all that depend on it; so does whatever is no number in the triangle. alpha = 0 gives zeros
/// and uses neither A nor B.
///
/// invalid_argument for m or n below 1, a negative number of refinements or more than 8, and an
/// alpha that is no finite number; resource_error where bytes overflow.
PAPILIO_API sized_kernel trsm_kernel(const trsm_shape& shape, const engine::machine_spec& machine);

/// b = X by one launch, its arrays copied to the device and back. b is not touched where anything
/// is refused. shape_error unless a and b agree with the shape; others as trsm_kernel and
/// device::launch.
PAPILIO_API engine::launch_result trsm(engine::device& on, const trsm_shape& shape,
                                       const view<const float, 2>& a, const view<float, 2>& b);

}  // namespace papilio::kernels
