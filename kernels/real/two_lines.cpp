// Transforms of real lines by complex ones, in which two lines are the real and imaginary parts.
//   passes         the complex passes, and a sweep between their bins and those of the lines
//   large primes   Bluestein's algorithm, the same sweep before or behind
//   lines alone    y = x (1 + i) / (1 + i): a single real line, or few that leave partitions idle
//                  either way, is put into both parts and divided by 1 + i, so that the convolution
//                  yields n / 2 + 1 bins with 3n / 2 points in between, not 2n. Back it takes the n / 2 + 1
//                  bins, those with a conjugate twice, and the line is the real part. On chip, where
//                  they fit
#include "kernels/real/two_lines.hpp"

#include <algorithm>
#include <iterator>

#include "kernels/fft/axis_steps.hpp"
#include "kernels/fft/bluestein.hpp"
#include "kernels/fft/factors.hpp"
#include "kernels/fft/recipe_time.hpp"
#include "kernels/real/real_sweeps.hpp"
#include "kernels/transform/own_digits.hpp"

namespace papilio::kernels_detail {
namespace {

using engine::machine_spec;

void append(fft_recipe& to, std::vector<fft_step> steps) {
  std::ranges::move(steps, std::back_inserter(to.steps));
}

fft_recipe chirped_alone(std::int64_t lines, std::int64_t n, double scale,
                         const machine_spec& machine) {
  const chirp_lines chirped{.lanes = lines,
                            .n = n,
                            .scale = scale,
                            .out_points = n / 2 + 1,
                            .in_plane = 0,
                            .weight = chirp_weight::both_parts};
  fft_recipe recipe{bluestein_steps(chirped, {}, machine)};
  recipe.steps.push_back(clear_written_ends_step(lines, n));
  return recipe;
}

fft_recipe chirped_alone_back(std::int64_t lines, std::int64_t n, double scale,
                              const machine_spec& machine) {
  const chirp_lines chirped{.lanes = lines,
                            .n = n,
                            .inverse = true,
                            .scale = scale,
                            .in_points = n / 2 + 1,
                            .weight = chirp_weight::mirrored};
  fft_recipe recipe;
  append_aside(recipe, clear_ends_step(lines, n));
  append(recipe, bluestein_steps(chirped, {}, machine));
  append_aside(recipe, real_planes_step(lines, n));
  return recipe;
}

fft_recipe chirped_pairs(std::int64_t lines, std::int64_t n, double scale,
                         const array_operands& operands, const machine_spec& machine) {
  const chirp_lines chirped{
      .lanes = (lines + 1) / 2, .n = n, .scale = scale / 2, .in_plane = lines / 2 * n};
  fft_recipe recipe;
  append(recipe, bluestein_steps(chirped, operands, machine));
  append_aside(recipe, separate_step(lines, n));
  return recipe;
}

fft_recipe chirped_pairs_back(std::int64_t lines, std::int64_t n, double scale,
                              const array_operands& operands, const machine_spec& machine) {
  const chirp_lines chirped{.lanes = (lines + 1) / 2, .n = n, .inverse = true, .scale = scale};
  fft_recipe recipe;
  append_aside(recipe, join_lines_step(lines, n));
  append(recipe, bluestein_steps(chirped, operands, machine));
  if (lines % 2 != 0) append_aside(recipe, drop_twin_step(lines, n));
  return recipe;
}

// Lines alone, on chip or not, or by pairs: of few lines, which leave partitions idle, whichever is
// fastest.
template <class Alone, class Pairs>
fft_recipe chirped(const lines_problem& lines, const machine_spec& machine, const Alone& alone,
                   const Pairs& pairs) {
  if (lines.outer > 2 * machine.sbuf.partitions) return pairs();
  std::vector<fft_recipe> ways{alone()};
  if (lines.outer > 1) ways.push_back(pairs());
  if (auto step = own_chirp_step(lines, machine)) ways.push_back({{std::move(*step)}});
  return fastest(std::move(ways), machine);
}

// Pairs of lines as complex ones, whose length has no large prime factor.
bool by_digits(std::int64_t n, const machine_spec& machine) {
  return primes_of(n).empty() || primes_of(n).front() <= machine.tensor.rows;
}

}  // namespace

fft_recipe two_lines_forward(std::int64_t lines, std::int64_t n, double scale,
                             const array_operands& operands, const machine_spec& machine) {
  const std::int64_t pairs = (lines + 1) / 2;
  if (by_digits(n, machine)) {
    fft_recipe recipe;
    if (lines % 2 != 0) append_aside(recipe, pair_lines_step(lines, n));
    append(recipe, axis_steps({pairs, n, 1}, false, scale / 2, operands, machine));
    append_aside(recipe, separate_step(lines, n));
    return recipe;
  }
  if (operands.type != engine::dtype::fp32)
    return chirped_pairs(lines, n, scale, operands, machine);
  return chirped(
      {.outer = lines, .n = n, .real = true, .scale = scale}, machine,
      [&] { return chirped_alone(lines, n, scale, machine); },
      [&] { return chirped_pairs(lines, n, scale, operands, machine); });
}

fft_recipe two_lines_backward(std::int64_t lines, std::int64_t n, double scale,
                              const array_operands& operands, const machine_spec& machine) {
  const std::int64_t pairs = (lines + 1) / 2;
  const bool has_digits = by_digits(n, machine);
  if (!has_digits && operands.type != engine::dtype::fp32)
    return chirped_pairs_back(lines, n, scale, operands, machine);
  if (!has_digits)
    return chirped(
        {.outer = lines, .n = n, .real = true, .inverse = true, .scale = scale}, machine,
        [&] { return chirped_alone_back(lines, n, scale, machine); },
        [&] { return chirped_pairs_back(lines, n, scale, operands, machine); });
  fft_recipe recipe;
  append_aside(recipe, join_lines_step(lines, n));
  append(recipe, axis_steps({pairs, n, 1}, true, scale, operands, machine));
  if (lines % 2 != 0) append_aside(recipe, drop_twin_step(lines, n));
  return recipe;
}

}  // namespace papilio::kernels_detail
