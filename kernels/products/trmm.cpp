// Products with a triangular matrix.
//   identity   C = alpha op(A) B or alpha B op(A), op(A)[i, k] = 0 beside the triangle
//   layout     as triangle_fill.cpp; C in strips, each a product of products.cpp over as much of k
//              as the triangle has in it
//   bound      tensor engine: passes * m n (order + strip) / 2 / 128^2 cycles
#include "papilio/kernels/triangular.hpp"

#include <algorithm>
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

namespace papilio::kernels {

using namespace engine;
using namespace kernels_detail;

namespace {

// Shorter ones have fewer zeros among their products, and pass over B more often.
std::int64_t strip_of(const machine_spec& machine) { return 2 * side_of(machine); }

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
  return {.m = is_left ? at.count : s.m,
          .n = is_left ? s.n : at.count,
          .k = at.depth,
          .right_transposed = !is_left && s.transposed,
          .left_transposed = is_left && s.transposed,
          .epilogue = {.alpha = s.alpha}};
}

void run_strip(core& nc, const trmm_problem& s, const strip_span& at, const product_tiling& tiling,
               const hbm_view& a, const hbm_view& b, const hbm_view& c) {
  const bool is_left = s.side == solve_side::left;
  const int strips = is_left ? 2 : 3;  // the axis of C that is cut
  const int of_a = is_left != s.transposed ? 2 : 3;
  const hbm_view triangle =
      a.slice(of_a, at.first, at.count).slice(of_a == 2 ? 3 : 2, at.k_first, at.depth);
  const hbm_view reached = b.slice(strips, at.k_first, at.depth);
  run_product(nc, problem_of(s, at), tiling,
              {.c = c.slice(strips, at.first, at.count),
               .a = is_left ? triangle : reached,
               .b = is_left ? reached : triangle,
               .bias = {}});
}

void run(core& nc, const trmm_design& design, const kernel_arguments& t) {
  const trmm_problem& s = design.problem;
  const auto whole = [](const hbm_view& v) { return v.reshape({1, 1, v.extent(0), v.extent(1)}); };
  const double order = double(order_of(s)), b = double(s.m) * double(s.n);
  const machine_spec& machine = nc.machine();
  nc.state_floor(4 * (order * (order + 1) / 2 + 2 * b), machine.tensor.fp32_passes * (order + 1) /
                                                            2 * b / machine.tensor.rows /
                                                            machine.tensor.columns);
  const std::int64_t strip = design.strip;
  triangular_matrix a(nc, t.in(0), s.part, s.unit, s.transposed == (s.side == solve_side::left),
                      strip);
  a.make(0);
  for (std::int64_t first = 0; first < order_of(s); first += strip) {
    if (first + strip < order_of(s)) a.make(first + strip);
    run_strip(nc, s, span_of(s, first, strip), design.tiling, whole(a.whole()), whole(t.in(1)),
              whole(t.out(0)));
  }
}

}  // namespace

sized_kernel trmm_kernel(const trmm_problem& problem, const machine_spec& machine) {
  require_size("trmm", "m", problem.m);
  require_size("trmm", "n", problem.n);
  require_finite("trmm", "alpha", problem.alpha);
  const std::int64_t order = order_of(problem), strip = strip_of(machine);
  sized_kernel sized;
  sized.program.name = "trmm";
  sized.inputs = {{{order, order}, dtype::fp32}, {{problem.m, problem.n}, dtype::fp32}};
  sized.outputs = {{{problem.m, problem.n}, dtype::fp32}};
  sized.ranges = {{}, {}};
  require_bytes(sized);
  // Cut for the longest sum; shorter ones take less memory.
  machine_spec left = machine;
  left.sbuf.bytes_per_partition -= triangular_matrix::bytes(strip, machine);
  product_choice choice =
      choose_tiling(problem_of(problem, {.count = std::min(strip, order), .depth = order}), left);
  const trmm_design design{problem, strip, choice.tiling};
  sized.design = design_of(design);
  sized.chosen_as = std::move(choice.chosen_as);
  sized.compared = std::move(choice.compared);
  sized.program.parameters = sized.design.key();
  sized.program.body = [design](core& nc, const kernel_arguments& t) { run(nc, design, t); };
  sized.machine = machine;
  return sized;
}

launch_result trmm(device& on, const trmm_problem& problem, const view<const float, 2>& a,
                   const view<float, 2>& b) {
  return launch_in_place(on, trmm_kernel(problem, on.machine()), a, b);
}

}  // namespace papilio::kernels

namespace papilio::kernels_detail {

std::string trmm_design::describe() const {
  const std::int64_t order = order_of(problem);
  return base_detail::message(tiles_of(order, strip), " strips of ", std::min(strip, order),
                              problem.side == kernels::solve_side::left ? " rows" : " columns",
                              " of C, the longest:\n", tiling.describe(order));
}

kernels::catalog_entry trmm_entry() {
  using namespace engine;
  using namespace kernels;
  std::vector<kernel_parameter> parameters = triangle_parameters("C", "1024");
  parameters.push_back(factor_parameter("alpha", "1", "Factor of the product"));
  return {.name = "trmm",
          .summary = "C = alpha op(A) B or alpha B op(A), A triangular, B m x n",
          .parameters = std::move(parameters),
          .size = [](const parameter_values& values, const machine_spec& machine) {
            return trmm_kernel(triangle_problem<trmm_problem>(values), machine);
          }};
}

}  // namespace papilio::kernels_detail
