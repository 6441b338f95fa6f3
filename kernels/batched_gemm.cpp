// GEMMs of equal shapes in one program.
//   identity   C[i] = A[i] B[i]
//   layout     as products.cpp; panels follow one another through the batch
//   bound      tensor engine: passes * batch m n k / 128^2 cycles
#include "papilio/kernels/batched_gemm.hpp"

#include "kernels/entries.hpp"
#include "kernels/products.hpp"

namespace papilio::kernels {

using namespace engine;
using namespace kernels_detail;

sized_kernel batched_gemm_kernel(const batched_gemm_shape& shape, const machine_spec& machine) {
  constexpr const char* name = "batched_gemm";
  require_size(name, "batch", shape.batch);
  require_size(name, "m", shape.m);
  require_size(name, "k", shape.k);
  require_size(name, "n", shape.n);
  require_float(name, "type", shape.type);
  require_float(name, "result", shape.result);
  const std::int64_t left = shape.shared_left ? 1 : shape.batch,
                     right = shape.shared_right ? 1 : shape.batch;
  sized_kernel sized{
      .program = {.name = name},
      .inputs = {{{left, shape.m, shape.k}, shape.type}, {{right, shape.k, shape.n}, shape.type}},
      .outputs = {{{shape.batch, shape.m, shape.n}, shape.result}},
      .ranges = {{}, {}}};
  require_bytes(sized);
  // Where both are shared every product is the same one; it is made each time.
  const bool tall = shape.shared_right && !shape.shared_left;
  product_problem problem{.batch_a = tall ? 1 : left,
                          .batch_b = shape.shared_left ? shape.batch : right,
                          .m = tall ? shape.batch * shape.m : shape.m,
                          .n = shape.n,
                          .k = shape.k,
                          .type = shape.type,
                          .result = shape.result};
  const product_choice choice = choose_tiling(problem, machine);
  sized.explanation = choice.explanation;
  sized.expected_error = problem.expected_error(machine);
  const bool repeated = shape.shared_left && shape.shared_right && shape.batch > 1;
  sized.program.body = [problem, repeated, tiling = choice.tiling](core& nc,
                                                                   const kernel_arguments& t) {
    const std::int64_t blocks = problem.batches();
    const hbm_view b = t.in(1).reshape({t.in(1).extent(0), 1, problem.k, problem.n});
    run_product(nc, problem, tiling,
                {.c = t.out(0).reshape({blocks, 1, problem.m, problem.n}),
                 .a = t.in(0).reshape({problem.batch_a, 1, problem.m, problem.k}),
                 .b = repeated ? b.pattern(0, {{blocks, 0},
                                               {1, problem.k * problem.n},
                                               {problem.k, problem.n},
                                               {problem.n, 1}})
                               : b,
                 .bias = {}});
  };
  return sized;
}

}  // namespace papilio::kernels

namespace papilio::kernels_detail {

kernels::catalog_entry batched_gemm_entry() {
  using namespace engine;
  return {.name = "batched_gemm",
          .summary = "C[i] = A[i] B[i], A m x k, B k x n, on the tensor engine",
          .parameters = {{.name = "batch", .preset = "4", .help = "Number of products"},
                         {.name = "m", .preset = "512", .help = "Rows of A and C"},
                         {.name = "k", .preset = "512", .help = "Columns of A, rows of B"},
                         {.name = "n", .preset = "512", .help = "Columns of B and C"},
                         {.name = "shared",
                          .preset = "none",
                          .help = "The operand that all products have in common",
                          .choices = {"none", "a", "b"}},
                         {.name = "dtype",
                          .preset = "fp32",
                          .help = "Of A and B; C is fp32",
                          .choices = {"fp32", "bf16", "fp16", "tf32", "fp8_e4m3", "fp8_e5m2"}}},
          .size = [](const kernels::parameter_values& values, const machine_spec& machine) {
            return kernels::batched_gemm_kernel({.batch = kernels::number_of(values, "batch"),
                                                 .m = kernels::number_of(values, "m"),
                                                 .k = kernels::number_of(values, "k"),
                                                 .n = kernels::number_of(values, "n"),
                                                 .shared_left = values.at("shared") == "a",
                                                 .shared_right = values.at("shared") == "b",
                                                 .type = parse_dtype(values.at("dtype"))},
                                                machine);
          }};
}

}  // namespace papilio::kernels_detail
