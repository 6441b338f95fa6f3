// Linear layer of planar complex tensors.
//   identity   y = x W^T + b, in four or three real products as complex_gemm
//   layout     as products.cpp: x^T stationary, blocks of W^T moving, both transposed through PSUM;
//              b on all partitions, added in the evacuation
//   bound      tensor engine; DMA at small batches
#include "papilio/kernels/complex_linear.hpp"

#include "kernels/entries.hpp"
#include "kernels/products.hpp"
#include "papilio/base/error.hpp"

namespace papilio::kernels {

using namespace engine;
using namespace kernels_detail;

sized_kernel complex_linear_kernel(const complex_linear_shape& shape, const machine_spec& machine) {
  constexpr const char* name = "complex_linear";
  require_size(name, "batch", shape.batch);
  require_size(name, "in", shape.in);
  require_size(name, "out", shape.out);
  product_form_of(name, shape.products);
  require_float(name, "type", shape.type);
  require_float(name, "result", shape.result);
  sized_kernel sized = tiled_kernel(
      {.form = product_form_of(name, shape.products),
       .m = shape.batch,
       .n = shape.out,
       .k = shape.in,
       .right_transposed = true,
       .biased = shape.bias,
       .type = shape.type,
       .result = shape.result},
      {.operands =
           [products = shape.products](const product_problem& p) {
             sized_kernel operands{
                 .program = {.name = name,
                             .parameters = base_detail::message("products=", products)},
                 .inputs = {{{2, p.m, p.k}, p.type}, {{2, p.n, p.k}, p.type}},
                 .outputs = {{{2, p.m, p.n}, p.result}},
                 .ranges = {{}, {}}};
             if (p.biased) {
               operands.inputs.push_back({{2, p.n}, p.type});
               operands.ranges.push_back({});
             }
             return operands;
           },
       .run =
           [](core& nc, const product_problem& p, const product_tiling& tiling,
              const kernel_arguments& t) {
             nc.state_floor(p.bytes(), p.tensor_cycles(4, nc.machine()));
             run_product(nc, p, tiling,
                         {.c = t.out(0).reshape({1, 2, p.m, p.n}),
                          .a = t.in(0).reshape({1, 2, p.m, p.k}),
                          .b = t.in(1).reshape({1, 2, p.n, p.k}),
                          .bias = p.biased ? t.in(2) : hbm_view{}});
           }},
      machine);
  sized.explanation = base_detail::message(shape.products, " real products; ", sized.explanation);
  return sized;
}

}  // namespace papilio::kernels

namespace papilio::kernels_detail {

kernels::catalog_entry complex_linear_entry() {
  using namespace engine;
  return {.name = "complex_linear",
          .summary = "y = x W^T + b of planar complex tensors, x batch x in, W out x in",
          .parameters = {{.name = "batch", .preset = "512", .help = "Rows of x and y"},
                         {.name = "in", .preset = "512", .help = "Columns of x and W"},
                         {.name = "out", .preset = "512", .help = "Rows of W, columns of y"},
                         {.name = "products",
                          .preset = "4",
                          .help = "Real products that a complex one is made of",
                          .choices = {"4", "3"}},
                         {.name = "dtype",
                          .preset = "fp32",
                          .help = "Of x, W and b; y is fp32",
                          .choices = {"fp32", "bf16", "fp16", "tf32", "fp8_e4m3", "fp8_e5m2"}}},
          .size = [](const kernels::parameter_values& values, const machine_spec& machine) {
            return kernels::complex_linear_kernel(
                {.batch = kernels::number_of(values, "batch"),
                 .in = kernels::number_of(values, "in"),
                 .out = kernels::number_of(values, "out"),
                 .products = int(kernels::number_of(values, "products")),
                 .type = parse_dtype(values.at("dtype"))},
                machine);
          }};
}

}  // namespace papilio::kernels_detail
