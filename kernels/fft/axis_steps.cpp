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
#include "kernels/transform/columns.hpp"
#include "kernels/transform/lines.hpp"

namespace papilio::kernels_detail {
namespace {

using engine::machine_spec;

bool better_transposed(const fft_axis& axis, const std::vector<fft_pass>& passes,
                       const machine_spec& machine) {
  if (passes.empty()) return true;
  return axis.inner < machine.thresholds.column_neighbours_min &&
         std::ranges::any_of(passes,
                             [](const fft_pass& p) { return p.entry == orientation::columns; });
}

fft_recipe recipe_of_passes(std::vector<fft_pass> passes, std::int64_t elements, double scale,
                            const machine_spec& machine) {
  fft_recipe recipe;
  append_passes(recipe, std::move(passes), elements, scale, machine);
  return recipe;
}

// Lines on partitions; none where columns have more lanes or lines do not fit.
std::optional<fft_recipe> by_lines(const lines_problem& p, const machine_spec& machine) {
  const std::int64_t outer = std::max(p.outer, p.whole);
  if (p.n * p.inner > machine.thresholds.one_sweep_points_max || p.inner >= machine.tensor.rows ||
      (p.inner > 1 && outer < p.inner))
    return {};
  if (auto step = lines_step(p, machine)) return fft_recipe{{*std::move(step)}};
  return {};
}

// Few lines, or long ones: as columns, or by their parts.
std::optional<fft_recipe> not_by_lines(const lines_problem& p, const machine_spec& machine) {
  const engine::threshold_spec& limit = machine.thresholds;
  if (p.inner > 1 || !p.operands.is_fp32()) return {};
  if (p.n > limit.one_sweep_points_max)
    return complex_lines_by_parts(p.outer, p.n, p.inverse, p.scale, machine);
  if (std::max(p.outer, p.whole) > limit.few_complex_lines_max || p.n < limit.few_lines_points_min)
    return {};
  return four_step(p, machine);
}

// The lines as they are, by whichever way dry runs of the whole, up to some lines, find faster.
fft_recipe faster(const lines_problem& p, fft_recipe one, const machine_spec& machine) {
  lines_problem compared = p;
  compared.outer = std::min(std::max(p.outer, p.whole), machine.thresholds.compared_lines_max);
  const auto other = not_by_lines(compared, machine);
  if (!other) return one;
  const auto first = [&]() -> fft_recipe {
    if (auto lines = by_lines(compared, machine)) return *std::move(lines);
    if (p.inner == 1 && p.n > machine.thresholds.one_sweep_points_max)
      if (auto two = four_step(compared, machine)) return *std::move(two);
    return recipe_of_passes(
        axis_passes(compared.outer, p.n, p.inner, p.inverse, p.operands, machine),
        2 * compared.outer * p.n * p.inner, p.scale, machine);
  };
  return modelled_seconds(*other, machine) < modelled_seconds(first(), machine)
             ? *not_by_lines(p, machine)
             : std::move(one);
}

}  // namespace

std::vector<fft_step> axis_steps(const fft_axis& axis, bool inverse, double scale,
                                 const array_operands& operands, const machine_spec& machine) {
  const auto [outer, n, inner] = axis;
  // Nothing but the scale: any order of elements is as good.
  if (n == 1 && inner > 1)
    return axis_steps({outer * inner, 1, 1}, inverse, scale, operands, machine);
  const lines_problem lines{.outer = outer,
                            .n = n,
                            .inner = inner,
                            .inverse = inverse,
                            .scale = scale,
                            .operands = operands,
                            .whole = operands.whole_elements / (n * inner)};
  if (inner >= machine.thresholds.column_neighbours_min && n <= machine.thresholds.one_sweep_points_max)
    if (auto one = columns_step(lines, machine)) return {*std::move(one)};
  if (auto one = by_lines(lines, machine)) return faster(lines, std::move(*one), machine).steps;
  if (inner == 1 && n > machine.thresholds.one_sweep_points_max)
    if (auto two = four_step(lines, machine)) return faster(lines, *std::move(two), machine).steps;
  std::vector<fft_pass> passes = axis_passes(outer, n, inner, inverse, operands, machine);
  if (inner > 1 && better_transposed(axis, passes, machine)) {
    std::vector<fft_step> steps{transposition_step(outer, n, inner)};
    std::ranges::move(axis_steps({outer * inner, n, 1}, inverse, scale, operands, machine),
                      std::back_inserter(steps));
    steps.push_back(transposition_step(outer, inner, n));
    return steps;
  }
  if (passes.empty())
    return bluestein_steps({.lanes = outer, .n = n, .inverse = inverse, .scale = scale}, operands,
                           machine);
  return faster(lines, recipe_of_passes(std::move(passes), 2 * outer * n * inner, scale, machine),
                machine)
      .steps;
}

}  // namespace papilio::kernels_detail
