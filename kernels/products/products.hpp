#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "base/internal.hpp"
#include "kernels/ceil_div.hpp"
#include "papilio/engine/core.hpp"
#include "papilio/engine/kernel.hpp"
#include "papilio/kernels/gemm.hpp"
#include "papilio/kernels/sized_kernel.hpp"
#include "papilio/kernels/triangular.hpp"

// Matrix products on the tensor engine, tiled: what gemm, its batched and complex forms and the
// linear layer have in common.
namespace papilio::kernels_detail {

/// What an output tile is made of, in real products.
///   real            A B
///   four_products   Ar Br - Ai Bi, Ar Bi + Ai Br, summed in two banks of PSUM
///   three_products  p = Ar Br, q = Ai Bi, s = (Ar + Ai)(Br + Bi) in three banks; p - q, s - p - q
enum class product_form : std::uint8_t { real, four_products, three_products };

/// An operand is a part of a matrix of which one triangle is given; the other may hold anything. It
/// is zeros, or the first one's mirror image, of an operand that is all of a symmetric matrix.
struct operand_triangle {
  kernels::triangle part = kernels::triangle::lower;  ///< of the matrix as it lies
  bool is_mirrored = false;
  std::int64_t diagonal = 0;  ///< it is where column = row + diagonal
  bool unit = false;          ///< with ones on the diagonal

  auto fields() const { return std::tie(part, is_mirrored, diagonal, unit); }
};

struct matrix_product {
  product_form form = product_form::real;
  std::int64_t batch_a = 1, batch_b = 1;  ///< 1: shared by all of the other's
  std::int64_t m = 1, n = 1, k = 1;
  bool right_transposed = false;  ///< B lies as [n, k]
  bool biased = false;            ///< C = A B + bias, a row
  engine::dtype type = engine::dtype::fp32, result = engine::dtype::fp32;
  bool left_transposed = false;             ///< A lies as [k, m]
  kernels::product_epilogue epilogue = {};  ///< of one real product
  /// Of a square C only this triangle, which lies as a triangle_layout of `side` says.
  std::optional<kernels::triangle> part = {};
  std::optional<operand_triangle> left_triangle = {}, right_triangle = {};

  auto fields() const {
    return std::tie(form, batch_a, batch_b, m, n, k, right_transposed, biased, type, result,
                    left_transposed, epilogue.alpha, epilogue.beta, epilogue.bias,
                    epilogue.function, epilogue.sums, part, left_triangle, right_triangle);
  }

  std::int64_t planes() const { return form == product_form::real ? 1 : 2; }
  std::int64_t products() const;  ///< real ones, for each k tile of a tile of C
  std::int64_t banks() const;     ///< of PSUM, for a tile of C
  std::int64_t batches() const { return batch_a > batch_b ? batch_a : batch_b; }
  /// Whether A, or B, is a symmetric matrix, read from its triangle.
  bool has_symmetric_left() const { return left_triangle && left_triangle->is_mirrored; }
  bool has_symmetric_right() const { return right_triangle && right_triangle->is_mirrored; }
  /// Whether tiles of C leave PSUM by product_epilogue.cpp.
  bool has_epilogue() const { return !epilogue.is_plain() || part.has_value(); }
  /// How many sums the epilogue makes.
  std::int64_t sums() const { return epilogue.sums == kernels::product_sums::rows ? m : 1; }
  /// Cycles of the tensor engine on a full array; `products` a multiply-add of two elements.
  double tensor_cycles(std::int64_t products, const engine::machine_spec& machine) const;
  /// Inputs, bias and output once.
  double bytes() const;
  /// Relative, in the Euclidean norm, for random operands of mean 0.
  double expected_error(const engine::machine_spec& machine) const;
};

/// How a problem is cut. A panel, `groups` times `rows` of A, stays in SBUF with k on partitions;
/// B comes in blocks of `width` columns, which all groups pass over; C is made in tiles of `side` x
/// `columns`, those of a group at once.
struct product_tiling {
  std::int64_t side = 0;     ///< the array's
  std::int64_t columns = 0;  ///< of a tile of C: a bank
  std::int64_t rows = 0;     ///< of a group: a multiple of side
  std::int64_t groups = 0;   ///< of a panel
  std::int64_t width = 0;    ///< of a load of B: a multiple of columns
  std::int64_t depth = 0;    ///< of k, summed in PSUM; further parts are added in HBM
  std::int64_t ahead = 0;    ///< tiles of B beyond those in use
  /// B is stationary and A^T moving: tiles of C^T, of `side` columns and all rows of a group, which
  /// are transposed on the way out. Pays where m is less than the array has columns.
  bool turned = false;

  auto fields() const { return std::tie(side, columns, rows, groups, width, depth, ahead, turned); }

  std::string describe() const;
  /// With the parts in which so many terms are summed: "tiles: ..., k in 2 parts".
  std::string describe(std::int64_t k) const;
};

/// What a kernel of one product was designed to be: gemm, its batched and complex forms, syrk.
struct product_design {
  matrix_product product;
  product_tiling tiling = {};
  bool in_batch = false;        ///< tensors have the batch as their first axis
  bool right_repeated = false;  ///< B is one matrix, which each product of the batch reads anew

  auto fields() const { return std::tie(product, tiling, in_batch, right_repeated); }
  std::string describe() const;
  /// With so many products of a batch, or rows where there is one product. A triangle has no such
  /// count.
  product_design of_count(std::int64_t count) const;
  product_design without_batch() const { return of_count(0); }
};

/// The fastest of a few tilings, by a dry run of each: of the whole problem, or of a part that has
/// its proportions.
struct product_choice {
  product_tiling tiling;
  std::string chosen_as;
  std::vector<kernels::compared_design> compared;
};
/// Instructions of a dry run, roughly: products, and what brings a tile of C to HBM as so many.
double effort_of(const matrix_product& problem, const product_tiling& tiling);
product_choice choose_tiling(const matrix_product& problem, const engine::machine_spec& machine);

/// Tensors as [batch, planes, rows, columns]; bias, where there is one, as [planes, n]. A triangle
/// is one run of elements. `before`, where beta is not 0, lies as c; `sums`, where there are some,
/// as [m] or [1], and c is then absent.
struct product_operands {
  engine::hbm_view c, a, b, bias, before = {}, sums = {};
};
void run_product(engine::core& nc, const matrix_product& problem, const product_tiling& tiling,
                 const product_operands& operands);

/// A matrix [rows, columns] as an operand of one product.
engine::hbm_view one_matrix(const engine::hbm_view& matrix);

/// The kernel with the tiling that is fastest in place of the design's. It repeats the products of
/// a batch, or rows where there is one product; of a triangle nothing.
///   in    A, then B but for a triangle; C0 if beta is not 0; the bias if there is one
///   out   C, or what the epilogue sums
/// Matrices lie as [rows, columns] behind the batch, and behind the planes.
kernels::sized_kernel tiled_kernel(const char* name, product_design design,
                                   const engine::machine_spec& machine);

/// Runs of it on tensors of their own, to be priced.
std::function<void(engine::core&, const product_tiling&)> scratch_run(
    const matrix_product& product, const engine::machine_spec& machine);

/// The product of a problem of matrices in float, a shared operand as it is. invalid_argument, in
/// the name of `name`, for sizes below 1, and for types that are not floating-point.
PAPILIO_INTERNAL matrix_product checked_product(const char* name, const gemm_problem& problem,
                                                engine::dtype type, engine::dtype result);
/// invalid_argument unless the problem has one product.
PAPILIO_INTERNAL void require_one_product(const char* name, const gemm_problem& problem);
/// invalid_argument unless the problem is real, or complex.
void require_real(const char* name, const gemm_problem& problem);
PAPILIO_INTERNAL void require_complex(const char* name, const gemm_problem& problem);
/// invalid_argument unless alpha and beta are finite.
kernels::product_epilogue checked_epilogue(const char* name,
                                           const kernels::product_epilogue& epilogue);
/// four_products or three_products; invalid_argument for another number.
product_form product_form_of(const char* name, int products);

}  // namespace papilio::kernels_detail
