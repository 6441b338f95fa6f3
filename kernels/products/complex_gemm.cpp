// GEMM of planar complex matrices, and the linear layer y = x W^T + b as one.
//   identity   four products: re = Ar Br + Ai (-Bi), im = Ar Bi + Ai Br
//              three: p = Ar Br, q = Ai Bi, s = (Ar + Ai)(Br + Bi); re = p - q, im = s - p - q
//   layout     as products.cpp, planes side by side on the free axis; the bias on all partitions
//   bound      tensor engine: passes * products * m n k / 128^2 cycles; DMA at few rows
#include <utility>

#include "kernels/entries.hpp"
#include "kernels/products/product_entry.hpp"
#include "kernels/products/products.hpp"
#include "papilio/base/error.hpp"
#include "papilio/kernels/gemm.hpp"

namespace papilio::kernels {

using namespace engine;
using namespace kernels_detail;

namespace {

tensor_shape right_shape(const matrix_product& p) {
  return p.right_transposed ? tensor_shape{{2, p.n, p.k}, p.type}
                            : tensor_shape{{2, p.k, p.n}, p.type};
}

sized_kernel plane_operands(const product_design& design) {
  const matrix_product& p = design.product;
  sized_kernel sized{.program = {.name = "complex_gemm"},
                     .inputs = {{{2, p.m, p.k}, p.type}, right_shape(p)},
                     .outputs = {{{2, p.m, p.n}, p.result}}};
  if (p.biased) sized.inputs.push_back({{2, p.n}, p.type});
  sized.ranges.resize(sized.inputs.size());
  return sized;
}

void run_planes(core& nc, const product_design& design, const kernel_arguments& t) {
  const matrix_product& p = design.product;
  const auto single = [](const hbm_view& v) { return v.reshape({1, 2, v.extent(1), v.extent(2)}); };
  nc.state_floor(p.bytes(), p.tensor_cycles(4, nc.machine()));
  run_product(nc, p, design.tiling,
              {.c = single(t.out(0)),
               .a = single(t.in(0)),
               .b = single(t.in(1)),
               .bias = p.biased ? t.in(2) : hbm_view{}});
}

}  // namespace

sized_kernel complex_gemm_kernel(const gemm_problem& problem, const machine_spec& machine,
                                 const complex_gemm_kernel_options& options) {
  constexpr const char* name = "complex_gemm";
  matrix_product product = checked_product(name, problem, options.type, options.result);
  require_one_product(name, problem);
  if (!problem.is_complex)
    throw invalid_argument("complex_gemm: the problem must be complex, got a real one");
  product.form = product_form_of(name, options.products);
  product.right_transposed = options.right_transposed;
  product.biased = options.bias;
  return tiled_kernel({product}, {.operands = plane_operands, .run = run_planes}, machine);
}

}  // namespace papilio::kernels

namespace papilio::kernels_detail {
namespace {

using kernels::size_of;

// The sizes, then how many products, and the dtype.
std::vector<kernels::kernel_parameter> parameters_of(std::vector<kernels::kernel_parameter> sizes,
                                                     const char* dtype_help) {
  sizes.push_back({.name = "products",
                   .preset = "4",
                   .help = "Real products that a complex one is made of",
                   .choices = {"4", "3"}});
  sizes.push_back(product_dtype_parameter(dtype_help));
  return sizes;
}

kernels::complex_gemm_kernel_options options_of(const kernels::parameter_values& values) {
  return {.products = int(kernels::number_of(values, "products")),
          .type = engine::parse_dtype(values.at("dtype"))};
}

}  // namespace

kernels::catalog_entry complex_gemm_entry() {
  return {.name = "complex_gemm",
          .summary = "C = A B of planar complex matrices, A m x k, B k x n",
          .parameters =
              parameters_of({{.name = "m", .preset = "512", .help = "Rows of A and C"},
                             {.name = "k", .preset = "512", .help = "Columns of A, rows of B"},
                             {.name = "n", .preset = "512", .help = "Columns of B and C"}},
                            "Type of A and B; C is fp32"),
          .size = [](const kernels::parameter_values& values, const engine::machine_spec& machine) {
            return kernels::complex_gemm_kernel({.m = size_of(values, "m"),
                                                 .k = size_of(values, "k"),
                                                 .n = size_of(values, "n"),
                                                 .is_complex = true},
                                                machine, options_of(values));
          }};
}

kernels::catalog_entry complex_linear_entry() {
  return {.name = "complex_linear",
          .summary = "y = x W^T + b of planar complex tensors, x batch x in, W out x in",
          .parameters =
              parameters_of({{.name = "batch", .preset = "512", .help = "Rows of x and y"},
                             {.name = "in", .preset = "512", .help = "Columns of x and W"},
                             {.name = "out", .preset = "512", .help = "Rows of W, columns of y"}},
                            "Type of x, W and b; y is fp32"),
          .size = [](const kernels::parameter_values& values, const engine::machine_spec& machine) {
            kernels::complex_gemm_kernel_options layer = options_of(values);
            layer.right_transposed = layer.bias = true;
            kernels::sized_kernel sized =
                kernels::complex_gemm_kernel({.m = size_of(values, "batch"),
                                              .k = size_of(values, "in"),
                                              .n = size_of(values, "out"),
                                              .is_complex = true},
                                             machine, layer);
            sized.program.name = "complex_linear";
            return sized;
          }};
}

}  // namespace papilio::kernels_detail
