// Linear layer of planar complex tensors.
//   identity   y = x W^T + b, in four or three real products as complex_gemm
//   layout     as products.cpp: x^T stationary, blocks of W^T moving, both transposed through PSUM;
//              b on all partitions, added in the evacuation
//   bound      tensor engine; DMA at small batches
#include "papilio/kernels/gemm.hpp"

#include "kernels/complex_product.hpp"
#include "kernels/entries.hpp"

namespace papilio::kernels {

using namespace engine;
using namespace kernels_detail;

sized_kernel complex_linear_kernel(const complex_linear_problem& problem,
                                   const machine_spec& machine) {
  constexpr const char* name = "complex_linear";
  require_size(name, "batch", problem.batch);
  require_size(name, "in", problem.in);
  require_size(name, "out", problem.out);
  return complex_product_kernel(name, problem.products,
                                {.m = problem.batch,
                                 .n = problem.out,
                                 .k = problem.in,
                                 .right_transposed = true,
                                 .biased = problem.bias,
                                 .type = problem.type,
                                 .result = problem.result},
                                machine);
}

}  // namespace papilio::kernels

namespace papilio::kernels_detail {

kernels::catalog_entry complex_linear_entry() {
  using namespace engine;
  return {.name = "complex_linear",
          .summary = "y = x W^T + b of planar complex tensors, x batch x in, W out x in",
          .parameters = complex_product_parameters(
              {{.name = "batch", .preset = "512", .help = "Rows of x and y"},
               {.name = "in", .preset = "512", .help = "Columns of x and W"},
               {.name = "out", .preset = "512", .help = "Rows of W, columns of y"}},
              "Of x, W and b; y is fp32"),
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
