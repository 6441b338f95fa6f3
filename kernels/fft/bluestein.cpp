// Transforms of lengths with a large prime factor.
//   identity   j k = (j^2 + k^2 - (k - j)^2) / 2, so that with c[j] = w(2n)^(j^2)
//                X[k] = c[k] sum over j of (x[j] c[j]) conj(c[k - j]),
//              a convolution, which is done by transforms of a smooth m, at least as many points as
//              there are differences k - j: 2n - 1 of whole lines
//   steps      lines times c, padded to m; transform; times the filter's spectrum; inverse
//              transform; its first n results times c
//              short lines: products with chirps and filter are inside the matrices of one sweep
//              there and back, or of two
//              few lines: all of it on chip (kernels/transform/own_digits.hpp), where that is faster
//   bound      DMA: m is twice n, and lines pass HBM once for each step
#include "kernels/fft/bluestein.hpp"

#include <algorithm>

#include "kernels/fft/axis_steps.hpp"
#include "kernels/fft/error_model.hpp"
#include "kernels/fft/factors.hpp"
#include "kernels/fft/line_product.hpp"
#include "kernels/fft/recipe_time.hpp"
#include "kernels/transform/lines.hpp"
#include "kernels/transform/own_digits.hpp"
#include "papilio/base/error.hpp"

namespace papilio::kernels_detail {
namespace {

using engine::machine_spec;

// The sweeps of a length cost roughly so much for a lane: columns that the array multiplies, of
// groups that fill it less than they could.
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

// A smooth length of at least so many points.
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

// The length of lines in between.
std::int64_t length_of(const chirp_lines& what, const machine_spec& machine) {
  const std::int64_t least =
      checked_multiply(what.n, std::int64_t(2), "fft_kernel: filter length") - 1;
  return smooth_length(std::min(least, what.points_in() + what.points_out() - 1), machine);
}

chirp_factors factors_of(const chirp_lines& what, std::int64_t m, chirp_factors::part of) {
  return {.of = of,
          .n = what.n,
          .in = what.points_in(),
          .out = what.points_out(),
          .m = m,
          .inverse = what.inverse,
          .weight = what.weight};
}

std::int64_t input_plane(const chirp_lines& what) {
  return what.in_plane < 0 ? what.lanes * what.points_in() : what.in_plane;
}

// The problems of sweeps with chirps and filter inside their matrices: one there and back, or one
// each.
std::vector<std::vector<lines_problem>> short_ways(const chirp_lines& what, std::int64_t m,
                                                   const array_operands& operands) {
  const lines_problem lines{
      .outer = what.lanes, .n = m, .operands = operands, .whole = operands.whole_elements / what.n};
  lines_problem there = lines, back = lines;
  there.point_chirp = factors_of(what, m, chirp_factors::part::points);
  there.bin_chirp = factors_of(what, m, chirp_factors::part::filter);
  there.in_some = what.points_in();
  there.in_plane = input_plane(what);
  back.inverse = true;
  back.scale = what.scale;
  back.point_chirp = factors_of(what, m, chirp_factors::part::results);
  back.out_some = what.points_out();
  lines_problem both = there;
  both.scale = what.scale;
  both.result_chirp = back.point_chirp;
  both.out_some = what.points_out();
  return {{std::move(both)}, {std::move(there), std::move(back)}};
}

std::vector<fft_step> steps_of(const std::vector<lines_problem>& way, const machine_spec& machine) {
  std::vector<fft_step> steps;
  for (const lines_problem& p : way) {
    auto step = lines_step(p, machine);
    if (!step) return {};
    step->in_floor = steps.empty();
    steps.push_back(*std::move(step));
  }
  return steps;
}

// The way that dry runs of the whole, up to some lines, find faster. Empty where the padded lines are
// too long, or so many matrices beside them.
std::vector<fft_step> short_steps(const chirp_lines& what, std::int64_t m,
                                  const array_operands& operands, const machine_spec& machine) {
  chirp_lines some = what;
  some.lanes = std::min(std::max(what.lanes, operands.whole_elements / what.n),
                        machine.thresholds.compared_lines_max);
  if (some.lanes != what.lanes) some.in_plane = -1;
  const auto compared = short_ways(some, m, operands), ways = short_ways(what, m, operands);
  std::vector<fft_step> one = steps_of(compared[0], machine), two = steps_of(compared[1], machine);
  if (one.empty() || two.empty()) return steps_of(ways[one.empty() ? 1 : 0], machine);
  return steps_of(
      ways[modelled_seconds({one}, machine) <= modelled_seconds({two}, machine) ? 0 : 1], machine);
}

// In sweeps, each of which takes all lines.
std::vector<fft_step> swept_steps(const chirp_lines& what, const array_operands& operands,
                                  const machine_spec& machine) {
  const std::int64_t lanes = what.lanes, in = what.points_in(), out = what.points_out();
  const std::int64_t m = length_of(what, machine);
  checked_multiply(checked_multiply(lanes, m, "fft_kernel: filter lines"), std::int64_t(8),
                   "fft_kernel: filter lines");
  if (auto steps = short_steps(what, m, operands, machine); !steps.empty()) return steps;
  std::vector<fft_step> steps{step_of({.name = base_detail::message("chirp of ", what.n),
                                       .lanes = lanes,
                                       .in_row = in,
                                       .out_row = m,
                                       .count = in,
                                       .in_plane = input_plane(what),
                                       .factors = factors_of(what, m, chirp_factors::part::points)},
                                      machine)};
  const auto append = [&](std::vector<fft_step> more) {
    std::ranges::move(more, std::back_inserter(steps));
  };
  append(axis_steps({lanes, m, 1}, false, 1, operands, machine));
  steps.push_back(step_of({.name = base_detail::message("filter of ", m),
                           .lanes = lanes,
                           .in_row = m,
                           .out_row = m,
                           .count = m,
                           .factors = factors_of(what, m, chirp_factors::part::filter)},
                          machine));
  std::vector<fft_step> back = axis_steps({lanes, m, 1}, true, 1, operands, machine);
  for (fft_step& step : back) step.in_floor = false;
  append(std::move(back));
  steps.push_back(step_of({.name = base_detail::message("chirp of ", what.n, ", results"),
                           .lanes = lanes,
                           .in_row = m,
                           .out_row = out,
                           .count = out,
                           .factors = factors_of(what, m, chirp_factors::part::results),
                           .scale = what.scale},
                          machine));
  return steps;
}

// Whole lines that stay on chip, a few at a time.
std::optional<fft_step> on_chip(const chirp_lines& what, const array_operands& operands,
                                const machine_spec& machine) {
  if (what.points_in() != what.n || what.points_out() != what.n ||
      what.weight != chirp_weight::none || operands.type != engine::dtype::fp32 ||
      operands.parts > 1)
    return {};
  return own_chirp_step({.outer = what.lanes,
                         .n = what.n,
                         .inverse = what.inverse,
                         .scale = what.scale,
                         .in_plane = what.in_plane},
                        machine);
}

}  // namespace

std::vector<fft_step> bluestein_steps(const chirp_lines& what, const array_operands& operands,
                                      const machine_spec& machine) {
  chirp_lines few = what;
  // Few lines leave partitions idle in sweeps: of more, as many are looked at.
  few.lanes = std::min(std::max(what.lanes, operands.whole_elements / what.n),
                       machine.thresholds.compared_chirps_max);
  if (few.lanes != what.lanes) few.in_plane = -1;
  if (const auto step = on_chip(few, operands, machine))
    if (modelled_seconds({{*step}}, machine) <
        modelled_seconds({swept_steps(few, operands, machine)}, machine))
      return {*on_chip(what, operands, machine)};
  return swept_steps(what, operands, machine);
}

}  // namespace papilio::kernels_detail
