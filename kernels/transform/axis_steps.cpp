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

// Transforms lines on partitions; nothing where lines do not fit, or where adjacent lines (inner)
// are enough for transforms by columns.
std::optional<fft_recipe> by_lines(const lines_problem& p, const machine_spec& machine) {
  const std::int64_t outer = std::max(p.outer, p.whole);
  if (p.n * p.inner > machine.thresholds.one_sweep_points_max || p.inner >= machine.tensor.rows ||
      (p.inner > 1 && outer < p.inner))
    return {};
  if (auto step = lines_step(p, machine)) return fft_recipe{{*std::move(step)}};
  return {};
}

// Transforms contiguous lines that do not fit a partition, in two or three sweeps.
std::optional<fft_recipe> in_sweeps(const lines_problem& p, const machine_spec& machine) {
  if (auto two = four_step(p, machine)) return two;
  return lines_in_three_sweeps(p, machine);
}

std::optional<fft_recipe> usual(const lines_problem& p, const machine_spec& machine) {
  auto recipe = by_lines(p, machine);
  return recipe || p.inner > 1 ? recipe : in_sweeps(p, machine);
}

// Transforms long complex lines as real ones: the planes a and b are twice as many real lines, and
// the spectrum of a + i b is A + i B. Exchanging planes before and behind makes a transform the
// inverse one. DMA bounds it: two sweeps in long rows.
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

// Whether lines are so few that partitions stay idle unless each line fills the array by itself.
bool are_few(const lines_problem& p, const machine_spec& machine) {
  return std::max(p.outer, p.whole) <= machine.thresholds.own_digits_lines_max &&
         p.n >= machine.thresholds.few_lines_points_min;
}

std::optional<fft_recipe> by_own_digits(const lines_problem& p, const machine_spec& machine) {
  if (!are_few(p, machine)) return {};
  if (auto step = own_digits_step(p, machine)) return fft_recipe{{*std::move(step)}};
  return {};
}

// Transforms few lines in two sweeps, where their factors fit.
std::optional<fft_recipe> few_in_sweeps(const lines_problem& p, const machine_spec& machine) {
  if (!are_few(p, machine) || p.n > machine.thresholds.one_sweep_points_max) return {};
  return four_step(p, machine);
}

// Transforms lines on partitions that fit there only because their numbers are narrow.
std::optional<fft_recipe> narrow_lines(const lines_problem& p, const machine_spec& machine) {
  if (p.n <= machine.thresholds.one_sweep_points_max || p.n > one_sweep_points(p.operands, machine))
    return {};
  if (auto step = lines_step(p, machine)) return fft_recipe{{*std::move(step)}};
  return {};
}

// The way to transform lines that dry runs find fastest; they compare the whole batch, or some
// lines of a large one, so that the choice does not depend on how a batch is divided.
std::optional<fft_recipe> fastest_way(const lines_problem& p, const machine_spec& machine) {
  auto one = usual(p, machine);
  if (!one || p.inner > 1) return one;
  using way = std::optional<fft_recipe> (*)(const lines_problem&, const machine_spec&);
  const std::vector<way> others = p.operands.is_fp32()
                                      ? std::vector<way>{by_parts, by_own_digits, few_in_sweeps}
                                      : std::vector<way>{narrow_lines};
  const lines_problem compared = some_of(p, machine.thresholds.compared_lines_max);
  std::optional<double> least;
  for (const way& by : others) {
    const auto other = by(compared, machine);
    if (!other) continue;
    if (!least) least = modelled_seconds(*usual(compared, machine), machine);
    const double seconds = modelled_seconds(*other, machine);
    if (seconds >= *least) continue;
    least = seconds;
    one = by(p, machine);
  }
  return one;
}

}  // namespace

fft_recipe complex_axis(const lines_problem& p, const machine_spec& machine) {
  lines_problem along = p;
  along.outer *= p.inner;
  along.whole *= p.inner;
  along.inner = 1;
  // Lines of one point are only scaled, in any order of elements.
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
