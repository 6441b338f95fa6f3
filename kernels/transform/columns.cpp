#include "kernels/transform/columns.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "kernels/ceil_div.hpp"
#include "kernels/choice.hpp"
#include "kernels/fft/factors.hpp"
#include "kernels/fft/recipe_time.hpp"
#include "kernels/transform/cuts.hpp"

namespace papilio::kernels_detail {

using engine::machine_spec;

namespace {

// An end [planes, outer, numbers, lanes], or [planes, outer, lanes, numbers].
sweep_end points_end(std::int64_t outer, std::int64_t numbers, std::int64_t lanes) {
  return {.on_partitions = true, .plane = outer * numbers * lanes, .lane = 1, .axes = {lanes}};
}
sweep_end lanes_end(std::int64_t outer, std::int64_t numbers, std::int64_t lanes) {
  return {.on_partitions = false, .plane = outer * numbers * lanes, .lane = numbers, .axes = {1}};
}

std::optional<fft_step> fastest(transform_sweep s, std::int64_t outer, std::int64_t n,
                                const machine_spec& machine) {
  // One digit stands for them until they are chosen.
  s.formula.radices = {n};
  const std::int64_t in = s.in.mirrored_from > 0 ? s.in.plane / outer : s.in_numbers() * s.lanes,
                     out =
                         s.out.mirrored_from > 0 ? s.out.plane / outer : s.out_numbers() * s.lanes;
  if (outer > 1) s.loops.push_back({outer, in, out});
  // Where lanes are on partitions, pairs of digits would be transposed between them.
  const auto cuts = n <= machine.tensor.rows / 2 ? cuts_of(n, machine.tensor.rows)
                                                 : accurate_cuts_of(n, s.formula.real, machine);
  return fastest_sweep(s, cuts,
                       outer * in * s.in_planes(), outer * out * s.out_planes(), machine);
}

struct factors {
  std::int64_t n1 = 1, n2 = 1;
};

// The two sweeps of p.outer lines.
std::optional<fft_recipe> in_two_sweeps(const lines_problem& p, const factors& f,
                                        const machine_spec& machine) {
  const std::int64_t rows = p.real ? f.n1 / 2 + 1 : f.n1, bins = p.bins();
  transform_formula columns{.real = p.real, .transposed = p.real && p.inverse,
                            .conjugated = !p.real && p.inverse},
      lines{.conjugated = p.inverse};
  std::vector<fft_step> steps;
  const auto add = [&](transform_sweep s, std::int64_t n) {
    s.operands = p.operands;
    if (steps.size() == 1) s.formula.scale = p.scale;
    if (auto step = fastest(std::move(s), p.outer, n, machine)) steps.push_back(*std::move(step));
  };
  const bool from_bins = p.real && p.inverse;
  sweep_end spectrum = points_end(p.outer, f.n2, f.n1);
  if (p.real) {
    spectrum.plane = p.outer * bins;
    spectrum.mirrored_from = ceil_div(f.n2, 2);
    spectrum.mirror = f.n2;
  }
  if (from_bins) {
    add({.formula = lines,
         .lanes = rows,
         .in = spectrum,
         .out = lanes_end(p.outer, f.n2, rows),
         .twiddle_order = p.n},
        f.n2);
    add({.formula = columns,
         .lanes = f.n2,
         .in = points_end(p.outer, rows, f.n2),
         .out = points_end(p.outer, f.n1, f.n2)},
        f.n1);
  } else {
    add({.formula = columns,
         .lanes = f.n2,
         .in = points_end(p.outer, f.n1, f.n2),
         .out = lanes_end(p.outer, rows, f.n2),
         .twiddle_order = p.n},
        f.n1);
    add({.formula = lines,
         .lanes = rows,
         .in = points_end(p.outer, f.n2, rows),
         .out = spectrum},
        f.n2);
  }
  if (steps.size() < 2) return {};
  return fft_recipe{std::move(steps)};
}

// Factors that each fit a sweep, the most even ones first.
std::vector<factors> factors_for(const lines_problem& p, const machine_spec& machine) {
  constexpr std::size_t factors_compared_max = 5;
  std::vector<factors> all;
  for (const std::int64_t n1 : divisors_of(p.n)) {
    const factors f{n1, p.n / n1};
    if (std::min(f.n1, f.n2) < (p.real ? 3 : 2)) continue;
    if (std::max(f.n1, f.n2) > machine.thresholds.one_sweep_points_max) continue;
    // Bin n / 2 is of the row k1 = 0, which is real from its beginning.
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

std::optional<fft_step> columns_step(const lines_problem& p, const machine_spec& machine,
                                     const std::optional<sweep_end>& from) {
  const std::int64_t points = p.n, bins = p.bins();
  transform_sweep s{.formula = {.real = p.real,
                                .transposed = p.inverse,
                                .scale = p.scale,
                                .point_factors = p.point_factors,
                                .bin_factors = p.bin_factors},
                    .lanes = p.inner,
                    .in = points_end(p.outer, p.inverse ? bins : points, p.inner),
                    .out = points_end(p.outer, p.inverse ? points : bins, p.inner),
                    .operands = p.operands};
  if (from) s.in = *from;
  return fastest(std::move(s), p.outer, p.n, machine);
}

std::optional<fft_step> twiddled_columns_step(std::int64_t n, std::int64_t lanes, bool inverse,
                                              std::int64_t order, std::int64_t first,
                                              const sweep_end& to, const machine_spec& machine) {
  return fastest({.formula = {.conjugated = inverse},
                  .lanes = lanes,
                  .in = points_end(1, n, lanes),
                  .out = to,
                  .twiddle_order = order,
                  .twiddle_first = first},
                 1, n, machine);
}

std::optional<fft_recipe> four_step(const lines_problem& p, const machine_spec& machine) {
  const std::vector<factors> all = factors_for(p, machine);
  if (all.empty()) return {};
  lines_problem some = p;
  some.outer = std::min(std::max(p.outer, p.whole), machine.thresholds.compared_factor_lines_max);
  const auto found = cheapest(all, [&](const factors& f) -> std::optional<price> {
    const auto recipe = in_two_sweeps(some, f, machine);
    if (!recipe) return {};
    return price{modelled_seconds(*recipe, machine)};
  });
  if (found.compared.empty()) return {};
  return in_two_sweeps(p, found.best, machine);
}

namespace {

// The part of a long column that is transformed last: matrices for each row of those before it are
// small.
std::int64_t last_factor(std::int64_t n, const machine_spec& machine) {
  const std::int64_t half = machine.tensor.rows / 2, divisor = largest_divisor(n, half);
  // Of large primes mostly.
  return divisor > half / 4 ? divisor : std::max(divisor, primes_of(n).front());
}

}  // namespace

std::optional<fft_recipe> columns(const lines_problem& p, const machine_spec& machine) {
  if (p.n <= machine.thresholds.one_sweep_points_max) {
    auto step = columns_step(p, machine);
    return step ? std::optional(fft_recipe{{*std::move(step)}}) : std::nullopt;
  }
  if (p.real || primes_of(p.n).front() > machine.tensor.rows) return {};
  const std::int64_t n2 = last_factor(p.n, machine), n1 = p.n / n2, plane = p.outer * p.n * p.inner;
  lines_problem before = p;
  before.n = n1;
  before.inner = n2 * p.inner;
  before.scale = 1;
  auto recipe = columns(before, machine);
  if (!recipe) return {};
  transform_sweep s{.formula = {.conjugated = p.inverse, .scale = p.scale, .rows_before = n1},
                    .lanes = p.inner,
                    .operands = p.operands};
  s.in = {.on_partitions = true, .plane = plane, .lane = 1, .axes = {p.inner}};
  s.out = {.on_partitions = true, .plane = plane, .lane = 1, .axes = {n1 * p.inner}};
  s.loops.push_back({n1, n2 * p.inner, p.inner, true});
  if (p.outer > 1) s.loops.push_back({p.outer, p.n * p.inner, p.n * p.inner});
  auto last = fastest_sweep(s, cuts_of(n2, machine.tensor.rows), 2 * plane, 2 * plane, machine);
  if (!last) return {};
  recipe->steps.push_back(*std::move(last));
  return recipe;
}

std::optional<fft_recipe> long_lines(const lines_problem& p, const machine_spec& machine) {
  const std::int64_t n1 = largest_divisor(p.n, machine.thresholds.one_sweep_points_max / 4),
                     n2 = p.n / n1;
  if (p.real || n1 < 2 || n2 < 2) return {};
  transform_sweep s{.formula = {.conjugated = p.inverse},
                    .lanes = n2,
                    .in = points_end(p.outer, n1, n2),
                    .out = lanes_end(p.outer, n1, n2),
                    .twiddle_order = p.n,
                    .operands = p.operands};
  auto first = fastest(std::move(s), p.outer, n1, machine);
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

// The most elements of the last axes, with a part of one more, that fit a sweep.
struct axes_cut {
  std::vector<std::int64_t> before = {}, behind = {};  ///< extents
  std::int64_t high = 1;  ///< of the axis that is in both, what comes first; 1: none is
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

std::optional<fft_recipe> axes_in_two_sweeps(std::int64_t outer,
                                             const std::vector<std::int64_t>& extents, bool inverse,
                                             double scale, const array_operands& operands,
                                             const machine_spec& machine) {
  const auto cut = cut_between(extents, machine);
  if (!cut) return {};
  std::int64_t head = 1, tail = 1;
  for (const std::int64_t e : cut->before) head *= e;
  for (const std::int64_t e : cut->behind) tail *= e;
  const std::int64_t all = head * tail, plane = outer * all;
  const bool is_cut = cut->high > 1;
  transform_sweep columns{.formula = {.conjugated = inverse, .extents = cut->before},
                          .lanes = tail,
                          .operands = operands};
  columns.in = columns.out = {.on_partitions = true,
                              .plane = plane,
                              .lane = 1,
                              .axes = row_major(cut->before, tail)};
  transform_sweep lines{.formula = {.conjugated = inverse,
                                    .scale = scale,
                                    .extents = cut->behind,
                                    .rows_before = cut->high},
                        .lanes = is_cut ? head / cut->high : head,
                        .operands = operands};
  lines.in = lines.out = {.plane = plane, .axes = row_major(cut->behind, 1)};
  lines.in.lane = lines.out.lane = all / lines.lanes;
  if (is_cut) {
    const std::int64_t inside = tail / cut->behind.front();
    lines.loops.push_back({cut->high, tail, inside, true});
    lines.out.axes.front() = cut->high * inside;
  }
  std::vector<fft_step> steps;
  for (transform_sweep* s : {&columns, &lines}) {
    if (outer > 1) s->loops.push_back({outer, all, all});
    auto step = fastest_sweep(*s, cuts_of(s == &columns ? head : tail, machine.tensor.rows),
                              2 * plane, 2 * plane, machine);
    if (!step) return {};
    steps.push_back(*std::move(step));
  }
  return fft_recipe{std::move(steps)};
}

}  // namespace papilio::kernels_detail
