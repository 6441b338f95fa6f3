// Symmetric rank-k update: one triangle of A A^T.
//   identity   C[i, j] = alpha sum over k of A[i, k] A[j, k] + beta C0[i, j], j <= i or j >= i
//   layout     product/run.cpp has it; A is both operands, and only blocks of the triangle are made
//              and stored (triangle_layout)
//   bound      tensor engine: passes * k * (blocks of the triangle) * block cycles
#include "papilio/kernels/triangular.hpp"

#include <algorithm>
#include <vector>

#include "kernels/checks.hpp"
#include "kernels/entries.hpp"
#include "kernels/products/products.hpp"
#include "kernels/products/triangular.hpp"
#include "kernels/tiles.hpp"
#include "papilio/base/error.hpp"
#include "papilio/kernels/sized_kernel.hpp"

namespace papilio::kernels {

using namespace engine;
using namespace kernels_detail;

triangle_layout syrk_layout(const triangle_problem& problem, const machine_spec& machine) {
  return {problem.triangle, checked_size("syrk", "n", problem.n), array_rows(machine)};
}

sized_kernel syrk_kernel(const triangle_problem& problem, const machine_spec& machine, dtype type) {
  check_triangle(problem, triangle_function::syrk);
  require_float("syrk", "type", type);
  return product_kernel(
      "syrk",
      {.product = {.m = std::int64_t(problem.n),
                   .n = std::int64_t(problem.n),
                   .k = std::int64_t(problem.k),
                   .right_transposed = !problem.transposed,
                   .type = type,
                   .left_transposed = problem.transposed,
                   .epilogue = checked_epilogue(
                       "syrk", {.alpha = float(problem.alpha), .beta = float(problem.beta)}),
                   .part = problem.triangle}},
      machine);
}

launch_result syrk(device& on, const triangle_problem& problem, const view<const float, 2>& a,
                   const view<float, 2>& c, dtype type) {
  const std::size_t n = problem.n, k = problem.k;
  const sized_kernel sized = syrk_kernel(problem, on.machine(), type);
  if (c.extent(0) != n || c.extent(1) != n || a.extent(0) != (problem.transposed ? k : n) ||
      a.extent(1) != (problem.transposed ? n : k))
    throw shape_error(base_detail::message(
        "syrk: a is ", a.extent(0), " x ", a.extent(1), ", c is ", c.extent(0), " x ", c.extent(1),
        "; n is ", n, " and k ", k, problem.transposed ? ", a k x n" : ", a n x k"));
  const triangle_layout lies = syrk_layout(problem, on.machine());
  array<float, 1> before, packed({std::size_t(lies.elements())}, uninitialized);
  std::vector<launch_input> inputs{launch_input(a, type)};
  if (problem.beta != 0) {
    before = array<float, 1>(packed.size(), uninitialized);
    lies.pack(c, before.flat());
    inputs.emplace_back(before);
  }
  const launch_result result = prepared_kernel(on, sized).launch(inputs, {packed});
  lies.unpack(packed.flat(), c);
  return result;
}

}  // namespace papilio::kernels

namespace papilio::kernels_detail {

kernels::catalog_entry syrk_entry() {
  struct request : triangle_problem {
    engine::dtype operands = engine::dtype::fp32;
  };
  return settings<request>{
      number_setting("n", &request::n, "1024", "Rows of A, rows and columns of C"),
      number_setting("k", &request::k, "1024", "Columns of A"),
      choice_setting("part", &request::triangle, "The triangle of C", named_triangles),
      choice_setting("a", &request::transposed, "transposed: A lies as k x n and C is A^T A",
                     {{"plain", false}, {"transposed", true}}),
      factor_setting("alpha", &request::alpha, "1", "Factor of the product"),
      factor_setting("beta", &request::beta, "0", "Factor of C0; 0: there is none"),
      product_dtype_setting(&request::operands, "Type of A; C is fp32")}
      .entry("syrk", "A triangle of C = alpha A A^T + beta C0, A n x k, on the tensor engine",
             [](request r, const engine::machine_spec& machine) {
               r.function = triangle_function::syrk;
               return kernels::syrk_kernel(r, machine, r.operands);
             });
}

}  // namespace papilio::kernels_detail
