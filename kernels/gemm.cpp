// GEMM with the transposed left operand resident by panels: see products.cpp.
#include "papilio/kernels/gemm.hpp"

#include "kernels/entries.hpp"
#include "kernels/products.hpp"
#include "papilio/base/error.hpp"

namespace papilio::kernels {
namespace {

using namespace engine;
using kernels_detail::product_problem;
using kernels_detail::product_tiling;

product_problem problem_of(std::int64_t m, std::int64_t k, std::int64_t n, dtype type,
                           dtype result) {
  return {.m = m, .n = n, .k = k, .type = type, .result = result};
}

void run(core& nc, const product_problem& problem, const product_tiling& tiling, const hbm_view& c,
         const hbm_view& a, const hbm_view& b) {
  run_product(nc, problem, tiling,
              {.c = c.reshape({1, 1, problem.m, problem.n}),
               .a = a.reshape({1, 1, problem.m, problem.k}),
               .b = b.reshape({1, 1, problem.k, problem.n}),
               .bias = {}});
}

}  // namespace

void gemm(core& nc, const hbm_view& c, const hbm_view& a, const hbm_view& b) {
  if (a.rank() != 2 || b.rank() != 2 || c.rank() != 2 || a.extent(1) != b.extent(0) ||
      c.extent(0) != a.extent(0) || c.extent(1) != b.extent(1))
    throw shape_error(base_detail::message("gemm: C ", c.describe(), " is not A ", a.describe(),
                                           " times B ", b.describe()));
  const product_problem problem =
      problem_of(a.extent(0), a.extent(1), b.extent(1), a.type(), c.type());
  run(nc, problem, choose_tiling(problem, nc.machine()).tiling, c, a, b);
}

sized_kernel gemm_kernel(const gemm_shape& shape, const machine_spec& machine) {
  kernels_detail::require_size("gemm", "m", shape.m);
  kernels_detail::require_size("gemm", "k", shape.k);
  kernels_detail::require_size("gemm", "n", shape.n);
  kernels_detail::require_float("gemm", "type", shape.type);
  kernels_detail::require_float("gemm", "result", shape.result);
  return kernels_detail::tiled_kernel(
      problem_of(shape.m, shape.k, shape.n, shape.type, shape.result),
      {.operands =
           [](const product_problem& p) {
             return sized_kernel{.program = {.name = "gemm"},
                                 .inputs = {{{p.m, p.k}, p.type}, {{p.k, p.n}, p.type}},
                                 .outputs = {{{p.m, p.n}, p.result}},
                                 .ranges = {{}, {}}};
           },
       .run = [](core& nc, const product_problem& p, const product_tiling& tiling,
                 const kernel_arguments& t) { run(nc, p, tiling, t.out(0), t.in(0), t.in(1)); }},
      machine);
}

}  // namespace papilio::kernels

namespace papilio::kernels_detail {

kernels::catalog_entry gemm_entry() {
  using namespace engine;
  return {.name = "gemm",
          .summary = "C = A B, A m x k, B k x n, on the tensor engine",
          .parameters = {{.name = "m", .preset = "1024", .help = "Rows of A and C"},
                         {.name = "k", .preset = "1024", .help = "Columns of A, rows of B"},
                         {.name = "n", .preset = "1024", .help = "Columns of B and C"},
                         {.name = "dtype",
                          .preset = "fp32",
                          .help = "Of A and B; C is fp32",
                          .choices = {"fp32", "bf16", "fp16", "tf32", "fp8_e4m3", "fp8_e5m2"}}},
          .size = [](const kernels::parameter_values& values, const machine_spec& machine) {
            return kernels::gemm_kernel({.m = kernels::number_of(values, "m"),
                                         .k = kernels::number_of(values, "k"),
                                         .n = kernels::number_of(values, "n"),
                                         .type = parse_dtype(values.at("dtype"))},
                                        machine);
          }};
}

}  // namespace papilio::kernels_detail
