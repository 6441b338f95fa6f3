// Chooses the digits of a sweep: dry runs compare those that an estimate finds fastest.
#include <algorithm>

#include "kernels/ceil_div.hpp"
#include "kernels/transform/cuts.hpp"
#include "kernels/transform/sweep.hpp"

namespace papilio::kernels_detail {

using engine::machine_spec;

namespace {

// The number of blocks in a dry run that compares designs, and of designs that are compared.
constexpr std::int64_t blocks_compared = 8;
constexpr std::size_t digits_compared = 4;

transform_sweep some_blocks_of(transform_sweep s, const machine_spec& machine) {
  const std::int64_t lines = blocks_compared * product_columns_max(machine);
  s.lines = std::min(s.lines, lines);
  std::int64_t left = ceil_div(lines, s.lines);
  for (std::size_t i = s.loops.size(); i-- > 0;) {
    s.loops[i].extent = std::min(s.loops[i].extent, left);
    left = ceil_div(left, s.loops[i].extent);
  }
  return s;
}

// Estimates the tensor engine's cycles for a run of lines: products of as many adjacent groups as
// fit, and transposes.
double array_cycles(const std::vector<std::int64_t>& radices, const machine_spec& machine) {
  const std::int64_t array_rows = machine.tensor.rows;
  std::int64_t n = 1;
  for (const std::int64_t r : radices) n *= r;
  double cycles = 0;
  for (const std::int64_t r : radices) {
    const std::int64_t together = std::max<std::int64_t>(1, array_rows / (2 * r)),
                       pieces = ceil_div(2 * r, array_rows);
    cycles += double(ceil_div(n, r * together) * pieces) *
              (machine.tensor.fp32_passes *
                   std::max(machine.tensor.min_initiation_cycles, double(2 * r * together)) +
               double(array_rows));
  }
  return cycles;
}

}  // namespace

std::vector<std::int64_t> fastest_digits(const sweep_problem& problem,
                                         const machine_spec& machine) {
  const bool real = problem.sweep.formula.real;
  // A length of half the array's rows may be one digit: two would need a transpose between them.
  std::vector<std::vector<std::int64_t>> cuts = problem.n <= machine.tensor.rows / 2
                                                    ? cuts_of(problem.n, machine.tensor.rows)
                                                    : accurate_cuts_of(problem.n, real, machine);
  std::erase_if(cuts, [&](const std::vector<std::int64_t>& radices) {
    transform_formula f = problem.sweep.formula;
    f.radices = radices;
    return !f.is_cut_well();
  });
  std::ranges::stable_sort(cuts, {},
                           [&](const auto& radices) { return array_cycles(radices, machine); });
  sweep_problem some = problem;
  some.sweep = some_blocks_of(problem.sweep, machine);
  std::vector<std::int64_t> best;
  double least = 0;
  std::size_t compared = 0;
  for (const std::vector<std::int64_t>& radices : cuts) {
    if (compared == digits_compared) break;
    auto step = step_of(some, radices, machine);
    if (!step) continue;
    ++compared;
    const double seconds = modelled_seconds({{*std::move(step)}}, machine);
    if (!best.empty() && seconds >= least) continue;
    best = radices;
    least = seconds;
  }
  return best;
}

}  // namespace papilio::kernels_detail
