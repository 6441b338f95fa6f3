#include "kernels/fft/axis_steps.hpp"

#include <algorithm>
#include <iterator>
#include <optional>

#include "kernels/fft/bluestein.hpp"
#include "kernels/fft/recipe_time.hpp"
#include "kernels/fft/transposition.hpp"
#include "kernels/real/complex_lines.hpp"
#include "kernels/transform/columns.hpp"
#include "kernels/transform/lines.hpp"
#include "kernels/transform/own_digits.hpp"

namespace papilio::kernels_detail {
namespace {

using engine::machine_spec;

// Lines on partitions; none where columns have more lanes or lines do not fit.
std::optional<fft_recipe> by_lines(const lines_problem& p, const machine_spec& machine) {
  const std::int64_t outer = std::max(p.outer, p.whole);
  if (p.n * p.inner > machine.thresholds.one_sweep_points_max || p.inner >= machine.tensor.rows ||
      (p.inner > 1 && outer < p.inner))
    return {};
  if (auto step = lines_step(p, machine)) return fft_recipe{{*std::move(step)}};
  return {};
}

// Lines one after the other, where they do not fit partitions; none as above.
std::optional<fft_recipe> in_sweeps(const lines_problem& p, const machine_spec& machine) {
  if (auto two = four_step(p, machine)) return two;
  return long_lines(p, machine);
}

std::optional<fft_recipe> usual(const lines_problem& p, const machine_spec& machine) {
  auto recipe = by_lines(p, machine);
  return recipe || p.inner > 1 ? recipe : in_sweeps(p, machine);
}

// Long lines by their real and imaginary parts.
std::optional<fft_recipe> by_parts(const lines_problem& p, const machine_spec& machine) {
  if (p.n <= machine.thresholds.one_sweep_points_max) return {};
  return complex_lines_by_parts(p.outer, p.n, p.inverse, p.scale, machine);
}

// Few lines, which leave partitions idle: each fills the array by itself.
bool are_few(const lines_problem& p, const machine_spec& machine) {
  return std::max(p.outer, p.whole) <= machine.thresholds.own_digits_lines_max &&
         p.n >= machine.thresholds.few_lines_points_min;
}

std::optional<fft_recipe> by_own_digits(const lines_problem& p, const machine_spec& machine) {
  if (!are_few(p, machine)) return {};
  if (auto step = own_digits_step(p, machine)) return fft_recipe{{*std::move(step)}};
  return {};
}

// Few lines whose digits are small are two sweeps.
std::optional<fft_recipe> few_in_sweeps(const lines_problem& p, const machine_spec& machine) {
  if (!are_few(p, machine) || p.n > machine.thresholds.one_sweep_points_max) return {};
  return four_step(p, machine);
}

// The lines as they are, by whichever way dry runs of the whole, up to some lines, find fastest.
std::optional<fft_recipe> fastest_way(const lines_problem& p, const machine_spec& machine) {
  auto one = usual(p, machine);
  if (!one || p.inner > 1 || !p.operands.is_fp32()) return one;
  lines_problem compared = p;
  compared.outer = std::min(std::max(p.outer, p.whole), machine.thresholds.compared_lines_max);
  if (compared.outer != p.outer) compared.in_plane = -1;
  std::optional<double> least;
  for (const auto& way : {by_parts, by_own_digits, few_in_sweeps}) {
    const auto other = way(compared, machine);
    if (!other) continue;
    if (!least) least = modelled_seconds(*usual(compared, machine), machine);
    const double seconds = modelled_seconds(*other, machine);
    if (seconds >= *least) continue;
    least = seconds;
    one = way(p, machine);
  }
  return one;
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
  if (auto recipe = fastest_way(lines, machine)) return std::move(recipe->steps);
  if (inner >= machine.thresholds.column_neighbours_min)
    if (auto recipe = columns(lines, machine)) return std::move(recipe->steps);
  if (inner > 1) {
    std::vector<fft_step> steps{transposition_step(outer, n, inner)};
    std::ranges::move(axis_steps({outer * inner, n, 1}, inverse, scale, operands, machine),
                      std::back_inserter(steps));
    steps.push_back(transposition_step(outer, inner, n));
    return steps;
  }
  return bluestein_steps({.lanes = outer, .n = n, .inverse = inverse, .scale = scale}, operands,
                         machine);
}

}  // namespace papilio::kernels_detail
