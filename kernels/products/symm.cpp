// Products with a symmetric matrix of which one triangle is given.
//   identity   C = alpha A B + beta C0 or alpha B A + beta C0, A[i, j] = A[j, i]
//   layout     as triangle_fill.cpp and products.cpp
//   bound      tensor engine: passes * m n order / 128^2 cycles
#include "papilio/kernels/triangular.hpp"

#include <utility>
#include <vector>

#include "kernels/design.hpp"
#include "kernels/entries.hpp"
#include "kernels/products/product_entry.hpp"
#include "kernels/products/products.hpp"
#include "kernels/products/sided_designs.hpp"
#include "kernels/products/sided_matrix.hpp"
#include "kernels/products/triangle_fill.hpp"
#include "papilio/base/error.hpp"
#include "papilio/kernels/sized_kernel.hpp"

namespace papilio::kernels {

using namespace engine;
using namespace kernels_detail;

namespace {

sized_kernel operands_of(const symm_problem& s) {
  const std::int64_t order = order_of(s);
  sized_kernel sized;
  sized.program.name = "symm";
  sized.inputs = {{{order, order}, dtype::fp32}, {{s.m, s.n}, dtype::fp32}};
  sized.outputs = {{{s.m, s.n}, dtype::fp32}};
  if (s.beta != 0) sized.inputs.push_back(sized.outputs[0]);
  sized.ranges = {{}, {}};
  return sized;
}

matrix_product product_of(const symm_problem& s) {
  return {.m = s.m,
          .n = s.n,
          .k = order_of(s),
          .left_transposed = s.side == solve_side::left,
          .epilogue = {.alpha = s.alpha, .beta = s.beta}};
}

// A triangle of A, B, C0 and C once; the products.
void state_least(core& nc, const symm_problem& s, const matrix_product& p) {
  const double order = double(order_of(s)), b = double(s.m) * double(s.n);
  nc.state_floor(4 * (order * (order + 1) / 2 + (s.beta == 0 ? 2 : 3) * b),
                 p.tensor_cycles(p.products(), nc.machine()));
}

void run_symm(core& nc, const symm_design& design, const kernel_arguments& t) {
  const symm_problem& s = design.problem;
  const matrix_product product = product_of(s);
  state_least(nc, s, product);
  const auto whole = [](const hbm_view& v) { return v.reshape({1, 1, v.extent(0), v.extent(1)}); };
  const bool is_left = s.side == solve_side::left;
  const hbm_view a = whole(symmetric_matrix(nc, t.in(0), s.part)), b = whole(t.in(1));
  run_product(nc, product, design.tiling,
              {.c = whole(t.out(0)),
               .a = is_left ? a : b,
               .b = is_left ? b : a,
               .bias = {},
               .before = s.beta != 0 ? whole(t.in(2)) : hbm_view{}});
}

}  // namespace

sized_kernel symm_kernel(const symm_problem& problem, const machine_spec& machine) {
  require_size("symm", "m", problem.m);
  require_size("symm", "n", problem.n);
  require_finite("symm", "alpha", problem.alpha);
  require_finite("symm", "beta", problem.beta);
  sized_kernel sized = operands_of(problem);
  require_bytes(sized);
  const matrix_product product = product_of(problem);
  product_choice choice = choose_tiling(product, machine);
  const symm_design design{problem, choice.tiling};
  sized.design = design_of(design);
  sized.chosen_as = std::move(choice.chosen_as);
  sized.compared = std::move(choice.compared);
  sized.program.parameters = sized.design.key();
  sized.program.body = [design](core& nc, const kernel_arguments& t) { run_symm(nc, design, t); };
  sized.expected_error = product.expected_error(machine);
  sized.machine = machine;
  return sized;
}

launch_result symm(device& on, const symm_problem& problem, const view<const float, 2>& a,
                   const view<const float, 2>& b, const view<float, 2>& c) {
  const sized_kernel sized = symm_kernel(problem, on.machine());
  const auto m = std::size_t(problem.m), n = std::size_t(problem.n),
             order = std::size_t(order_of(problem));
  if (a.extent(0) != order || a.extent(1) != order || b.extent(0) != m || b.extent(1) != n ||
      c.extent(0) != m || c.extent(1) != n)
    throw shape_error(base_detail::message("symm: a must be ", order, " x ", order, ", b and c ", m,
                                           " x ", n, ", got ", a.extent(0), " x ", a.extent(1),
                                           ", ", b.extent(0), " x ", b.extent(1), " and ",
                                           c.extent(0), " x ", c.extent(1)));
  std::vector<launch_input> inputs{a, b};
  if (problem.beta != 0) inputs.emplace_back(view<const float, 2>(c));
  return prepared_kernel(on, sized).launch(inputs, {c});
}

}  // namespace papilio::kernels

namespace papilio::kernels_detail {

std::string symm_design::describe() const {
  return base_detail::message("A of order ", order_of(problem), " made whole from its ",
                              problem.part == kernels::triangle::lower ? "lower" : "upper",
                              " triangle\n",
                              product_design{kernels::product_of(problem), tiling}.describe());
}

kernels::catalog_entry symm_entry() {
  using namespace engine;
  using namespace kernels;
  std::vector<kernel_parameter> parameters =
      side_parameters("C", "1024", "The triangle of A that is given");
  parameters.push_back(factor_parameter("alpha", "1", "Factor of the product"));
  parameters.push_back(factor_parameter("beta", "0", "Factor of C0; 0: there is none"));
  return {.name = "symm",
          .summary = "C = alpha A B + beta C0 or alpha B A + beta C0, A symmetric, B m x n",
          .parameters = std::move(parameters),
          .size = [](const parameter_values& values, const machine_spec& machine) {
            symm_problem problem = side_problem<symm_problem>(values);
            problem.beta = float(decimal_of(values, "beta"));
            return symm_kernel(problem, machine);
          }};
}

}  // namespace papilio::kernels_detail
