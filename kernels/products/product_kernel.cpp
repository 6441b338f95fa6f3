// What kernels of products have in common but their operands.
#include <algorithm>
#include <utility>

#include "kernels/products/products.hpp"

namespace papilio::kernels_detail {
namespace {

using namespace engine;
using kernels::sized_kernel;

// `count` products of a batch, or rows.
matrix_product part_of(matrix_product p, std::int64_t count) {
  if (p.batches() == 1) {
    p.m = count;
    return p;
  }
  for (std::int64_t* const batch : {&p.batch_a, &p.batch_b})
    if (*batch > 1) *batch = count;
  return p;
}

sized_kernel kernel_of(const matrix_product& problem, const product_tiling& tiling,
                       const product_program& program, const machine_spec& machine) {
  sized_kernel sized = program.operands(problem);
  sized.program.body = [problem, tiling, run = program.run](core& nc, const kernel_arguments& t) {
    run(nc, problem, tiling, t);
  };
  sized.machine = machine;
  return sized;
}

// Panels that follow one another, from where on what is made ahead is no matter of the first.
kernels::repetition repetition_of(const matrix_product& problem, const product_tiling& tiling,
                                  const product_program& program, const machine_spec& machine) {
  constexpr std::int64_t panels_min = 2;
  constexpr double effort_min = 1000;
  const bool in_batch = problem.batches() > 1;
  const std::int64_t step = in_batch ? 1 : tiling.rows * tiling.groups;
  const auto enough = std::int64_t(effort_min / effort_of(part_of(problem, step), tiling)) + 1;
  return {.unit = in_batch ? "products" : "rows",
          .count = in_batch ? problem.batches() : problem.m,
          .least = step * std::max(panels_min, enough),
          .part = [problem, tiling, program, machine](std::int64_t count) {
            return kernel_of(part_of(problem, count), tiling, program, machine);
          }};
}

}  // namespace

sized_kernel tiled_kernel(const matrix_product& problem, const product_program& program,
                          const machine_spec& machine) {
  require_bytes(program.operands(problem));  // before anything is priced
  const product_choice choice = choose_tiling(problem, machine);
  sized_kernel sized = kernel_of(problem, choice.tiling, program, machine);
  sized.explanation = choice.explanation;
  sized.expected_error = problem.expected_error(machine);
  sized.repeats = repetition_of(problem, choice.tiling, program, machine);
  return sized;
}

}  // namespace papilio::kernels_detail
