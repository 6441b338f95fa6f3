#pragma once

#include <cstdint>
#include <span>

#include "papilio/base/array.hpp"
#include "papilio/base/export.hpp"
#include "papilio/base/triangle.hpp"
#include "papilio/dispatch/operation.hpp"
#include "papilio/engine/device.hpp"
#include "papilio/kernels/sized_kernel.hpp"

namespace papilio::kernels {

using triangle = matrix_triangle;
using solve_side = matrix_side;
using papilio::triangle_layout;

// Each function takes problems of its own triangle_function, in fp32. It throws invalid_argument
// for other ones, complex numbers, a size below 1, and an alpha or beta that is not finite.

/// Computes C = alpha A B + beta C0, or alpha B A + beta C0, A symmetric with one triangle given;
/// all fp32. In: A [order, order], B [m, n], then C0 [m, n] if beta is not 0; out: C [m, n]. The
/// other triangle of A may hold anything. beta = 0 reads no C0; alpha = 0 multiplies all the same,
/// so NaNs and infinities propagate. Aliasing: as sized_kernel says.
///
/// Method: gemm's products, which read A from its triangle: blocks of the other triangle are
/// transposed on the tensor engine, those of the triangle are loaded as they lie.
/// Bound: the tensor engine, a product's cycles; DMA for A where B has few columns (rows on the
/// right). Values: each element a sum of order terms, in array order by 128, then in PSUM; the same
/// bits as gemm's of the whole matrix.
/// Throws invalid_argument as said above; resource_error if bytes overflow.
PAPILIO_API sized_kernel symm_kernel(const triangle_problem& problem,
                                     const engine::machine_spec& machine);

/// Computes c = alpha a b + beta c or alpha b a + beta c in one launch, with arrays copied to the
/// device and back. beta = 0 reads nothing of c.
/// Throws shape_error unless all agree with the problem; others as symm_kernel and device::launch.
/// c is then not touched.
PAPILIO_API engine::launch_result symm(engine::device& on, const triangle_problem& problem,
                                       const view<const float, 2>& a, const view<const float, 2>& b,
                                       const view<float, 2>& c);

/// Returns how syrk_kernel stores a triangle of n x n: in blocks of the array's side.
PAPILIO_API triangle_layout syrk_layout(const triangle_problem& problem,
                                        const engine::machine_spec& machine);

/// Computes one triangle of C = alpha A A^T + beta C0, A [n, k], or of alpha A^T A + beta C0, A [k,
/// n], A of `type` and C fp32. In: A, then C0 if beta is not 0; out: C, both as in syrk_layout:
/// only the blocks that touch the triangle are computed and fetched. beta = 0 reads no C0.
/// Aliasing: as sized_kernel says.
///
/// Layout: as gemm's, with A as both operands, which are the same tiles where all of A stays in
/// SBUF. It is transposed on the tensor engine, or loaded untransposed if it is given as [k, n].
/// A row of blocks passes over those columns only that it has in the triangle. gpsimd puts zeros
/// into the blocks on the diagonal where they reach out of it.
/// Bound: the tensor engine, half the cycles of a product and half a block row more. fp32: each
/// element a sum of k terms, in array order by 128, then in PSUM; the same bits as gemm's.
/// Throws invalid_argument also for a type that is not floating-point; resource_error if bytes
/// overflow.
PAPILIO_API sized_kernel syrk_kernel(const triangle_problem& problem,
                                     const engine::machine_spec& machine,
                                     engine::dtype type = engine::dtype::fp32);

/// Computes the triangle of c = alpha op(a) op(a)^T + beta c in one launch, with arrays copied to
/// the device and back; the other triangle of c is neither read nor written. beta = 0 reads nothing
/// of c.
/// Throws shape_error unless c is square and a agrees; others as syrk_kernel and device::launch. c
/// is then not touched.
PAPILIO_API engine::launch_result syrk(engine::device& on, const triangle_problem& problem,
                                       const view<const float, 2>& a, const view<float, 2>& c,
                                       engine::dtype type = engine::dtype::fp32);

/// Computes C = alpha op(A) B, or alpha B op(A), A triangular; all fp32. In: A [order, order], B
/// [m, n]; out: C [m, n]. The other triangle of A, and a unit diagonal, may hold anything.
/// alpha = 0 multiplies all the same, so NaNs and infinities propagate. Aliasing: as sized_kernel
/// says.
///
/// Method: gemm's products without the blocks of A beside the triangle, of 128 x 128, with A on the
/// right 128 x 256; those on the diagonal have zeros beside it. An element of B that is not finite
/// therefore makes NaN of up to 127 rows (255 columns) of C that the triangle itself does not let it
/// reach.
/// Bound: the tensor engine, half of a product's cycles and half a block more; DMA where B has few
/// columns (rows on the right). Values: sums in array order by 128, then in PSUM.
/// Throws invalid_argument as said above; resource_error if bytes overflow.
PAPILIO_API sized_kernel trmm_kernel(const triangle_problem& problem,
                                     const engine::machine_spec& machine);

/// Computes b = alpha op(a) b or alpha b op(a) in one launch, with arrays copied to the device and
/// back.
/// Throws shape_error unless a and b agree with the problem; others as trmm_kernel and
/// device::launch. b is then not touched.
PAPILIO_API engine::launch_result trmm(engine::device& on, const triangle_problem& problem,
                                       const view<const float, 2>& a, const view<float, 2>& b);

/// Solves op(A) X = alpha B, or X op(A) = alpha B, for X, A triangular; all fp32. In: A [order,
/// order], then B [m, n]; out: X [m, n]. The other triangle of A may hold anything. Aliasing: as
/// sized_kernel says.
///
/// Method: blocks of 128; a small matrix is one, of the next power of two. The inverse W of each
/// block on the diagonal is computed on the tensor engine by doubling, W := W - W E W with E the
/// off-diagonal piece between neighbouring inverted pieces of 1, 2, ..., 64; nothing cancels, since
/// W is 0 where the product goes. A block of X is W R, R = alpha B less the products with the
/// blocks found before; then a refinement adds W (R - T X), T the block on the diagonal.
///
/// Layout: X is kept in SBUF, solved rows on partitions, for as many columns at a time as fit. A is
/// loaded once for these, transposed on the tensor engine if A itself, not A^T, stands on the left;
/// on the right everything is transposed when loaded and stored. While a block is solved, the
/// products of the next one with earlier blocks run. Bound: the tensor engine; with few columns a
/// chain of dependent instructions for each block.
///
/// Error, refined once: |op(A) X - alpha B| <= q u (|op(A)| |X| + |alpha B|) element by element, q
/// about the order of A and u = 2^-24, as long as no block on the diagonal is worse conditioned
/// than about 1 / (128 u): backward stable as substitution is. Without, q grows by the condition of
/// the blocks on the diagonal. A zero on the diagonal, or a NaN or infinity in the triangle, gives
/// NaNs and infinities in its block and all that depend on it. alpha = 0 gives zeros and uses
/// neither A nor B.
///
/// Throws invalid_argument also for refinements outside 0 ... 8; resource_error if bytes overflow.
PAPILIO_API sized_kernel trsm_kernel(const triangle_problem& problem,
                                     const engine::machine_spec& machine, int refinements = 1);

/// Computes b = X in one launch, with arrays copied to the device and back.
/// Throws shape_error unless a and b agree with the problem; others as trsm_kernel and
/// device::launch. b is then not touched.
PAPILIO_API engine::launch_result trsm(engine::device& on, const triangle_problem& problem,
                                       const view<const float, 2>& a, const view<float, 2>& b,
                                       int refinements = 1);

}  // namespace papilio::kernels
