#pragma once

#include <cstdint>
#include <optional>

#include "papilio/base/export.hpp"
#include "papilio/dispatch/operation.hpp"
#include "papilio/engine/core.hpp"
#include "papilio/engine/isa/scalar_engine.hpp"
#include "papilio/engine/machine_spec.hpp"
#include "papilio/kernels/sized_kernel.hpp"

namespace papilio::kernels {

/// Selects the sums that replace a product's values.
///   none   no sums: the values, [m, n]
///   rows   the sum of each row, [m]
///   whole  the sum of all, [1]
enum class product_sums : std::uint8_t { none, rows, whole };

/// Describes what is stored of a product A B: function(alpha A B + beta C0 + bias), element by
/// element, or sums of it. alpha and a function are part of the copy out of PSUM that every product
/// needs; C0 and bias are added to it. Values are fp32 until stored. beta = 0 reads no C0.
/// alpha = 0 multiplies all the same, so NaNs and infinities propagate.
struct product_epilogue {
  float alpha = 1, beta = 0;
  bool bias = false;  ///< a row of n values, added to each row of the product
  engine::activation_function function = engine::activation_function::copy;
  product_sums sums = product_sums::none;

  /// Returns whether A B is stored as it is, with a bias at most.
  bool is_plain() const {
    return alpha == 1 && beta == 0 && function == engine::activation_function::copy &&
           sums == product_sums::none;
  }
  bool operator==(const product_epilogue&) const = default;
};

/// Computes C = A B on the tensor engine. A: [m, k], B: [k, n], both fp32 or both of a narrower
/// floating-point type; C: [m, n] of any floating-point type. Sizes are at least 1.
///
/// Layout: C is made in blocks of m, n and k. What of A a block needs is loaded in long rows,
/// transposed on the tensor engine (128 x 128 blocks through PSUM) and kept in SBUF with k on
/// partitions. B comes in blocks too, or k tile by k tile while products run, each used by all rows
/// of the block; k is summed in PSUM, one bank per tile of C of 128 x 512, and rows of C are stored
/// as they are finished. The next block's A is transposed between the products of this one. Dry runs
/// choose the blocks from a few (see gemm_kernel). If all k does not fit, blocks of k are added in
/// SBUF. Bound: the tensor engine, 4 n cycles for each 128 x 128 x n product in fp32; DMA where m is
/// small. fp32: each element of C is a sum of k terms, in array order by 128, then in PSUM.
/// Throws shape_error if the shapes do not agree, device_error for types that the array does not
/// multiply.
PAPILIO_API void gemm(engine::core& nc, const engine::hbm_view& c, const engine::hbm_view& a,
                      const engine::hbm_view& b);

/// Options of gemm_kernel.
struct gemm_kernel_options {
  engine::dtype type = engine::dtype::fp32;    ///< Type of A and B on the device
  engine::dtype result = engine::dtype::fp32;  ///< Type of C, and of C0; sums are fp32
  bool left_transposed = false;                ///< A lies as [k, m]
  bool right_transposed = false;               ///< B lies as [n, k]
  product_epilogue epilogue = {};
  /// Packed type that A and B are quantised to on the device (MXFP8): fp8_e4m3fn_x4, which is the
  /// more accurate, or fp8_e5m2_x4. Empty: they are multiplied as they are.
  std::optional<engine::dtype> packed = {};
};

/// Computes gemm of a real problem with batch 1. In: A and B, then C0 [m, n] if beta is not 0, then
/// the bias [n], of A's type, if there is one; out: C, or what the epilogue sums. The blocks are
/// chosen here; explain() lists the candidates. Aliasing: as sized_kernel says.
///
/// Epilogue: alpha and the function are part of the copy out of PSUM, on the scalar engine; C0 and
/// bias are added in it, by one instruction of the vector engine for a tile (after gpsimd scaled
/// C0), the function then takes one more within SBUF. Sums of rows are made by the instruction that
/// applies the function, tile by tile of up to 512 columns from the left; that of all adds rows
/// 128 apart first, then partitions. The values that are summed are not stored.
/// A^T is loaded untransposed; B^T is transposed on the tensor engine as A is.
///
/// Packed operands: A and B are rounded to 16 bits as they are loaded, laid out with four k side by
/// side, and quantised in groups of 32 k with a scale (quantize_mx); products contract 512 k.
/// Groups are of neighbours, but for a last tile of k whose length is no multiple of 4.
///
/// Throws
///   invalid_argument  a size below 1, a problem that is complex, in another type than float or of
///                     a batch, types that are not floating-point, an alpha or beta that is no
///                     finite number; packed: a machine without products of packed types, another
///                     type than those two, operands of 8 bits
///   resource_error    a tensor's bytes overflow
PAPILIO_API sized_kernel gemm_kernel(const gemm_problem& problem,
                                     const engine::machine_spec& machine,
                                     const gemm_kernel_options& options = {});

/// Options of batched_gemm_kernel.
struct batched_gemm_kernel_options {
  engine::dtype type = engine::dtype::fp32;    ///< Type of A and B on the device
  engine::dtype result = engine::dtype::fp32;  ///< Type of C, and of C0; sums are fp32
  float alpha = 1, beta = 0;                   ///< Factors as product_epilogue says
};

/// Computes C[i] = alpha A[i] B[i] + beta C0[i] of a real problem. In: A [batch, m, k] and B
/// [batch, k, n], each with batch 1 if shared, then C0 [batch, m, n] if beta is not 0; out: C
/// [batch, m, n]. Aliasing: as sized_kernel says.
///
/// As gemm, in one program: while a product is under way, the next one's A is loaded and
/// transposed, so that the array never waits between them. A shared A is transposed once for all B,
/// which pass it; with a shared B the batch is one product of batch * m rows. Bound: the
/// tensor engine.
///
/// Throws as gemm_kernel, but takes a batch.
PAPILIO_API sized_kernel batched_gemm_kernel(const gemm_problem& problem,
                                             const engine::machine_spec& machine,
                                             const batched_gemm_kernel_options& options = {});

/// Options of complex_gemm_kernel.
struct complex_gemm_kernel_options {
  int products = 4;                            ///< Real products: 4, or Gauss' 3
  engine::dtype type = engine::dtype::fp32;    ///< Type of A, B and the bias on the device
  engine::dtype result = engine::dtype::fp32;  ///< Type of C
  bool right_transposed = false;               ///< B lies as [2, n, k]
  bool bias = false;                           ///< A row of n numbers, added to each row of A B
};

/// Computes C = A B of complex matrices as two planes, re and im, of a complex problem with batch
/// 1. In: A [2, m, k] and B [2, k, n], then the bias [2, n] if there is one; out: C [2, m, n]. A
/// linear layer x W^T + b is right_transposed with a bias. No conjugation, no scale. Aliasing: as
/// sized_kernel says.
///
/// - Four products: re += Ar Br, im += Ar Bi, re += Ai (-Bi), im += Ai Br, summed in two banks of
///   PSUM.
/// - Three: p = Ar Br, q = Ai Bi, s = (Ar + Ai)(Br + Bi) in three banks, re = p - q,
///   im = s - p - q. A quarter less work for the array, and 1.4 times the error in the norm (the
///   smaller of an element's real and imaginary values may lose more); Ar + Ai and Br + Bi are
///   rounded to the operands' type.
///
/// Layout as gemm's, the planes side by side; gpsimd makes -Bi, or Ar + Ai and Br + Bi. B^T is transposed on the tensor engine,
/// a block of columns of C at a time; the bias is added on the way out of PSUM. Dry runs choose the
/// tiles; explain() lists them. Bound: the tensor engine, at few rows DMA; its floor counts
/// four products in either form.
///
/// Throws as gemm_kernel, for problems that are not complex; invalid_argument for other products
/// than 3 and 4.
PAPILIO_API sized_kernel complex_gemm_kernel(const gemm_problem& problem,
                                             const engine::machine_spec& machine,
                                             const complex_gemm_kernel_options& options = {});

}  // namespace papilio::kernels
