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

// Contiguous lines in the products' own precision.
struct plain_lines {
  std::int64_t n = 1, whole = 1;  ///< that they are a part of
  bool inverse = false;
  double scale = 1;
  const machine_spec& machine;

  fft_recipe by_passes(std::int64_t lines) const {
    if (n <= machine.thresholds.one_sweep_points_max)
      if (auto step = lines_step({.outer = lines, .n = n, .inverse = inverse, .scale = scale}, machine))
        return {{*std::move(step)}};
    return recipe_of_passes(axis_passes(lines, n, 1, inverse, {}, machine), 2 * lines * n, scale,
                            machine);
  }
  // Not lines on partitions: long ones by their parts, few short ones as columns.
  std::optional<fft_recipe> otherwise(std::int64_t lines) const {
    const engine::threshold_spec& limit = machine.thresholds;
    if (n > limit.one_sweep_points_max)
      return complex_lines_by_parts(lines, n, inverse, scale, machine);
    if (whole > limit.few_complex_lines_max || n < limit.few_lines_points_min) return {};
    std::vector<fft_pass> passes = four_step_passes(lines, n, inverse, {}, machine);
    if (passes.empty()) return {};
    return recipe_of_passes(std::move(passes), 2 * lines * n, scale, machine);
  }
  // Whichever dry runs find faster.
  fft_recipe design(std::int64_t lines) const {
    const std::int64_t compared = std::min(whole, machine.thresholds.compared_lines_max);
    const auto other = otherwise(compared);
    return other && modelled_seconds(*other, machine) <
                        modelled_seconds(by_passes(compared), machine)
               ? *otherwise(lines)
               : by_passes(lines);
  }
};

}  // namespace

std::vector<fft_step> axis_steps(const fft_axis& axis, bool inverse, double scale,
                                 const array_operands& operands, const machine_spec& machine) {
  const auto [outer, n, inner] = axis;
  // Nothing but the scale: any order of elements is as good.
  if (n == 1 && inner > 1)
    return axis_steps({outer * inner, 1, 1}, inverse, scale, operands, machine);
  const std::vector<fft_pass> passes = axis_passes(outer, n, inner, inverse, operands, machine);
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
  if (inner == 1 && operands.type == engine::dtype::fp32 && operands.parts == 1)
    return plain_lines{.n = n,
                       .whole = std::max(outer, operands.whole_elements / n),
                       .inverse = inverse,
                       .scale = scale,
                       .machine = machine}
        .design(outer)
        .steps;
  return recipe_of_passes(passes, 2 * outer * n * inner, scale, machine).steps;
}

}  // namespace papilio::kernels_detail
