// Products with a symmetric matrix of which one triangle is given.
//   identity   C = alpha A B + beta C0 or alpha B A + beta C0, A[i, j] = A[j, i]
//   layout     as product/run.cpp; blocks of the other triangle are transposed on the tensor engine
//   bound      tensor engine: passes * m n order / 128^2 cycles
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

matrix_product product_of(const symm_problem& s) {
  const bool is_left = s.side == solve_side::left;
  matrix_product p{.m = s.m,
                   .n = s.n,
                   .k = order_of(s),
                   .right_transposed = !is_left,  // as it lies, a row for each column of C
                   .epilogue = {.alpha = s.alpha, .beta = s.beta}};
  (is_left ? p.left_triangle : p.right_triangle) = {.part = s.part, .is_mirrored = true};
  return p;
}

void run_symm(core& nc, const symm_design& design, const kernel_arguments& t) {
  const symm_problem& s = design.problem;
  state_triangular_floor(nc, s, s.beta == 0 ? 2 : 3, double(order_of(s)));
  const bool is_left = s.side == solve_side::left;
  step_tensors tensors{.flat = {t.in(is_left ? 0 : 1), t.in(is_left ? 1 : 0), t.out(0)}};
  if (s.beta != 0) tensors.before = t.in(2);
  run_products(nc, product_of(s).step(), design.how, tensors);
}

}  // namespace

sized_kernel symm_kernel(const symm_problem& problem, const machine_spec& machine) {
  require_finite("symm", "beta", problem.beta);
  sized_kernel operands = triangular_operands("symm", problem);
  if (problem.beta != 0) operands.inputs.push_back(operands.outputs[0]);
  const matrix_product product = product_of(problem);
  operands.expected_error = product.expected_error(machine);
  product_step_design how = choose_for(operands, product, machine);
  return designed(std::move(operands), symm_design{problem, std::move(how)}, machine, run_symm);
}

launch_result symm(device& on, const symm_problem& problem, const view<const float, 2>& a,
                   const view<const float, 2>& b, const view<float, 2>& c) {
  return launch_triangular(on, symm_kernel(problem, on.machine()), a, b, c);
}

}  // namespace papilio::kernels

namespace papilio::kernels_detail {

std::string symm_design::describe() const {
  return base_detail::message("A of order ", order_of(problem), " read from its ",
                              problem.part == kernels::triangle::lower ? "lower" : "upper",
                              " triangle\n",
                              product_design{kernels::product_of(problem), how}.describe());
}

kernels::catalog_entry symm_entry() {
  using namespace engine;
  using namespace kernels;
  return {.name = "symm",
          .summary = "C = alpha A B + beta C0 or alpha B A + beta C0, A symmetric, B m x n",
          .parameters = joined(side_parameters("C", "1024", "The triangle of A that is given"),
                               {factor_parameter("alpha", "1", "Factor of the product"),
                                factor_parameter("beta", "0", "Factor of C0; 0: there is none")}),
          .size = [](const parameter_values& values, const machine_spec& machine) {
            symm_problem problem = side_problem<symm_problem>(values);
            problem.beta = float_of(values, "beta");
            return symm_kernel(problem, machine);
          }};
}

}  // namespace papilio::kernels_detail
