// GEMMs of equal shapes in one program.
//   identity   C[i] = alpha A[i] B[i] + beta C0[i]
//   layout     as products.cpp; panels follow one another through the batch
//   bound      tensor engine: passes * batch m n k / 128^2 cycles
#include "papilio/kernels/gemm.hpp"

#include "kernels/entries.hpp"
#include "kernels/products/product_entry.hpp"
#include "kernels/products/products.hpp"
#include "papilio/base/error.hpp"

namespace papilio::kernels {

using namespace engine;
using namespace kernels_detail;

namespace {

sized_kernel batch_operands(const product_design& design) {
  const matrix_product& p = design.product;
  sized_kernel sized{.program = {.name = "batched_gemm"},
                     .inputs = {{{p.batch_a, p.m, p.k}, p.type},
                                {{design.right_repeated ? 1 : p.batch_b, p.k, p.n}, p.type}},
                     .outputs = {{{p.batches(), p.m, p.n}, p.result}},
                     .ranges = {{}, {}}};
  if (p.epilogue.beta != 0) sized.inputs.push_back(sized.outputs[0]);
  return sized;
}

void run_batch(core& nc, const product_design& design, const kernel_arguments& t) {
  const matrix_product& p = design.product;
  const hbm_view b = t.in(1).reshape({t.in(1).extent(0), 1, p.k, p.n});
  run_product(
      nc, p, design.tiling,
      {.c = t.out(0).reshape({p.batches(), 1, p.m, p.n}),
       .a = t.in(0).reshape({p.batch_a, 1, p.m, p.k}),
       .b = design.right_repeated
                ? b.pattern(0, {{p.batches(), 0}, {1, p.k * p.n}, {p.k, p.n}, {p.n, 1}})
                : b,
       .bias = {},
       .before = p.epilogue.beta == 0 ? hbm_view{} : t.in(2).reshape({p.batches(), 1, p.m, p.n})});
}

}  // namespace

sized_kernel batched_gemm_kernel(const gemm_problem& problem, const machine_spec& machine,
                                 const batched_gemm_kernel_options& options) {
  constexpr const char* name = "batched_gemm";
  matrix_product product = checked_product(name, problem, options.type, options.result);
  if (problem.is_complex)
    throw invalid_argument("batched_gemm: the problem must be real, got a complex one");
  require_finite(name, "alpha", options.alpha);
  require_finite(name, "beta", options.beta);
  product.epilogue = {.alpha = options.alpha, .beta = options.beta};
  const std::int64_t batch = std::int64_t(problem.batch), m = product.m;
  // Where both are shared every product is the same one; it is made each time.
  const bool repeated = product.batches() < batch;
  if (repeated) product.batch_b = batch;
  // Rows of one product.
  const bool tall = problem.shared_right && !problem.shared_left;
  if (tall) {
    product.m = checked_multiply(batch, m, "batched_gemm: rows");
    product.batch_a = 1;
  }
  sized_kernel sized = tiled_kernel({.product = product, .right_repeated = repeated},
                                    {.operands = batch_operands, .run = run_batch}, machine);
  if (tall) {
    sized.inputs[0].extents = {batch, m, product.k};
    sized.outputs[0].extents = {batch, m, product.n};
    if (options.beta != 0) sized.inputs[2].extents = sized.outputs[0].extents;
  }
  return sized;
}

}  // namespace papilio::kernels

namespace papilio::kernels_detail {

kernels::catalog_entry batched_gemm_entry() {
  using namespace engine;
  return {.name = "batched_gemm",
          .summary = "C[i] = alpha A[i] B[i] + beta C0[i], A m x k, B k x n, on the tensor engine",
          .parameters = {{.name = "batch", .preset = "4", .help = "Number of products"},
                         {.name = "m", .preset = "512", .help = "Rows of A and C"},
                         {.name = "k", .preset = "512", .help = "Columns of A, rows of B"},
                         {.name = "n", .preset = "512", .help = "Columns of B and C"},
                         {.name = "shared",
                          .preset = "none",
                          .help = "The operand that all products have in common",
                          .choices = {"none", "a", "b"}},
                         product_dtype_parameter("Type of A and B; C is fp32"),
                         factor_parameter("alpha", "1", "Factor of the products"),
                         factor_parameter("beta", "0", "Factor of C0; 0: there is none")},
          .size = [](const kernels::parameter_values& values, const machine_spec& machine) {
            return kernels::batched_gemm_kernel(
                {.batch = kernels::size_of(values, "batch"),
                 .m = kernels::size_of(values, "m"),
                 .k = kernels::size_of(values, "k"),
                 .n = kernels::size_of(values, "n"),
                 .shared_left = values.at("shared") == "a",
                 .shared_right = values.at("shared") == "b"},
                machine,
                {.type = parse_dtype(values.at("dtype")),
                 .alpha = float(kernels::decimal_of(values, "alpha")),
                 .beta = float(kernels::decimal_of(values, "beta"))});
          }};
}

}  // namespace papilio::kernels_detail
