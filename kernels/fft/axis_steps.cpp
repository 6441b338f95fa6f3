#include "kernels/fft/axis_steps.hpp"

#include <algorithm>
#include <iterator>

#include "kernels/fft/axis_design.hpp"
#include "kernels/fft/bluestein.hpp"
#include "kernels/fft/transposition.hpp"

namespace papilio::kernels_detail {
namespace {

using engine::machine_spec;

bool better_transposed(const fft_axis& axis, const std::vector<fft_pass>& passes) {
  if (passes.empty()) return true;
  return axis.inner < good_inner && std::ranges::any_of(passes, [](const fft_pass& p) {
           return p.entry == orientation::columns;
         });
}

}  // namespace

std::vector<fft_step> axis_steps(const fft_axis& axis, bool inverse, double scale,
                                 const array_operands& operands, const machine_spec& machine) {
  const auto [outer, n, inner] = axis;
  // Nothing but the scale: any order of elements is as good.
  if (n == 1 && inner > 1)
    return axis_steps({outer * inner, 1, 1}, inverse, scale, operands, machine);
  std::vector<fft_pass> passes = axis_passes(outer, n, inner, inverse, operands, machine);
  if (inner > 1 && better_transposed(axis, passes)) {
    std::vector<fft_step> steps{transposition_step(outer, n, inner)};
    std::ranges::move(axis_steps({outer * inner, n, 1}, inverse, scale, operands, machine),
                      std::back_inserter(steps));
    steps.push_back(transposition_step(outer, inner, n));
    return steps;
  }
  if (passes.empty())
    return bluestein_steps({.lanes = outer, .n = n, .inverse = inverse, .scale = scale}, operands,
                           machine);
  fft_recipe recipe;
  append_passes(recipe, std::move(passes), 2 * outer * n * inner, scale, machine);
  return std::move(recipe.steps);
}

}  // namespace papilio::kernels_detail
