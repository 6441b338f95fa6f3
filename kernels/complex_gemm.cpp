// GEMM of planar complex matrices.
//   identity   four products: re = Ar Br + Ai (-Bi), im = Ar Bi + Ai Br
//              three: p = Ar Br, q = Ai Bi, s = (Ar + Ai)(Br + Bi); re = p - q, im = s - p - q
//   layout     as products.cpp, planes side by side on the free axis
//   bound      tensor engine: passes * products * m n k / 128^2 cycles
#include "papilio/kernels/gemm.hpp"

#include "kernels/complex_product.hpp"
#include "kernels/entries.hpp"
#include "papilio/base/error.hpp"

namespace papilio::kernels {

using namespace engine;
using namespace kernels_detail;

sized_kernel complex_gemm_kernel(const gemm_problem& problem, const machine_spec& machine,
                                 const complex_gemm_kernel_options& options) {
  constexpr const char* name = "complex_gemm";
  const matrix_product product = checked_product(name, problem, options.type, options.result);
  require_one_product(name, problem);
  if (!problem.is_complex)
    throw invalid_argument("complex_gemm: the problem must be complex, got a real one");
  return complex_product_kernel(name, options.products, product, machine);
}

}  // namespace papilio::kernels

namespace papilio::kernels_detail {

kernels::catalog_entry complex_gemm_entry() {
  using namespace engine;
  return {.name = "complex_gemm",
          .summary = "C = A B of planar complex matrices, A m x k, B k x n",
          .parameters = complex_product_parameters(
              {{.name = "m", .preset = "512", .help = "Rows of A and C"},
               {.name = "k", .preset = "512", .help = "Columns of A, rows of B"},
               {.name = "n", .preset = "512", .help = "Columns of B and C"}},
              "Of A and B; C is fp32"),
          .size = [](const kernels::parameter_values& values, const machine_spec& machine) {
            return kernels::complex_gemm_kernel(
                {.m = kernels::size_of(values, "m"),
                 .k = kernels::size_of(values, "k"),
                 .n = kernels::size_of(values, "n"),
                 .is_complex = true},
                machine,
                {.products = int(kernels::number_of(values, "products")),
                 .type = parse_dtype(values.at("dtype"))});
          }};
}

}  // namespace papilio::kernels_detail
