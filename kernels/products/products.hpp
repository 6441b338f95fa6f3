#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "base/internal.hpp"
#include "kernels/product/choice.hpp"
#include "papilio/engine/core.hpp"
#include "papilio/engine/isa/rules.hpp"
#include "papilio/engine/kernel.hpp"
#include "papilio/kernels/gemm.hpp"
#include "papilio/kernels/sized_kernel.hpp"
#include "papilio/kernels/triangular.hpp"

// Products of matrices as steps of a contraction, the common ground of gemm, its batched and
// complex forms, the linear layer and products with triangles. product/run.cpp has layout and
// bound.
namespace papilio::kernels_detail {

/// The real products that an output tile is made of.
///   real            A B
///   four_products   Ar Br - Ai Bi, Ar Bi + Ai Br, summed in two banks of PSUM
///   three_products  p = Ar Br, q = Ai Bi, s = (Ar + Ai)(Br + Bi) in three banks; p - q, s - p - q
enum class product_form : std::uint8_t { real, four_products, three_products };

/// C[i] = A[i] B[i] of a batch, A m x k and B k x n, with an epilogue.
struct matrix_product {
  product_form form = product_form::real;
  std::int64_t batch_a = 1, batch_b = 1;  ///< 1: one matrix for the whole batch
  bool right_repeated = false;            ///< B is one matrix, read anew for each product
  std::int64_t m = 1, n = 1, k = 1;
  bool right_transposed = false;  ///< B lies as [n, k]
  bool biased = false;            ///< C = A B + bias, a row
  engine::dtype type = engine::dtype::fp32, result = engine::dtype::fp32;
  std::optional<engine::dtype> packed = {};  ///< quantised to it; form must be real, with no batch
  bool left_transposed = false;              ///< A lies as [k, m]
  kernels::product_epilogue epilogue = {};   ///< form must be real
  /// The only triangle of a square C that is made; it is stored as a triangle_layout.
  std::optional<kernels::triangle> part = {};
  std::optional<operand_triangle> left_triangle = {}, right_triangle = {};

  auto fields() const {
    return std::tie(form, batch_a, batch_b, right_repeated, m, n, k, right_transposed, biased, type,
                    result, packed, left_transposed, epilogue.alpha, epilogue.beta, epilogue.bias,
                    epilogue.function, epilogue.sums, part, left_triangle, right_triangle);
  }

  std::int64_t planes() const { return form == product_form::real ? 1 : 2; }
  bool has_triangle() const { return left_triangle || right_triangle; }
  std::int64_t products() const;  ///< real products for one of numbers: 1, 3 or 4
  std::int64_t batches() const { return batch_a > batch_b ? batch_a : batch_b; }
  /// The number of sums that the epilogue makes.
  std::int64_t sums() const { return epilogue.sums == kernels::product_sums::rows ? m : 1; }
  /// Cycles of the tensor engine on a full array, with `products` real products for one of numbers.
  double tensor_cycles(std::int64_t products, const engine::machine_spec& machine) const;
  /// Bytes of the inputs, the bias and the output, each once.
  double bytes() const;
  /// Expected relative error in the Euclidean norm, for random operands of mean 0.
  double expected_error(const engine::machine_spec& machine) const;
  /// The step of a contraction with the axes batch, where there is one, m, n and k.
  contraction_step step() const;
};

/// The design of a kernel of one product: gemm, its batched and complex forms, syrk, symm and trmm.
struct product_design {
  matrix_product product;
  product_step_design how = {};
  bool in_batch = false;  ///< tensors have the batch as their first axis

  auto fields() const { return std::tie(product, how, in_batch); }
  std::string describe() const;
  /// The design with another number of products in the batch, or of rows where there is one
  /// product. A product with a triangle is returned as it is.
  product_design of_count(std::int64_t count) const;
  product_design without_batch() const { return of_count(0); }
};

/// The kernel of `design.product`, with the design that dry runs find fastest. Unless there is a
/// triangle, its parts for dry runs are some products of the batch, or some rows of one product.
///   in    A, then B unless C is a triangle; an operand with a triangle comes first, whichever side
///         of the product it is on; C0 if beta is not 0; the bias if there is one
///   out   C, or what the epilogue sums
/// Matrices lie as [rows, columns] behind the batch, and behind the planes.
kernels::sized_kernel product_kernel(const char* name, product_design design,
                                     const engine::machine_spec& machine);

/// The product of a problem in single precision, with operands as they lie. invalid_argument, in
/// the kernel's name, for sizes below 1, and for types that are not floating-point.
PAPILIO_INTERNAL matrix_product checked_product(const char* name, const gemm_problem& problem,
                                                engine::dtype type, engine::dtype result);
/// invalid_argument unless the problem has one product.
PAPILIO_INTERNAL void require_one_product(const char* name, const gemm_problem& problem);
/// invalid_argument unless the problem is real, or complex.
void require_real(const char* name, const gemm_problem& problem);
PAPILIO_INTERNAL void require_complex(const char* name, const gemm_problem& problem);
/// invalid_argument, saying that `what` need a newer core, on a machine that has this rule.
void require_free_of(engine::isa_rule rule, const char* name, const char* what,
                     const engine::machine_spec& machine);
/// invalid_argument unless alpha and beta are finite.
kernels::product_epilogue checked_epilogue(const char* name,
                                           const kernels::product_epilogue& epilogue);
/// four_products or three_products; invalid_argument for another number.
product_form product_form_of(const char* name, int products);

}  // namespace papilio::kernels_detail
