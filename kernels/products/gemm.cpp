// GEMM with the transposed left operand resident by panels: see products.cpp.
#include "papilio/kernels/gemm.hpp"

#include "kernels/entries.hpp"
#include "kernels/products/product_entry.hpp"
#include "kernels/products/products.hpp"
#include "papilio/base/error.hpp"

namespace papilio::kernels {
namespace {

using namespace engine;
using kernels_detail::matrix_product;
using kernels_detail::product_design;

hbm_view whole(const hbm_view& v) { return v.reshape({1, 1, v.extent(0), v.extent(1)}); }

}  // namespace

void gemm(core& nc, const hbm_view& c, const hbm_view& a, const hbm_view& b) {
  if (a.rank() != 2 || b.rank() != 2 || c.rank() != 2 || a.extent(1) != b.extent(0) ||
      c.extent(0) != a.extent(0) || c.extent(1) != b.extent(1))
    throw shape_error(base_detail::message("gemm: C ", c.describe(), " is not A ", a.describe(),
                                           " times B ", b.describe()));
  const matrix_product problem{
      .m = a.extent(0), .n = b.extent(1), .k = a.extent(1), .type = a.type(), .result = c.type()};
  run_product(nc, problem, choose_tiling(problem, nc.machine()).tiling,
              {.c = whole(c), .a = whole(a), .b = whole(b), .bias = {}});
}

namespace {

sized_kernel gemm_operands(const product_design& design) {
  const matrix_product& p = design.product;
  sized_kernel sized;
  sized.program.name = "gemm";
  sized.ranges = {{}, {}};
  const auto matrix = [](bool transposed, std::int64_t rows, std::int64_t columns, dtype type) {
    return transposed ? tensor_shape{{columns, rows}, type} : tensor_shape{{rows, columns}, type};
  };
  sized.inputs = {matrix(p.left_transposed, p.m, p.k, p.type),
                  matrix(p.right_transposed, p.k, p.n, p.type)};
  if (p.epilogue.beta != 0) sized.inputs.push_back({{p.m, p.n}, p.result});
  if (p.biased) sized.inputs.push_back({{p.n}, p.type});
  if (p.epilogue.sums == product_sums::none)
    sized.outputs = {{{p.m, p.n}, p.result}};
  else
    sized.outputs = {{{p.sums()}, dtype::fp32}};
  return sized;
}

void run_sized(core& nc, const product_design& design, const kernel_arguments& t) {
  const matrix_product& p = design.product;
  const bool is_stored = p.epilogue.sums == product_sums::none;
  const bool has_before = p.epilogue.beta != 0;
  run_product(nc, p, design.tiling,
              {.c = is_stored ? whole(t.out(0)) : hbm_view{},
               .a = whole(t.in(0)),
               .b = whole(t.in(1)),
               .bias = p.biased ? t.in(has_before ? 3 : 2).reshape({1, p.n}) : hbm_view{},
               .before = has_before ? whole(t.in(2)) : hbm_view{},
               .sums = is_stored ? hbm_view{} : t.out(0)});
}

}  // namespace

sized_kernel gemm_kernel(const gemm_problem& problem, const machine_spec& machine,
                         const gemm_kernel_options& options) {
  matrix_product product =
      kernels_detail::checked_product("gemm", problem, options.type, options.result);
  kernels_detail::require_one_product("gemm", problem);
  if (problem.is_complex)
    throw invalid_argument("gemm: the problem must be real, got a complex one");
  kernels_detail::require_finite("gemm", "alpha", options.epilogue.alpha);
  kernels_detail::require_finite("gemm", "beta", options.epilogue.beta);
  product.left_transposed = options.left_transposed;
  product.right_transposed = options.right_transposed;
  product.epilogue = options.epilogue;
  product.biased = options.epilogue.bias;
  sized_kernel sized = kernels_detail::tiled_kernel(
      {product}, {.operands = gemm_operands, .run = run_sized}, machine);
  if (!kernels_detail::has_stated_error(product)) sized.expected_error = 0;
  return sized;
}

}  // namespace papilio::kernels

namespace papilio::kernels_detail {

kernels::catalog_entry gemm_entry() {
  using namespace engine;
  return {
      .name = "gemm",
      .summary =
          "C = f(alpha A B + beta C0 + bias), A m x k, B k x n, on the tensor engine; or its sums",
      .parameters = gemm_parameters(),
      .size = [](const kernels::parameter_values& values, const machine_spec& machine) {
        return kernels::gemm_kernel({.m = kernels::size_of(values, "m"),
                                     .k = kernels::size_of(values, "k"),
                                     .n = kernels::size_of(values, "n")},
                                    machine,
                                    {.type = parse_dtype(values.at("dtype")),
                                     .left_transposed = values.at("left") == "transposed",
                                     .right_transposed = values.at("right") == "transposed",
                                     .epilogue = epilogue_of(values)});
      }};
}

}  // namespace papilio::kernels_detail
