#include "kernels/transform/columns.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "kernels/ceil_div.hpp"
#include "kernels/transform/cuts.hpp"
#include "kernels/transform/factors.hpp"

namespace papilio::kernels_detail {

using engine::machine_spec;

namespace {

// Layouts [planes, outer, numbers, lines], with points on partitions, and [planes, outer, lines,
// numbers], with lines on partitions.
sweep_end points_end(std::int64_t outer, std::int64_t numbers, std::int64_t lines) {
  return {.on_partitions = true, .plane = outer * numbers * lines, .line = 1, .axes = {lines}};
}
sweep_end lines_end(std::int64_t outer, std::int64_t numbers, std::int64_t lines) {
  return {.on_partitions = false, .plane = outer * numbers * lines, .line = numbers, .axes = {1}};
}

// The problem of a sweep over `outer` contiguous arrays.
sweep_problem problem_of(transform_sweep s, std::int64_t outer, std::int64_t n) {
  s.formula.radices = {n};  // until its digits are chosen
  const auto elements = [&](const sweep_end& end, std::int64_t numbers) {
    return end.mirrored_from > 0 ? end.plane / outer : numbers * s.lines;
  };
  const std::int64_t in = elements(s.in, s.in_numbers()), out = elements(s.out, s.out_numbers());
  if (outer > 1) s.loops.push_back({outer, in, out});
  const int in_planes = s.in_planes(), out_planes = s.out_planes();
  return {std::move(s), n, outer * in * in_planes, outer * out * out_planes};
}

// The problem for which digits are chosen: the whole batch, so that bits do not depend on how it is
// divided.
lines_problem whole_of(const lines_problem& p) {
  lines_problem whole = p;
  whole.outer = std::max(p.outer, p.whole);
  return whole;
}

// The step of a part of the batch, with the digits of the whole.
std::optional<fft_step> step_with_digits_of(const sweep_problem& whole, const sweep_problem& part,
                                            const machine_spec& machine) {
  const std::vector<std::int64_t> radices = fastest_digits(whole, machine);
  if (radices.empty()) return {};
  return step_of(part, radices, machine);
}

struct factors {
  std::int64_t n1 = 1, n2 = 1;
};

// The two sweeps of the four-step algorithm.
std::vector<sweep_problem> four_step_sweeps(const lines_problem& p, const factors& f) {
  const std::int64_t rows = p.real ? f.n1 / 2 + 1 : f.n1;
  const transform_formula columns{
      .real = p.real, .transposed = p.real && p.inverse, .conjugated = !p.real && p.inverse},
      lines{.conjugated = p.inverse};
  sweep_end spectrum = points_end(p.outer, f.n2, f.n1);
  if (p.real) {
    spectrum.plane = p.outer * p.bins();
    spectrum.mirrored_from = ceil_div(f.n2, 2);
    spectrum.mirror = f.n2;
  }
  transform_sweep first, second;
  if (p.real && p.inverse) {
    first = {
        .formula = lines, .lines = rows, .in = spectrum, .out = lines_end(p.outer, f.n2, rows)};
    second = {.formula = columns,
              .lines = f.n2,
              .in = points_end(p.outer, rows, f.n2),
              .out = points_end(p.outer, f.n1, f.n2)};
  } else {
    first = {.formula = columns,
             .lines = f.n2,
             .in = points_end(p.outer, f.n1, f.n2),
             .out = lines_end(p.outer, rows, f.n2)};
    second = {
        .formula = lines, .lines = rows, .in = points_end(p.outer, f.n2, rows), .out = spectrum};
  }
  first.twiddle_order = p.n;
  second.formula.scale = p.scale;
  first.operands = second.operands = p.operands;
  const std::int64_t length = p.real && p.inverse ? f.n2 : f.n1;
  return {problem_of(first, p.outer, length), problem_of(second, p.outer, p.n / length)};
}

using sweep_digits = std::vector<std::vector<std::int64_t>>;

std::optional<fft_recipe> recipe_of(const std::vector<sweep_problem>& sweeps,
                                    const sweep_digits& digits, const machine_spec& machine) {
  fft_recipe recipe;
  for (std::size_t i = 0; i < sweeps.size(); ++i) {
    auto step = step_of(sweeps[i], digits[i], machine);
    if (!step) return {};
    recipe.steps.push_back(*std::move(step));
  }
  return recipe;
}

// Pairs of factors that each fit a sweep, the most even ones first.
std::vector<factors> factors_for(const lines_problem& p, const machine_spec& machine) {
  constexpr std::size_t factors_compared_max = 5;
  std::vector<factors> all;
  for (const std::int64_t n1 : divisors_of(p.n)) {
    const factors f{n1, p.n / n1};
    if (std::min(f.n1, f.n2) < (p.real ? 3 : 2)) continue;
    if (std::max(f.n1, f.n2) > machine.thresholds.one_sweep_points_max) continue;
    // Bin n / 2 comes from the row k1 = 0, which is real: n2 must be even for it.
    if (p.real && p.n % 2 == 0 && f.n2 % 2 != 0) continue;
    if (cuts_of(f.n1, machine.tensor.rows).empty() || cuts_of(f.n2, machine.tensor.rows).empty())
      continue;
    all.push_back(f);
  }
  std::ranges::stable_sort(all, {}, [](const factors& f) { return std::max(f.n1, f.n2); });
  if (all.size() > factors_compared_max) all.resize(factors_compared_max);
  return all;
}

}  // namespace

std::optional<fft_step> columns_step(const lines_problem& problem, const machine_spec& machine,
                                     const std::optional<sweep_end>& from) {
  const auto sweep_for = [&](const lines_problem& p) {
    transform_sweep s{.formula = {.real = p.real,
                                  .transposed = p.inverse,
                                  .scale = p.scale,
                                  .point_factors = p.point_factors,
                                  .bin_factors = p.bin_factors},
                      .lines = p.inner,
                      .in = points_end(p.outer, p.inverse ? p.bins() : p.n, p.inner),
                      .out = points_end(p.outer, p.inverse ? p.n : p.bins(), p.inner),
                      .operands = p.operands};
    if (!from) return problem_of(std::move(s), p.outer, p.n);
    s.in = *from;
    sweep_problem placed = problem_of(std::move(s), p.outer, p.n);
    placed.in_elements = p.n * from->axes.front();
    return placed;
  };
  return step_with_digits_of(sweep_for(whole_of(problem)), sweep_for(problem), machine);
}

std::optional<fft_step> twiddled_columns_step(const twiddled_columns& what,
                                              const machine_spec& machine) {
  sweep_problem p = problem_of({.formula = {.conjugated = what.inverse},
                                .lines = what.lines,
                                .in = points_end(1, what.n, what.lines),
                                .out = what.to,
                                .twiddle_order = what.order,
                                .twiddle_first = what.first},
                               1, what.n);
  p.out_elements = what.out_elements;
  return step_with_digits_of(p, p, machine);
}

std::optional<fft_recipe> four_step(const lines_problem& p, const machine_spec& machine) {
  lines_problem some = whole_of(p);
  some.outer = std::min(some.outer, machine.thresholds.compared_factor_lines_max);
  std::optional<factors> best;
  sweep_digits best_digits;
  double least = 0;
  for (const factors& f : factors_for(p, machine)) {
    const std::vector<sweep_problem> sweeps = four_step_sweeps(some, f);
    const sweep_digits digits{fastest_digits(sweeps[0], machine),
                              fastest_digits(sweeps[1], machine)};
    if (digits[0].empty() || digits[1].empty()) continue;
    const double seconds = modelled_seconds(*recipe_of(sweeps, digits, machine), machine);
    if (best && seconds >= least) continue;
    best = f;
    best_digits = digits;
    least = seconds;
  }
  if (!best) return {};
  return recipe_of(four_step_sweeps(p, *best), best_digits, machine);
}

namespace {

// The factor of a long column that is transformed last. It is small, since it has matrices for each
// row of the sweeps before.
std::int64_t last_factor(std::int64_t n, const machine_spec& machine) {
  const std::int64_t half = machine.tensor.rows / 2, divisor = largest_divisor(n, half);
  // A large prime factor is mostly faster here than in the sweeps before.
  return divisor > half / 4 ? divisor : std::max(divisor, primes_of(n).front());
}

// Transforms real columns of n1 n2 points in two sweeps: over n1, whose rows k1 <= n1 / 2 are
// enough, then over n2, by matrices that depend on the row.
std::optional<fft_recipe> real_columns(const lines_problem& p, const machine_spec& machine) {
  const std::int64_t half = machine.tensor.rows / 2;
  // Bin n / 2 comes from the row k1 = 0, which is real: n2 must be even for it.
  const std::int64_t n2 = p.n % 2 == 0 ? 2 * largest_divisor(p.n / 2, half / 2)
                                       : largest_divisor(p.n, half),
                     n1 = p.n / n2, rows = n1 / 2 + 1;
  if (n2 < 3 || n1 < 3 || n1 > machine.thresholds.one_sweep_points_max) return {};
  const auto sweeps_for = [&](std::int64_t outer) {
    transform_sweep first{.formula = {.real = true, .transposed = p.inverse},
                          .lines = n2 * p.inner,
                          .in = points_end(outer, n1, n2 * p.inner),
                          .out = points_end(outer, rows, n2 * p.inner),
                          .operands = p.operands};
    transform_sweep second{.formula = {.transposed = p.inverse, .rows_before = n1},
                           .lines = p.inner,
                           .operands = p.operands};
    second.formula.radices = {n2};
    second.in = {.on_partitions = true, .plane = outer * rows * n2 * p.inner, .axes = {p.inner}};
    second.out = {
        .on_partitions = true, .plane = outer * p.bins() * p.inner, .axes = {n1 * p.inner}};
    second.out.mirrored_from = ceil_div(n2, 2);
    second.out.mirror = n2;
    second.loops = {{rows, n2 * p.inner, p.inner, true},
                    {outer, rows * n2 * p.inner, p.bins() * p.inner}};
    if (p.inverse) {
      std::swap(first.in, first.out);
      std::swap(second.in, second.out);
      for (sweep_loop& loop : second.loops) std::swap(loop.in, loop.out);
    }
    (p.inverse ? first : second).formula.scale = p.scale;
    std::vector<sweep_problem> sweeps{problem_of(std::move(first), outer, n1),
                                      {second, n2, 2 * second.in.plane, 2 * second.out.plane}};
    if (p.inverse) std::swap(sweeps[0], sweeps[1]);
    return sweeps;
  };
  const auto whole = sweeps_for(whole_of(p).outer);
  const sweep_digits digits{fastest_digits(whole[0], machine), fastest_digits(whole[1], machine)};
  if (digits[0].empty() || digits[1].empty()) return {};
  return recipe_of(sweeps_for(p.outer), digits, machine);
}

}  // namespace

std::optional<fft_recipe> columns(const lines_problem& p, const machine_spec& machine) {
  if (p.n <= (p.real ? 2 : 1) * machine.thresholds.one_sweep_points_max) {
    if (auto step = columns_step(p, machine)) return fft_recipe{{*std::move(step)}};
    if (!p.real) return {};
  }
  if (p.real) return real_columns(p, machine);
  if (primes_of(p.n).front() > machine.tensor.rows) return {};
  const std::int64_t n2 = last_factor(p.n, machine), n1 = p.n / n2;
  lines_problem before = p;
  before.n = n1;
  before.inner = n2 * p.inner;
  before.scale = 1;
  auto recipe = columns(before, machine);
  if (!recipe) return {};
  const auto last_for = [&](std::int64_t outer) {
    transform_sweep s{.formula = {.conjugated = p.inverse, .scale = p.scale, .rows_before = n1},
                      .lines = p.inner,
                      .operands = p.operands};
    const std::int64_t plane = outer * p.n * p.inner;
    s.formula.radices = {n2};
    s.in = {.on_partitions = true, .plane = plane, .line = 1, .axes = {p.inner}};
    s.out = {.on_partitions = true, .plane = plane, .line = 1, .axes = {n1 * p.inner}};
    s.loops = {{n1, n2 * p.inner, p.inner, true}, {outer, p.n * p.inner, p.n * p.inner}};
    return sweep_problem{std::move(s), n2, 2 * plane, 2 * plane};
  };
  auto last = step_with_digits_of(last_for(whole_of(p).outer), last_for(p.outer), machine);
  if (!last) return {};
  recipe->steps.push_back(*std::move(last));
  return recipe;
}

std::optional<fft_recipe> lines_in_three_sweeps(const lines_problem& p,
                                                const machine_spec& machine) {
  const std::int64_t n1 = largest_divisor(p.n, machine.thresholds.one_sweep_points_max / 4),
                     n2 = p.n / n1;
  if (p.real || n1 < 2 || n2 < 2) return {};
  const auto first_for = [&](std::int64_t outer) {
    return problem_of({.formula = {.conjugated = p.inverse},
                       .lines = n2,
                       .in = points_end(outer, n1, n2),
                       .out = lines_end(outer, n1, n2),
                       .twiddle_order = p.n,
                       .operands = p.operands},
                      outer, n1);
  };
  auto first = step_with_digits_of(first_for(whole_of(p).outer), first_for(p.outer), machine);
  if (!first) return {};
  lines_problem behind = p;
  behind.n = n2;
  behind.inner = n1;
  auto rest = columns(behind, machine);
  if (!rest) return {};
  rest->steps.insert(rest->steps.begin(), *std::move(first));
  return rest;
}

namespace {

std::vector<std::int64_t> row_major(const std::vector<std::int64_t>& extents, std::int64_t last) {
  std::vector<std::int64_t> steps(extents.size(), last);
  for (std::size_t a = extents.size() - 1; a-- > 0;) steps[a] = steps[a + 1] * extents[a + 1];
  return steps;
}

// Axes cut in two for two sweeps: as many of the last axes as fit a sweep, with a part of one more.
struct axes_cut {
  std::vector<std::int64_t> before = {}, behind = {};  ///< extents
  std::int64_t high = 1;  ///< the first factor of an axis that is in both; 1: none is
};

std::optional<axes_cut> cut_between(const std::vector<std::int64_t>& extents,
                                    const machine_spec& machine) {
  const std::int64_t most = machine.thresholds.one_sweep_points_max;
  std::int64_t head = 1, tail = 1;
  for (const std::int64_t e : extents) head *= e;
  std::size_t axis = extents.size();
  while (axis > 0 && tail * extents[axis - 1] <= most) tail *= extents[--axis];
  if (axis == 0) return {};
  head /= tail;
  axes_cut cut{{extents.begin(), extents.begin() + std::ptrdiff_t(axis)},
               {extents.begin() + std::ptrdiff_t(axis), extents.end()}};
  if (head > most) {
    const std::int64_t low = largest_divisor(extents[axis - 1], most / tail);
    cut.high = extents[axis - 1] / low;
    if (low == 1 || head / low > most ||
        head / extents[axis - 1] < machine.thresholds.mixed_lines_min)
      return {};
    cut.before.back() = cut.high;
    cut.behind.insert(cut.behind.begin(), low);
    tail *= low;
  }
  if (tail < machine.tensor.rows) return {};
  return cut;
}

}  // namespace

std::optional<fft_recipe> axes_in_two_sweeps(const lines_problem& p,
                                             const std::vector<std::int64_t>& extents,
                                             const machine_spec& machine) {
  const auto cut = cut_between(extents, machine);
  if (!cut) return {};
  std::int64_t head = 1, tail = 1;
  for (const std::int64_t e : cut->before) head *= e;
  for (const std::int64_t e : cut->behind) tail *= e;
  const std::int64_t all = head * tail;
  const auto sweeps_for = [&](std::int64_t arrays) {
    const std::int64_t plane = arrays * all;
    transform_sweep columns{
        .formula = {.radices = {head}, .conjugated = p.inverse, .extents = cut->before},
        .lines = tail,
        .operands = p.operands};
    columns.in = {
        .on_partitions = true, .plane = plane, .line = 1, .axes = row_major(cut->before, tail)};
    columns.out = columns.in;
    transform_sweep rest{.formula = {.radices = {tail},
                                     .conjugated = p.inverse,
                                     .scale = p.scale,
                                     .extents = cut->behind,
                                     .rows_before = cut->high},
                         .lines = head / cut->high,
                         .operands = p.operands};
    rest.in = {.plane = plane, .line = all / rest.lines, .axes = row_major(cut->behind, 1)};
    rest.out = rest.in;
    if (cut->high > 1) {
      const std::int64_t inside = tail / cut->behind.front();
      rest.loops.push_back({cut->high, tail, inside, true});
      rest.out.axes.front() = cut->high * inside;
    }
    for (transform_sweep* s : {&columns, &rest}) s->loops.push_back({arrays, all, all});
    return std::vector<sweep_problem>{{std::move(columns), head, 2 * plane, 2 * plane},
                                      {std::move(rest), tail, 2 * plane, 2 * plane}};
  };
  const auto whole = sweeps_for(std::max(p.outer, p.whole));
  const sweep_digits digits{fastest_digits(whole[0], machine), fastest_digits(whole[1], machine)};
  if (digits[0].empty() || digits[1].empty()) return {};
  return recipe_of(sweeps_for(p.outer), digits, machine);
}

}  // namespace papilio::kernels_detail
