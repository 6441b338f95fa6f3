// What kernels of products have in common but their operands.
#include <algorithm>
#include <utility>

#include "kernels/design.hpp"
#include "kernels/products/product_entry.hpp"
#include "kernels/products/products.hpp"
#include "papilio/base/error.hpp"

namespace papilio::kernels_detail {
namespace {

using namespace engine;
using kernels::sized_kernel;

sized_kernel kernel_of(const product_design& design, const product_program& program,
                       const machine_spec& machine) {
  sized_kernel sized = program.operands(design);
  sized.design = design_of(design);
  sized.program.parameters = sized.design.key();
  sized.program.body = [design, run = program.run](core& nc, const kernel_arguments& t) {
    run(nc, design, t);
  };
  sized.machine = machine;
  return sized;
}

// Panels that follow one another, from where on what is made ahead is no matter of the first.
kernels::repetition repetition_of(const product_design& design, const product_program& program,
                                  const machine_spec& machine) {
  constexpr std::int64_t panels_min = 2;
  constexpr double effort_min = 1000;
  const matrix_product& problem = design.product;
  const product_tiling& tiling = design.tiling;
  const bool in_batch = problem.batches() > 1;
  const std::int64_t step = in_batch ? 1 : tiling.rows * tiling.groups;
  const auto enough =
      std::int64_t(effort_min / effort_of(design.of_count(step).product, tiling)) + 1;
  return {.unit = in_batch ? "products" : "rows",
          .count = in_batch ? problem.batches() : problem.m,
          .least = step * std::max(panels_min, enough),
          .part = [design, program, machine](std::int64_t count) {
            return kernel_of(design.of_count(count), program, machine);
          }};
}

// Of a triangle in blocks of a tiling's side.
std::string triangle_text(const matrix_product& p, std::int64_t side) {
  const kernels::triangle_layout lies(*p.part, p.n, side);
  const std::int64_t blocks = lies.rows_of_blocks();
  return base_detail::message("the ", *p.part == kernels::triangle::lower ? "lower" : "upper",
                              " triangle, ", blocks * (blocks + 1) / 2, " of ", blocks * blocks,
                              " blocks of ", side, " x ", side, ", ", lies.elements(),
                              " elements\n");
}

}  // namespace

std::string product_design::describe() const {
  const std::string tiles = tiling.describe(product.k);
  if (product.form != product_form::real)
    return base_detail::message(product.products(), " real products; ", tiles);
  return epilogue_text(product) + (product.part ? triangle_text(product, tiling.side) : "") + tiles;
}

product_design product_design::of_count(std::int64_t count) const {
  product_design other = *this;
  if (product.part) return other;
  if (product.batches() == 1) {
    other.product.m = count;
    return other;
  }
  for (std::int64_t* const batch : {&other.product.batch_a, &other.product.batch_b})
    if (*batch > 1) *batch = count;
  return other;
}

sized_kernel tiled_kernel(product_design design, const product_program& program,
                          const machine_spec& machine) {
  require_bytes(program.operands(design));  // before anything is priced
  product_choice choice = choose_tiling(design.product, machine);
  design.tiling = choice.tiling;
  sized_kernel sized = kernel_of(design, program, machine);
  sized.chosen_as = std::move(choice.chosen_as);
  sized.compared = std::move(choice.compared);
  sized.expected_error = design.product.expected_error(machine);
  sized.repeats = repetition_of(design, program, machine);
  return sized;
}

}  // namespace papilio::kernels_detail
