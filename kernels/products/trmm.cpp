// Products with a triangular matrix.
//   identity   C = alpha op(A) B or alpha B op(A), op(A)[i, k] = 0 beside the triangle
//   layout     as product/run.cpp; A is masked on chip, and its blocks beside the
//              triangle are neither loaded nor multiplied
//   bound      tensor engine: passes * m n (order + 128) / 2 / 128^2 cycles
#include "papilio/kernels/triangular.hpp"

#include <utility>
#include <vector>

#include "kernels/designed_kernel.hpp"
#include "kernels/entries.hpp"
#include "kernels/products/triangular.hpp"
#include "papilio/base/error.hpp"

namespace papilio::kernels {

using namespace engine;
using namespace kernels_detail;

namespace {

matrix_product product_of(const trmm_problem& s) {
  const bool is_left = s.side == solve_side::left;
  matrix_product p{.m = s.m,
                   .n = s.n,
                   .k = order_of(s),
                   .right_transposed = !is_left && s.transposed,
                   .left_transposed = is_left && s.transposed,
                   .epilogue = {.alpha = s.alpha}};
  (is_left ? p.left_triangle : p.right_triangle) = {.part = s.part, .unit = s.unit};
  return p;
}

void run_trmm(core& nc, const trmm_design& design, const kernel_arguments& t) {
  const trmm_problem& s = design.problem;
  state_triangular_floor(nc, s, 2, (double(order_of(s)) + 1) / 2);
  const bool is_left = s.side == solve_side::left;
  run_products(nc, product_of(s).step(), design.how,
               {.flat = {t.in(is_left ? 0 : 1), t.in(is_left ? 1 : 0), t.out(0)}});
}

}  // namespace

sized_kernel trmm_kernel(const trmm_problem& problem, const machine_spec& machine) {
  sized_kernel operands = triangular_operands("trmm", problem);
  product_step_design how = choose_for(operands, product_of(problem), machine);
  return designed(std::move(operands), trmm_design{problem, std::move(how)}, machine, run_trmm);
}

launch_result trmm(device& on, const trmm_problem& problem, const view<const float, 2>& a,
                   const view<float, 2>& b) {
  return launch_triangular(on, trmm_kernel(problem, on.machine()), a, b, b);
}

}  // namespace papilio::kernels

namespace papilio::kernels_detail {

std::string trmm_design::describe() const {
  return base_detail::message("products with what is of the triangle alone\n",
                              how.describe(kernels::product_of(problem).step()));
}

kernels::catalog_entry trmm_entry() {
  using namespace engine;
  using namespace kernels;
  return {.name = "trmm",
          .summary = "C = alpha op(A) B or alpha B op(A), A triangular, B m x n",
          .parameters = joined(triangle_parameters("C", "1024"),
                               {factor_parameter("alpha", "1", "Factor of the product")}),
          .size = [](const parameter_values& values, const machine_spec& machine) {
            return trmm_kernel(triangle_problem<trmm_problem>(values), machine);
          }};
}

}  // namespace papilio::kernels_detail
