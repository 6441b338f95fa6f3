#include "kernels/fft/axis_steps.hpp"

#include <algorithm>
#include <iterator>
#include <optional>

#include "kernels/fft/axis_design.hpp"
#include "kernels/fft/bluestein.hpp"
#include "kernels/fft/four_step.hpp"
#include "kernels/fft/recipe_time.hpp"
#include "kernels/fft/transposition.hpp"
#include "kernels/real/complex_lines.hpp"

namespace papilio::kernels_detail {
namespace {

using engine::machine_spec;

bool better_transposed(const fft_axis& axis, const std::vector<fft_pass>& passes) {
  if (passes.empty()) return true;
  return axis.inner < good_inner && std::ranges::any_of(passes, [](const fft_pass& p) {
           return p.entry == orientation::columns;
         });
}

// As many lines as these are, or are a part of, up to a few blocks of partitions.
constexpr std::int64_t compared_lanes = 256;

fft_recipe by_passes(const fft_axis& axis, bool inverse, double scale,
                     const array_operands& operands, const machine_spec& machine) {
  const auto [outer, n, inner] = axis;
  fft_recipe recipe;
  append_passes(recipe, axis_passes(outer, n, inner, inverse, operands, machine),
                2 * outer * n * inner, scale, machine);
  return recipe;
}

// Lines by transforms of their parts, where dry runs find that faster than passes.
std::optional<fft_recipe> faster_by_parts(const fft_axis& axis, bool inverse, double scale,
                                          const array_operands& operands,
                                          const machine_spec& machine) {
  if (operands.type != engine::dtype::fp32 || operands.parts > 1) return {};
  const std::int64_t whole = std::max(axis.outer, operands.whole_elements / axis.n);
  const fft_axis few{std::min(whole, compared_lanes), axis.n, 1};
  const auto parts = complex_lines_by_parts(few.outer, few.n, inverse, scale, machine);
  if (!parts || modelled_seconds(*parts, machine) >=
                    modelled_seconds(by_passes(few, inverse, scale, operands, machine), machine))
    return {};
  return complex_lines_by_parts(axis.outer, axis.n, inverse, scale, machine);
}

}  // namespace

std::vector<fft_step> axis_steps(const fft_axis& axis, bool inverse, double scale,
                                 const array_operands& operands, const machine_spec& machine) {
  const auto [outer, n, inner] = axis;
  // Nothing but the scale: any order of elements is as good.
  if (n == 1 && inner > 1)
    return axis_steps({outer * inner, 1, 1}, inverse, scale, operands, machine);
  const std::vector<fft_pass> passes = axis_passes(outer, n, inner, inverse, operands, machine);
  if (inner > 1 && better_transposed(axis, passes)) {
    std::vector<fft_step> steps{transposition_step(outer, n, inner)};
    std::ranges::move(axis_steps({outer * inner, n, 1}, inverse, scale, operands, machine),
                      std::back_inserter(steps));
    steps.push_back(transposition_step(outer, inner, n));
    return steps;
  }
  if (inner == 1 && n > points_max && !passes.empty())
    if (auto parts = faster_by_parts(axis, inverse, scale, operands, machine))
      return std::move(parts->steps);
  if (passes.empty())
    return bluestein_steps({.lanes = outer, .n = n, .inverse = inverse, .scale = scale}, operands,
                           machine);
  return by_passes(axis, inverse, scale, operands, machine).steps;
}

}  // namespace papilio::kernels_detail
