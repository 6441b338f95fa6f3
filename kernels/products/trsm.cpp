// Triangular systems with many right sides.
//   identity   op(A) X = alpha B; X op(A) = alpha B is op(A)^T X^T = alpha B^T
//   layout     as triangular_solve.cpp
//   bound      tensor engine: half of a product's cycles
#include "papilio/kernels/triangular.hpp"

#include <algorithm>
#include <bit>
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

constexpr int most_refinements = 8;

triangular_system system_of(const trsm_problem& problem, const machine_spec& machine) {
  const bool is_right = problem.side == solve_side::right;
  triangular_system s{.order = is_right ? problem.n : problem.m,
                      .columns = is_right ? problem.m : problem.n,
                      .flipped = is_right != problem.transposed,
                      .unit = problem.unit,
                      .turned = is_right,
                      .alpha = problem.alpha,
                      .refinements = problem.refinements};
  s.lower = (problem.part == triangle::lower) != s.flipped;
  const auto side = std::min(array_side(machine), machine.psum.bank_bytes / 4);
  s.side = std::int64_t(std::bit_floor(std::uint64_t(side)));
  // A small matrix is one block, whose inverse takes fewer steps.
  s.block = s.order < s.side ? std::int64_t(std::bit_ceil(std::uint64_t(s.order))) : s.side;
  s.at_once = std::max<std::int64_t>(1, machine.psum.bank_bytes / 4 / s.block);
  return s;
}

}  // namespace

sized_kernel trsm_kernel(const trsm_problem& problem, const machine_spec& machine) {
  sized_kernel operands = triangular_operands("trsm", problem);
  require(problem.refinements >= 0 && problem.refinements <= most_refinements,
          "trsm: refinements must be 0 to ", most_refinements, ", got ", problem.refinements);
  // Values near 1 have inverses that stay small.
  operands.ranges[0] = {.low = 0.99F, .high = 1.01F};
  const triangular_system system = system_of(problem, machine);
  return designed(std::move(operands), trsm_design{system, tile_triangular(system, machine)},
                  machine, [problem](core& nc, const trsm_design& d, const kernel_arguments& t) {
                    if (problem.alpha == 0) return fill_zeros(nc, t.out(0));
                    // Passes of the array over half of a product.
                    state_triangular_floor(nc, problem, 2, (double(order_of(problem)) + 1) / 2);
                    solve_triangular(nc, d.system, d.tiling, t.in(0), t.in(1), t.out(0));
                  });
}

launch_result trsm(device& on, const trsm_problem& problem, const view<const float, 2>& a,
                   const view<float, 2>& b) {
  return launch_triangular(on, trsm_kernel(problem, on.machine()), a, b, b);
}

}  // namespace papilio::kernels

namespace papilio::kernels_detail {

std::string trsm_design::describe() const {
  const triangular_system& s = system;
  if (s.alpha == 0) return "alpha is 0: zeros\n";
  const std::int64_t passes = ceil_div(s.columns, tiling.columns());
  return base_detail::message(
      s.blocks(), " blocks of ", s.block, ", solved from ",
      s.lower ? "the first on" : "the last on", "; inverses of those on the diagonal by halves, ",
      tiling.keeps_inverses(s) || passes == 1 ? "made once" : "made for each pass", "\n",
      tiling.columns(), " columns of X at a time, in chunks of ", tiling.chunk, ", ", passes,
      passes == 1 ? " pass" : " passes", " over A\n", s.refinements,
      s.refinements == 1 ? " refinement" : " refinements", " of each block\n");
}

kernels::catalog_entry trsm_entry() {
  using namespace engine;
  using namespace kernels;
  return {.name = "trsm",
          .summary = "X of op(A) X = alpha B or X op(A) = alpha B, A triangular, B m x n",
          .parameters = joined(triangle_parameters("X", "512"),
                               {factor_parameter("alpha", "1", "Factor of B"),
                                {.name = "refinements",
                                 .preset = "1",
                                 .help = "Refinements of each block of X, at most 8",
                                 .least = 0}}),
          .size = [](const parameter_values& values, const machine_spec& machine) {
            trsm_problem problem = triangle_problem<trsm_problem>(values);
            problem.refinements =
                int(std::min<std::int64_t>(number_of(values, "refinements"), 1 << 20));
            return trsm_kernel(problem, machine);
          }};
}

}  // namespace papilio::kernels_detail
