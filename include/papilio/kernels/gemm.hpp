#pragma once

#include <cstdint>

#include "papilio/base/export.hpp"
#include "papilio/dispatch/operation.hpp"
#include "papilio/engine/core.hpp"
#include "papilio/engine/isa/scalar_engine.hpp"
#include "papilio/engine/machine_spec.hpp"
#include "papilio/kernels/sized_kernel.hpp"

namespace papilio::kernels {

/// Which sums of a product's values are wanted instead of the values.
///   none   none: the values, [m, n]
///   rows   the sum of each row, [m]
///   whole  the sum of all, [1]
enum class product_sums : std::uint8_t { none, rows, whole };

/// What becomes of A B on its way out of PSUM: function(alpha A B + beta C0 + bias), element by
/// element, and what is stored of it. Where only alpha or a function is asked for, they are part of
/// the copy out of PSUM that every product needs; C0 and bias are added by it. Values are fp32
/// until they are stored.
///
/// beta = 0 has no C0 and reads none. alpha = 0 multiplies all the same, so that values that are no
/// numbers show.
struct product_epilogue {
  float alpha = 1, beta = 0;
  bool bias = false;  ///< a row of n values, added to each row of the product
  engine::activation_function function = engine::activation_function::copy;
  product_sums sums = product_sums::none;

  /// A B as it is; with a bias at most.
  bool is_plain() const {
    return alpha == 1 && beta == 0 && function == engine::activation_function::copy &&
           sums == product_sums::none;
  }
  bool operator==(const product_epilogue&) const = default;
};

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

/// How gemm_kernel computes and how its operands lie.
struct gemm_kernel_options {
  engine::dtype type = engine::dtype::fp32;    ///< Type of A and B on the device
  engine::dtype result = engine::dtype::fp32;  ///< Type of C, and of C0; sums are fp32
  bool left_transposed = false;                ///< A lies as [k, m]
  bool right_transposed = false;               ///< B lies as [n, k]
  product_epilogue epilogue = {};
};

/// gemm of a real problem with batch 1. In: A and B, then C0 where beta is not 0, then the bias
/// [n], of A's type, where there is one; out: C, or what the epilogue sums. The tiling is chosen
/// once, here, and explained with those that lost. Aliasing: as sized_kernel says.
///
/// Epilogue: alpha and the function are part of the copy out of PSUM, on the scalar engine; C0 and
/// bias are added in it, by one instruction of the vector engine for a tile (after gpsimd scaled
/// C0), the function then takes one more within SBUF. Sums of rows are made by the instruction that
/// applies the function, tile by tile of up to 512 columns from the left; that of all adds rows
/// 128 apart first, then partitions. The values that are summed are not stored.
/// A^T is loaded as it lies; B^T is transposed on the tensor engine as A is.
///
/// Errors:
///   invalid_argument  a size below 1, a problem that is complex, in another type than float or of
///                     a batch, types that are not floating-point, an alpha or beta that is no
///                     finite number
///   resource_error    a tensor's bytes overflow
PAPILIO_API sized_kernel gemm_kernel(const gemm_problem& problem,
                                     const engine::machine_spec& machine,
                                     const gemm_kernel_options& options = {});

/// How batched_gemm_kernel computes.
struct batched_gemm_kernel_options {
  engine::dtype type = engine::dtype::fp32;    ///< Type of A and B on the device
  engine::dtype result = engine::dtype::fp32;  ///< Type of C, and of C0; sums are fp32
  float alpha = 1, beta = 0;                   ///< Factors as product_epilogue says
};

/// C[i] = alpha A[i] B[i] + beta C0[i] of a real problem. In: A [batch, m, k] and B [batch, k, n],
/// each with batch 1 where it is shared, then C0 [batch, m, n] where beta is not 0; out:
/// C [batch, m, n]. Aliasing: as sized_kernel says.
///
/// As gemm, in one program: while a product is under way, the next one's A is loaded and
/// transposed, so that the array never waits between them. A shared A is transposed once a panel,
/// and all B stream past it; with a shared B the batch is one product of batch * m rows. Bound: the
/// tensor engine.
///
/// Errors: as gemm_kernel, but for a batch.
PAPILIO_API sized_kernel batched_gemm_kernel(const gemm_problem& problem,
                                             const engine::machine_spec& machine,
                                             const batched_gemm_kernel_options& options = {});

/// How complex_gemm_kernel computes and how its right operand lies.
struct complex_gemm_kernel_options {
  int products = 4;                            ///< Real products: 4, or Gauss' 3
  engine::dtype type = engine::dtype::fp32;    ///< Type of A, B and the bias on the device
  engine::dtype result = engine::dtype::fp32;  ///< Type of C
  bool right_transposed = false;               ///< B lies as [2, n, k]
  bool bias = false;                           ///< A row of n numbers, added to each row of A B
};

/// C = A B of complex matrices as two planes, re and im, of a complex problem with batch 1: in
/// A [2, m, k] and B [2, k, n], then the bias [2, n] where there is one; out C [2, m, n]. A linear
/// layer x W^T + b is right_transposed with a bias. No conjugation, no scale. Aliasing: as
/// sized_kernel says.
///
/// Four products: re += Ar Br, im += Ar Bi, re += Ai (-Bi), im += Ai Br, summed in two banks of
/// PSUM. Three: p = Ar Br, q = Ai Bi, s = (Ar + Ai)(Br + Bi) in three banks, re = p - q,
/// im = s - p - q: a quarter less work for the array, and 1.4 times the error in the norm (an
/// element's smaller part may lose more); its sums of parts are rounded to the operands' type.
/// Layout as gemm's, the planes side by side: a panel of A, transposed, stays in SBUF, B streams
/// past it; -Bi, or the sums of parts, are made on the way, on gpsimd. B^T is transposed on the
/// tensor engine, a block of columns of C at a time; the bias is added as the sums leave PSUM.
/// Tiles are chosen by dry runs, which the explanation lists. Bound: the tensor engine, at few rows
/// DMA; its floor counts four products in either form.
///
/// Errors: as gemm_kernel, of problems that are not complex; invalid_argument for other products
/// than 3 and 4.
PAPILIO_API sized_kernel complex_gemm_kernel(const gemm_problem& problem,
                                             const engine::machine_spec& machine,
                                             const complex_gemm_kernel_options& options = {});

}  // namespace papilio::kernels
