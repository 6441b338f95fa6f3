// Products with a symmetric matrix of which one triangle is given, and with a triangular one.
//   identity   C = alpha op(A) B + beta C0 or alpha B op(A) + beta C0; symm: A[i, j] = A[j, i],
//              trmm: op(A)[i, k] = 0 beside the triangle and beta = 0
//   layout     product/run.cpp has it. For symm, blocks beside the triangle are the transposes of
//              their mirror images; for trmm they are neither loaded nor multiplied, and blocks on
//              the diagonal are masked on chip
//   bound      tensor engine: passes * m n order / 128^2 cycles for symm; for trmm
//              passes * m n (order + 128) / 2 / 128^2
#include "kernels/products/triangular.hpp"

#include "kernels/checks.hpp"
#include "kernels/entries.hpp"
#include "kernels/products/products.hpp"
#include "papilio/base/error.hpp"

namespace papilio::kernels {

using namespace engine;
using namespace kernels_detail;

namespace {

// The kernel of A op B or B op A with A given by its triangle; `transposed`: op(A) is A^T.
sized_kernel kernel_beside(triangle_function function, const triangle_problem& s,
                           const operand_triangle& a, bool transposed,
                           const machine_spec& machine) {
  check_triangle(s, function);
  const char* const name = to_string(function);
  const bool is_left = s.side == solve_side::left;
  matrix_product p{
      .m = std::int64_t(s.m),
      .n = std::int64_t(s.n),
      .k = std::int64_t(s.order()),
      .right_transposed = !is_left && transposed,
      .left_transposed = is_left && transposed,
      .epilogue = checked_epilogue(name, {.alpha = float(s.alpha), .beta = float(s.beta)})};
  (is_left ? p.left_triangle : p.right_triangle) = a;
  return product_kernel(name, {p}, machine);
}

}  // namespace

// On the right, the symmetric A is read as A^T: a row of it for each column of C.
sized_kernel symm_kernel(const triangle_problem& problem, const machine_spec& machine) {
  return kernel_beside(triangle_function::symm, problem,
                       {.part = problem.triangle, .is_mirrored = true},
                       problem.side == solve_side::right, machine);
}

sized_kernel trmm_kernel(const triangle_problem& problem, const machine_spec& machine) {
  return kernel_beside(triangle_function::trmm, problem,
                       {.part = problem.triangle, .unit = problem.unit}, problem.transposed,
                       machine);
}

launch_result symm(device& on, const triangle_problem& problem, const view<const float, 2>& a,
                   const view<const float, 2>& b, const view<float, 2>& c) {
  return launch_triangular(on, symm_kernel(problem, on.machine()), a, b, c);
}

launch_result trmm(device& on, const triangle_problem& problem, const view<const float, 2>& a,
                   const view<float, 2>& b) {
  return launch_triangular(on, trmm_kernel(problem, on.machine()), a, b, b);
}

}  // namespace papilio::kernels

namespace papilio::kernels_detail {

using namespace kernels;

void check_triangle(const triangle_problem& problem, triangle_function function) {
  const char* const name = to_string(function);
  require(problem.function == function, name, ": the problem's function must be ", name, ", got ",
          to_string(problem.function));
  require(!problem.is_complex, name, ": the problem must be real, got a complex one");
  require_single(name, problem.type);
  problem.require_valid(name);
  require_finite(name, "alpha", float(problem.alpha));
  require_finite(name, "beta", float(problem.beta));
  const bool has_beta = function == triangle_function::symm || function == triangle_function::syrk;
  require(has_beta || problem.beta == 0, name, ": beta must be 0, got ", problem.beta);
  for (const std::size_t size : {problem.m, problem.n, problem.k})
    checked_cast<std::int64_t>(size, "triangle_problem: size");
}

namespace {

settings<triangle_problem> side_settings(const std::string& result, const char* n_preset,
                                         const char* part_help) {
  using r = triangle_problem;
  return {number_setting("m", &r::m, "1024", "Rows of B and " + result),
          number_setting("n", &r::n, n_preset, "Columns of B and " + result),
          choice_setting("side", &r::side, "Side of the product on which A stands",
                         {{"left", solve_side::left}, {"right", solve_side::right}}),
          choice_setting("part", &r::triangle, part_help, named_triangles)};
}

}  // namespace

settings<triangle_problem> triangle_settings(const std::string& result, const char* n_preset) {
  using r = triangle_problem;
  return side_settings(result, n_preset, "The triangle of A")
      .with({choice_setting("a", &r::transposed, "op: A or its transpose",
                            {{"plain", false}, {"transposed", true}}),
             choice_setting("diagonal", &r::unit, "unit: taken for ones",
                            {{"given", false}, {"unit", true}})});
}

engine::launch_result launch_triangular(engine::device& on, const sized_kernel& sized,
                                        const view<const float, 2>& a,
                                        const view<const float, 2>& b, const view<float, 2>& c) {
  const auto extents = [&](std::size_t input) {
    const std::vector<std::int64_t>& of = sized.inputs[input].extents;
    return extents_type<2>{std::size_t(of[0]), std::size_t(of[1])};
  };
  const extents_type<2> whole = extents(0), other = extents(1);
  if (a.extents() != whole || b.extents() != other || c.extents() != other)
    throw shape_error(base_detail::message(
        sized.program.name, ": a must be ", whole[0], " x ", whole[1], ", b and the result ",
        other[0], " x ", other[1], ", got ", a.extent(0), " x ", a.extent(1), ", ", b.extent(0),
        " x ", b.extent(1), " and ", c.extent(0), " x ", c.extent(1)));
  std::vector<engine::launch_input> inputs{a, b};
  if (sized.inputs.size() > 2) inputs.emplace_back(view<const float, 2>(c));
  return prepared_kernel(on, sized).launch(inputs, {c});
}

kernels::catalog_entry symm_entry() {
  using r = triangle_problem;
  return side_settings("C", "1024", "The triangle of A that is given")
      .with({factor_setting("alpha", &r::alpha, "1", "Factor of the product"),
             factor_setting("beta", &r::beta, "0", "Factor of C0; 0: there is none")})
      .entry("symm", "C = alpha A B + beta C0 or alpha B A + beta C0, A symmetric, B m x n",
             [](r problem, const engine::machine_spec& machine) {
               problem.function = triangle_function::symm;
               return symm_kernel(problem, machine);
             });
}

kernels::catalog_entry trmm_entry() {
  using r = triangle_problem;
  return triangle_settings("C", "1024")
      .with({factor_setting("alpha", &r::alpha, "1", "Factor of the product")})
      .entry("trmm", "C = alpha op(A) B or alpha B op(A), A triangular, B m x n",
             [](r problem, const engine::machine_spec& machine) {
               problem.function = triangle_function::trmm;
               return trmm_kernel(problem, machine);
             });
}

}  // namespace papilio::kernels_detail
