// Triangular systems with many right sides.
//   identity   op(A) X = alpha B; X op(A) = alpha B is op(A)^T X^T = alpha B^T
//   layout     as triangular_solve.cpp
//   bound      tensor engine: half of a product's cycles
#include "papilio/kernels/triangular.hpp"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "kernels/design.hpp"
#include "kernels/entries.hpp"
#include "kernels/products/product_entry.hpp"
#include "kernels/products/sided_designs.hpp"
#include "kernels/products/sided_matrix.hpp"
#include "kernels/products/triangular_solve.hpp"
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
  const auto side =
      std::min<std::int64_t>(std::min(machine.tensor.rows, machine.tensor.stationary_columns_max),
                             machine.psum.bank_bytes / 4);
  s.side = std::int64_t(std::bit_floor(std::uint64_t(side)));
  // A small matrix is one block, whose inverse takes fewer steps.
  s.block = s.order < s.side ? std::int64_t(std::bit_ceil(std::uint64_t(s.order))) : s.side;
  s.at_once = std::max<std::int64_t>(1, machine.psum.bank_bytes / 4 / s.block);
  return s;
}

// Half of A, B and X once; passes of the array over half of a product.
void state_least(core& nc, const triangular_system& s) {
  const double order = double(s.order), columns = double(s.columns);
  const machine_spec& machine = nc.machine();
  nc.state_floor(4 * (order * (order + 1) / 2 + 2 * order * columns),
                 machine.tensor.fp32_passes * order * (order + 1) / 2 * columns /
                     machine.tensor.rows / machine.tensor.columns);
}

void put_zeros(core& nc, const hbm_view& x) {
  constexpr std::int64_t width_most = 2048;
  const std::int64_t lanes = nc.machine().sbuf.partitions,
                     width = std::min(x.extent(1), width_most);
  const tile zeros = nc.sbuf(int(lanes), width);
  nc.issue(memset{.out = zeros, .value = 0});
  for (std::int64_t i = 0; i < x.extent(0); i += lanes)
    for (std::int64_t j = 0; j < x.extent(1); j += width) {
      const std::int64_t rows = std::min(lanes, x.extent(0) - i),
                         columns = std::min(width, x.extent(1) - j);
      nc.issue(dma_copy{.out = x.slice(0, i, rows).slice(1, j, columns),
                        .in = zeros->partition_range(0, int(rows)).columns(0, columns)});
    }
}

void check(const trsm_problem& problem) {
  require_size("trsm", "m", problem.m);
  require_size("trsm", "n", problem.n);
  require_finite("trsm", "alpha", problem.alpha);
  if (problem.refinements < 0 || problem.refinements > most_refinements)
    throw invalid_argument(base_detail::message("trsm: refinements must be 0 to ", most_refinements,
                                                ", got ", problem.refinements));
}

}  // namespace

sized_kernel trsm_kernel(const trsm_problem& problem, const machine_spec& machine) {
  check(problem);
  const triangular_system system = system_of(problem, machine);
  sized_kernel sized;
  sized.program.name = "trsm";
  sized.inputs = {{{system.order, system.order}, dtype::fp32},
                  {{problem.m, problem.n}, dtype::fp32}};
  sized.outputs = {{{problem.m, problem.n}, dtype::fp32}};
  // Values near 1 have inverses that stay small.
  sized.ranges = {{.low = 0.99F, .high = 1.01F}, {}};
  require_bytes(sized);
  const trsm_design design{system, tile_triangular(system, machine)};
  sized.design = design_of(design);
  sized.program.parameters = sized.design.key();
  sized.program.body = [design](core& nc, const kernel_arguments& t) {
    if (design.system.alpha == 0) return put_zeros(nc, t.out(0));
    state_least(nc, design.system);
    solve_triangular(nc, design.system, design.tiling, t.in(0), t.in(1), t.out(0));
  };
  sized.machine = machine;
  return sized;
}

launch_result trsm(device& on, const trsm_problem& problem, const view<const float, 2>& a,
                   const view<float, 2>& b) {
  return launch_in_place(on, trsm_kernel(problem, on.machine()), a, b);
}

}  // namespace papilio::kernels

namespace papilio::kernels_detail {

std::string trsm_design::describe() const {
  const triangular_system& s = system;
  if (s.alpha == 0) return "alpha is 0: zeros\n";
  const std::int64_t passes = (s.columns + tiling.columns() - 1) / tiling.columns();
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
  std::vector<kernel_parameter> parameters = triangle_parameters("X", "512");
  parameters.push_back(factor_parameter("alpha", "1", "Factor of B"));
  parameters.push_back({.name = "refinements",
                        .preset = "1",
                        .help = "Refinements of each block of X, at most 8",
                        .least = 0});
  return {.name = "trsm",
          .summary = "X of op(A) X = alpha B or X op(A) = alpha B, A triangular, B m x n",
          .parameters = std::move(parameters),
          .size = [](const parameter_values& values, const machine_spec& machine) {
            trsm_problem problem = triangle_problem<trsm_problem>(values);
            problem.refinements =
                int(std::min<std::int64_t>(number_of(values, "refinements"), 1 << 20));
            return trsm_kernel(problem, machine);
          }};
}

}  // namespace papilio::kernels_detail
