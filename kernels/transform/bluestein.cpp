// Bluestein's algorithm for lengths with a large prime factor.
//   identity   j k = (j^2 + k^2 - (k - j)^2) / 2, so that with c[j] = w(2n)^(j^2)
//                X[k] = c[k] sum over j of (x[j] c[j]) conj(c[k - j]),
//              a convolution by transforms of a smooth length m, at least the number of differences
//              k - j: 2n - 1 for whole lines
//   steps      multiply lines by c and pad them to m; transform; multiply by the filter's spectrum;
//              transform back; multiply the first n results by c
//   short      for short lines, chirps and filter are inside the matrices of one sweep that
//              transforms there and back, or of two sweeps
//   few        few lines are convolved on chip (own_digits.hpp), where that is faster
//   bound      DMA: m is about 2n, and lines pass HBM once for each step
#include <algorithm>

#include "kernels/transform/axis_steps.hpp"
#include "kernels/transform/error_model.hpp"
#include "kernels/transform/factors.hpp"
#include "kernels/transform/line_product.hpp"
#include "kernels/transform/own_digits.hpp"
#include "papilio/base/error.hpp"

namespace papilio::kernels_detail {
namespace {
namespace chirps {

using engine::machine_spec;
using part = chirp_factors::part;

// Estimates the cost of a line's transform of m points: columns that the array multiplies, more
// where groups of points do not fill its rows, and sweeps over HBM.
double cost_of(std::int64_t m, const machine_spec& machine) {
  const std::int64_t half = machine.tensor.rows / 2, most = machine.thresholds.one_sweep_points_max;
  const std::int64_t n =
      m <= most ? m
                : largest_divisor(m, std::min(most, std::int64_t(square_root(double(m)) + 0.5)));
  double cost = double(m);  // a sweep over HBM
  for (const std::int64_t r : radices_of(n, half, machine.tensor.rows)) {
    const std::int64_t shared = largest_divisor(n / r, std::max<std::int64_t>(1, half / r));
    cost += double(m) * double(half) / double(r * shared);
  }
  return n == m ? cost : cost + cost_of(m / n, machine) * double(n);
}

// The cheapest smooth length of at least so many points.
std::int64_t smooth_length(std::int64_t least, const machine_spec& machine) {
  std::int64_t best = 0;
  double best_cost = 0;
  for (const std::int64_t odd : {1, 3, 5, 7, 9, 11, 13, 15, 17, 21, 25, 27}) {
    std::int64_t m = odd;
    while (m < least) m *= 2;
    if (4 * m > 5 * least + 256) continue;
    const double cost = cost_of(m, machine);
    if (cost > 0 && (best == 0 || cost < best_cost)) {
      best = m;
      best_cost = cost;
    }
  }
  return best;
}

// Lines, and the vectors of Bluestein's algorithm for them.
struct chirped {
  const lines_problem& lines;
  chirp_weight weight;
  std::int64_t m;  ///< points in between

  chirped(const lines_problem& p, chirp_weight of, const machine_spec& machine)
      : lines(p), weight(of) {
    const std::int64_t least =
        checked_multiply(p.n, std::int64_t(2), "fft_kernel: filter length") - 1;
    m = smooth_length(std::min(least, p.points_in() + p.points_out() - 1), machine);
  }
  chirp_factors factors(part of) const {
    return {.of = of,
            .n = lines.n,
            .in = lines.points_in(),
            .out = lines.points_out(),
            .m = m,
            .inverse = lines.inverse,
            .weight = weight};
  }
};

// The problems of sweeps with chirps and filter inside their matrices: a single one there and back,
// or one each way.
std::vector<std::vector<lines_problem>> short_ways(const chirped& what) {
  const lines_problem& p = what.lines;
  lines_problem there{.outer = p.outer, .n = what.m, .operands = p.operands, .whole = p.whole},
      back = there;
  there.point_chirp = what.factors(part::points);
  there.bin_chirp = what.factors(part::filter);
  there.in_some = p.points_in();
  there.in_plane = p.in_plane < 0 ? p.outer * p.points_in() : p.in_plane;
  back.inverse = true;
  back.scale = p.scale;
  back.point_chirp = what.factors(part::results);
  back.out_some = p.points_out();
  lines_problem both = there;
  both.scale = p.scale;
  both.result_chirp = back.point_chirp;
  both.out_some = p.points_out();
  return {{std::move(both)}, {std::move(there), std::move(back)}};
}

fft_recipe recipe_of(const std::vector<lines_problem>& way, const machine_spec& machine) {
  fft_recipe recipe;
  for (const lines_problem& p : way) {
    auto step = lines_step(p, machine);
    if (!step) return {};
    step->in_floor = recipe.steps.empty();
    recipe.steps.push_back(*std::move(step));
  }
  return recipe;
}

// The way that dry runs find faster; they compare the whole batch, or some lines of a large one.
// Empty where padded lines, or the matrices beside them, do not fit on chip.
fft_recipe short_recipe(const chirped& what, const machine_spec& machine) {
  const lines_problem some = some_of(what.lines, machine.thresholds.compared_lines_max);
  const auto compared = short_ways({some, what.weight, machine}), ways = short_ways(what);
  const fft_recipe one = recipe_of(compared[0], machine), two = recipe_of(compared[1], machine);
  if (one.steps.empty() || two.steps.empty())
    return recipe_of(ways[one.steps.empty() ? 1 : 0], machine);
  const bool together = modelled_seconds(one, machine) <= modelled_seconds(two, machine);
  return recipe_of(ways[together ? 0 : 1], machine);
}

// Transforms all lines in sweeps over HBM, of which each does one of the steps, or several.
fft_recipe in_sweeps(const lines_problem& p, chirp_weight weight, const machine_spec& machine) {
  const chirped what(p, weight, machine);
  const std::int64_t m = what.m;
  checked_multiply(checked_multiply(p.outer, m, "fft_kernel: filter lines"), std::int64_t(8),
                   "fft_kernel: filter lines");
  if (fft_recipe recipe = short_recipe(what, machine); !recipe.steps.empty()) return recipe;
  fft_recipe recipe{{step_of({.lines = p.outer,
                              .in_row = p.points_in(),
                              .out_row = m,
                              .count = p.points_in(),
                              .in_plane = p.in_plane,
                              .factors = what.factors(part::points)},
                             machine)}};
  lines_problem between{
      .outer = p.outer, .n = m, .operands = p.operands, .whole = p.whole * p.n / m};
  append(recipe, complex_axis(between, machine));
  recipe.steps.push_back(step_of({.lines = p.outer,
                                  .in_row = m,
                                  .out_row = m,
                                  .count = m,
                                  .factors = what.factors(part::filter)},
                                 machine));
  between.inverse = true;
  fft_recipe back = complex_axis(between, machine);
  for (fft_step& step : back.steps) append_aside(recipe, std::move(step));
  recipe.steps.push_back(step_of({.lines = p.outer,
                                  .in_row = m,
                                  .out_row = p.points_out(),
                                  .count = p.points_out(),
                                  .factors = what.factors(part::results),
                                  .scale = p.scale},
                                 machine));
  return recipe;
}

}  // namespace chirps
}  // namespace

fft_recipe bluestein(const lines_problem& p, const engine::machine_spec& machine,
                     chirp_weight weight) {
  const bool is_whole = p.points_in() == p.n && p.points_out() == p.n;
  if (is_whole && weight == chirp_weight::none && p.operands.is_fp32()) {
    // Few lines leave partitions idle in sweeps. A dry run of at most so many lines decides.
    const lines_problem few = some_of(p, machine.thresholds.compared_chirps_max);
    if (const auto step = own_chirp_step(few, machine))
      if (modelled_seconds({{*step}}, machine) <
          modelled_seconds(chirps::in_sweeps(few, weight, machine), machine))
        return {{*own_chirp_step(p, machine)}};
  }
  return chirps::in_sweeps(p, weight, machine);
}

}  // namespace papilio::kernels_detail
