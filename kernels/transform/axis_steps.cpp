#include "kernels/transform/axis_steps.hpp"

#include <algorithm>
#include <optional>

#include "kernels/transform/columns.hpp"
#include "kernels/transform/own_digits.hpp"
#include "kernels/transform/real_sweeps.hpp"
#include "kernels/transform/transposition.hpp"

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
  return lines_in_three_sweeps(p, machine);
}

std::optional<fft_recipe> usual(const lines_problem& p, const machine_spec& machine) {
  auto recipe = by_lines(p, machine);
  return recipe || p.inner > 1 ? recipe : in_sweeps(p, machine);
}

// Long lines by those of their real and imaginary parts, which lie as twice as many real lines
// already: with A and B of the lines a and b, those of a + i b are A + i B. With planes exchanged
// before and behind, a transform is the inverse one. Bound: DMA, two sweeps in long rows.
std::optional<fft_recipe> by_parts(const lines_problem& p, const machine_spec& machine) {
  const std::int64_t lines = 2 * p.outer;
  if (p.n <= machine.thresholds.one_sweep_points_max || !has_cut(p.n, machine)) return {};
  auto parts = lines_step({.outer = lines, .n = p.n, .real = true, .scale = p.scale}, machine);
  if (!parts) return {};
  fft_recipe recipe{{*std::move(parts)}};
  append_aside(recipe, packed_spectra_step(
                           {.lines = lines, .n = p.n, .inverse = true, .exchanged = p.inverse}));
  return recipe;
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
  const lines_problem compared = some_of(p, machine.thresholds.compared_lines_max);
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

fft_recipe complex_axis(const lines_problem& p, const machine_spec& machine) {
  lines_problem along = p;
  along.outer *= p.inner;
  along.whole *= p.inner;
  along.inner = 1;
  // Nothing but the scale: any order of elements is as good.
  if (p.n == 1 && p.inner > 1) return complex_axis(along, machine);
  if (auto recipe = fastest_way(p, machine)) return *std::move(recipe);
  if (p.inner >= machine.thresholds.column_neighbours_min)
    if (auto recipe = columns(p, machine)) return *std::move(recipe);
  if (p.inner == 1) return bluestein(p, machine);
  fft_recipe recipe{{transposition_step(p.outer, p.n, p.inner)}};
  append(recipe, complex_axis(along, machine));
  recipe.steps.push_back(transposition_step(p.outer, p.inner, p.n));
  return recipe;
}

}  // namespace papilio::kernels_detail
