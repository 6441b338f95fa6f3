// Triangular systems with many right-hand sides.
//   identity   op(A) X = alpha B; X op(A) = alpha B is op(A)^T X^T = alpha B^T
//   layout     triangular_solve.cpp has it
//   bound      tensor engine: half the cycles of a product of A and X
#include "papilio/kernels/triangular.hpp"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "kernels/ceil_div.hpp"
#include "kernels/checks.hpp"
#include "kernels/designed_kernel.hpp"
#include "kernels/entries.hpp"
#include "kernels/products/products.hpp"
#include "kernels/products/triangular.hpp"
#include "kernels/products/triangular_solve.hpp"
#include "kernels/tiles.hpp"
#include "papilio/base/error.hpp"

namespace papilio::kernels {

using namespace engine;
using namespace kernels_detail;

namespace {

struct trsm_design {
  triangular_system system;
  triangular_tiling tiling;

  auto fields() const { return std::tie(system, tiling); }
  std::string describe() const;
};

constexpr int most_refinements = 8;

triangular_system system_of(const triangle_problem& problem, int refinements,
                            const machine_spec& machine) {
  const bool is_right = problem.side == solve_side::right;
  triangular_system s{.order = std::int64_t(problem.order()),
                      .columns = std::int64_t(is_right ? problem.m : problem.n),
                      .flipped = is_right != problem.transposed,
                      .unit = problem.unit,
                      .transposed = is_right,
                      .alpha = float(problem.alpha),
                      .refinements = refinements};
  s.lower = (problem.triangle == triangle::lower) != s.flipped;
  const auto most_rows = std::min(array_rows(machine), machine.psum.bank_bytes / 4);
  s.array_rows = std::int64_t(std::bit_floor(std::uint64_t(most_rows)));
  // A small matrix is one block, whose inverse takes fewer steps.
  s.block =
      s.order < s.array_rows ? std::int64_t(std::bit_ceil(std::uint64_t(s.order))) : s.array_rows;
  s.at_once = std::max<std::int64_t>(1, machine.psum.bank_bytes / 4 / s.block);
  return s;
}

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

}  // namespace

sized_kernel trsm_kernel(const triangle_problem& problem, const machine_spec& machine,
                         int refinements) {
  check_triangle(problem, triangle_function::trsm);
  const auto order = std::int64_t(problem.order());
  const tensor_shape b{{std::int64_t(problem.m), std::int64_t(problem.n)}};
  // Random operands near 1 keep the inverses of test matrices small.
  sized_kernel operands{.program = {.name = "trsm"},
                        .inputs = {{{order, order}}, b},
                        .outputs = {b},
                        .ranges = {{.low = 0.99F, .high = 1.01F}, {}}};
  require_bytes(operands);
  require(refinements >= 0 && refinements <= most_refinements, "trsm: refinements must be 0 to ",
          most_refinements, ", got ", refinements);
  const triangular_system system = system_of(problem, refinements, machine);
  return designed(std::move(operands), trsm_design{system, tile_triangular(system, machine)},
                  machine, [](core& nc, const trsm_design& d, const kernel_arguments& t) {
                    if (d.system.alpha == 0) return fill_zeros(nc, t.out(0));
                    const matrix_product half{.m = d.system.order,
                                              .n = d.system.columns,
                                              .k = d.system.order,
                                              .left_triangle = operand_triangle{}};
                    nc.state_floor(half.bytes(), half.tensor_cycles(1, nc.machine()));
                    solve_triangular(nc, d.system, d.tiling, t.in(0), t.in(1), t.out(0));
                  });
}

launch_result trsm(device& on, const triangle_problem& problem, const view<const float, 2>& a,
                   const view<float, 2>& b, int refinements) {
  return launch_triangular(on, trsm_kernel(problem, on.machine(), refinements), a, b, b);
}

}  // namespace papilio::kernels

namespace papilio::kernels_detail {

kernels::catalog_entry trsm_entry() {
  struct request : triangle_problem {
    int refinements = 1;
  };
  return settings<request>{}
      .with(triangle_settings("X", "512"))
      .with({factor_setting("alpha", &request::alpha, "1", "Factor of B"),
             number_setting("refinements", &request::refinements, "1",
                            "Refinements of each block of X, at most 8", 0)})
      .entry("trsm", "X of op(A) X = alpha B or X op(A) = alpha B, A triangular, B m x n",
             [](request r, const engine::machine_spec& machine) {
               r.function = triangle_function::trsm;
               return kernels::trsm_kernel(r, machine, r.refinements);
             });
}

}  // namespace papilio::kernels_detail
