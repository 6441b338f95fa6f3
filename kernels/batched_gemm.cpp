// GEMMs of equal shapes in one program.
//   identity   C[i] = A[i] B[i]
//   layout     as products.cpp; panels follow one another through the batch
//   bound      tensor engine: passes * batch m n k / 128^2 cycles
#include "papilio/kernels/batched_gemm.hpp"

#include "kernels/entries.hpp"
#include "kernels/products.hpp"
#include "papilio/base/checked.hpp"

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
  // Where both are shared every product is the same one; it is made each time.
  const bool repeated = shape.shared_left && shape.shared_right && shape.batch > 1;
  const std::int64_t left = shape.shared_left ? 1 : shape.batch;
  // Rows of one product.
  const bool tall = shape.shared_right && !shape.shared_left;
  const std::int64_t rows =
      tall ? checked_multiply(shape.batch, shape.m, "batched_gemm: rows") : shape.m;
  sized_kernel sized = tiled_kernel(
      {.batch_a = tall ? 1 : left,
       .batch_b = tall ? 1 : shape.batch,
       .m = rows,
       .n = shape.n,
       .k = shape.k,
       .type = shape.type,
       .result = shape.result},
      {.operands =
           [repeated](const product_problem& p) {
             return sized_kernel{.program = {.name = name},
                                 .inputs = {{{p.batch_a, p.m, p.k}, p.type},
                                            {{repeated ? 1 : p.batch_b, p.k, p.n}, p.type}},
                                 .outputs = {{{p.batches(), p.m, p.n}, p.result}},
                                 .ranges = {{}, {}}};
           },
       .run =
           [repeated](core& nc, const product_problem& p, const product_tiling& tiling,
                      const kernel_arguments& t) {
             const hbm_view b = t.in(1).reshape({t.in(1).extent(0), 1, p.k, p.n});
             run_product(
                 nc, p, tiling,
                 {.c = t.out(0).reshape({p.batches(), 1, p.m, p.n}),
                  .a = t.in(0).reshape({p.batch_a, 1, p.m, p.k}),
                  .b = repeated
                           ? b.pattern(0, {{p.batches(), 0}, {1, p.k * p.n}, {p.k, p.n}, {p.n, 1}})
                           : b,
                  .bias = {}});
           }},
      machine);
  if (tall) {
    sized.inputs[0].extents = {shape.batch, shape.m, shape.k};
    sized.outputs[0].extents = {shape.batch, shape.m, shape.n};
  }
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
