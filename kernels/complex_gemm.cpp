// GEMM of planar complex matrices.
//   identity   four products: re = Ar Br + Ai (-Bi), im = Ar Bi + Ai Br
//              three: p = Ar Br, q = Ai Bi, s = (Ar + Ai)(Br + Bi); re = p - q, im = s - p - q
//   layout     as products.cpp, planes side by side on the free axis
//   bound      tensor engine: passes * products * m n k / 128^2 cycles
#include "papilio/kernels/complex_gemm.hpp"

#include "kernels/entries.hpp"
#include "kernels/products.hpp"
#include "papilio/base/error.hpp"

namespace papilio::kernels {

using namespace engine;
using namespace kernels_detail;

sized_kernel complex_gemm_kernel(const complex_gemm_shape& shape, const machine_spec& machine) {
  constexpr const char* name = "complex_gemm";
  require_size(name, "m", shape.m);
  require_size(name, "k", shape.k);
  require_size(name, "n", shape.n);
  product_form_of(name, shape.products);
  require_float(name, "type", shape.type);
  require_float(name, "result", shape.result);
  sized_kernel sized = tiled_kernel(
      {.form = product_form_of(name, shape.products),
       .m = shape.m,
       .n = shape.n,
       .k = shape.k,
       .type = shape.type,
       .result = shape.result},
      {.operands =
           [products = shape.products](const product_problem& p) {
             return sized_kernel{
                 .program = {.name = name,
                             .parameters = base_detail::message("products=", products)},
                 .inputs = {{{2, p.m, p.k}, p.type}, {{2, p.k, p.n}, p.type}},
                 .outputs = {{{2, p.m, p.n}, p.result}},
                 .ranges = {{}, {}}};
           },
       .run =
           [](core& nc, const product_problem& p, const product_tiling& tiling,
              const kernel_arguments& t) {
             nc.state_floor(p.bytes(), p.tensor_cycles(4, nc.machine()));
             run_product(nc, p, tiling,
                         {.c = t.out(0).reshape({1, 2, p.m, p.n}),
                          .a = t.in(0).reshape({1, 2, p.m, p.k}),
                          .b = t.in(1).reshape({1, 2, p.k, p.n}),
                          .bias = {}});
           }},
      machine);
  sized.explanation = base_detail::message(shape.products, " real products; ", sized.explanation);
  return sized;
}

}  // namespace papilio::kernels

namespace papilio::kernels_detail {

kernels::catalog_entry complex_gemm_entry() {
  using namespace engine;
  return {.name = "complex_gemm",
          .summary = "C = A B of planar complex matrices, A m x k, B k x n",
          .parameters = {{.name = "m", .preset = "512", .help = "Rows of A and C"},
                         {.name = "k", .preset = "512", .help = "Columns of A, rows of B"},
                         {.name = "n", .preset = "512", .help = "Columns of B and C"},
                         {.name = "products",
                          .preset = "4",
                          .help = "Real products that a complex one is made of",
                          .choices = {"4", "3"}},
                         {.name = "dtype",
                          .preset = "fp32",
                          .help = "Of A and B; C is fp32",
                          .choices = {"fp32", "bf16", "fp16", "tf32", "fp8_e4m3", "fp8_e5m2"}}},
          .size = [](const kernels::parameter_values& values, const machine_spec& machine) {
            return kernels::complex_gemm_kernel(
                {.m = kernels::number_of(values, "m"),
                 .k = kernels::number_of(values, "k"),
                 .n = kernels::number_of(values, "n"),
                 .products = int(kernels::number_of(values, "products")),
                 .type = parse_dtype(values.at("dtype"))},
                machine);
          }};
}

}  // namespace papilio::kernels_detail
