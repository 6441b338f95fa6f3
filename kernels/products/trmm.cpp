// Products with a triangular matrix.
//   identity   C = alpha op(A) B or alpha B op(A), op(A)[i, k] = 0 beside the triangle
//   layout     C in strips, each a product of products.cpp over as much of k as the triangle has in
//              it; A is masked on chip
//   bound      tensor engine: passes * m n (order + strip) / 2 / 128^2 cycles
#include "papilio/kernels/triangular.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "kernels/ceil_div.hpp"
#include "kernels/designed_kernel.hpp"
#include "kernels/entries.hpp"
#include "kernels/products/triangular.hpp"
#include "kernels/tiles.hpp"
#include "papilio/base/error.hpp"

namespace papilio::kernels {

using namespace engine;
using namespace kernels_detail;

namespace {

// Shorter ones have fewer zeros among their products, and pass over B more often.
std::int64_t strip_of(const machine_spec& machine) { return 2 * array_side(machine); }

// Of the strip at `first` of C.
struct strip_span {
  std::int64_t first = 0, count = 0;    // rows of op(A) on the left, else columns
  std::int64_t k_first = 0, depth = 0;  // where op(A) has its triangle in them
};
strip_span span_of(const trmm_problem& s, std::int64_t first, std::int64_t strip) {
  const std::int64_t order = order_of(s), count = std::min(strip, order - first);
  // Of a lower triangle a row ends on the diagonal and a column begins there.
  const bool is_lower = (s.part == triangle::lower) != s.transposed;
  const bool ends = is_lower == (s.side == solve_side::left);
  return ends ? strip_span{first, count, 0, first + count}
              : strip_span{first, count, first, order - first};
}

matrix_product problem_of(const trmm_problem& s, const strip_span& at) {
  const bool is_left = s.side == solve_side::left;
  // op(A) of the strip is [count, depth] on the left, [depth, count] on the right.
  const std::int64_t ahead =
      is_left != s.transposed ? at.first - at.k_first : at.k_first - at.first;
  const operand_triangle triangle{.part = s.part, .diagonal = ahead, .unit = s.unit};
  matrix_product p{.m = is_left ? at.count : s.m,
                   .n = is_left ? s.n : at.count,
                   .k = at.depth,
                   .right_transposed = !is_left && s.transposed,
                   .left_transposed = is_left && s.transposed,
                   .epilogue = {.alpha = s.alpha}};
  (is_left ? p.left_triangle : p.right_triangle) = triangle;
  return p;
}

void run_trmm(core& nc, const trmm_design& design, const kernel_arguments& t) {
  const trmm_problem& s = design.problem;
  state_triangular_floor(nc, s, 2, (double(order_of(s)) + 1) / 2);
  const hbm_view a = one_matrix(t.in(0)), b = one_matrix(t.in(1)), c = one_matrix(t.out(0));
  const bool is_left = s.side == solve_side::left;
  const int strips = is_left ? 2 : 3;  // the axis of C that is cut
  const int of_a = is_left != s.transposed ? 2 : 3;
  for (std::int64_t first = 0; first < order_of(s); first += design.strip) {
    const strip_span at = span_of(s, first, design.strip);
    const hbm_view triangle =
        a.slice(of_a, at.first, at.count).slice(of_a == 2 ? 3 : 2, at.k_first, at.depth);
    const hbm_view reached = b.slice(strips, at.k_first, at.depth);
    run_product(nc, problem_of(s, at), design.tiling,
                {.c = c.slice(strips, at.first, at.count),
                 .a = is_left ? triangle : reached,
                 .b = is_left ? reached : triangle,
                 .bias = {}});
  }
}

}  // namespace

sized_kernel trmm_kernel(const trmm_problem& problem, const machine_spec& machine) {
  sized_kernel operands = triangular_operands("trmm", problem);
  const std::int64_t order = order_of(problem), strip = strip_of(machine);
  // Cut for the longest sum; shorter ones take less memory.
  product_choice choice = choose_tiling(
      problem_of(problem, {.count = std::min(strip, order), .depth = order}), machine);
  sized_kernel sized =
      designed(std::move(operands), trmm_design{problem, strip, choice.tiling}, machine, run_trmm);
  sized.chosen_as = std::move(choice.chosen_as);
  sized.compared = std::move(choice.compared);
  return sized;
}

launch_result trmm(device& on, const trmm_problem& problem, const view<const float, 2>& a,
                   const view<float, 2>& b) {
  return launch_triangular(on, trmm_kernel(problem, on.machine()), a, b, b);
}

}  // namespace papilio::kernels

namespace papilio::kernels_detail {

std::string trmm_design::describe() const {
  const std::int64_t order = order_of(problem);
  return base_detail::message(ceil_div(order, strip), " strips of ", std::min(strip, order),
                              problem.side == kernels::solve_side::left ? " rows" : " columns",
                              " of C, the longest:\n", tiling.describe(order));
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
