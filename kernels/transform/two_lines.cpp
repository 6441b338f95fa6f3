// Two-for-one packing: two real lines are the real and imaginary parts of one complex line.
//   digits         lengths of small factors take the complex sweeps, and one that packs or unpacks
//                  spectra
//   large primes   other lengths take Bluestein's algorithm and that sweep; or
//   lines alone    single real lines, and few lines that leave partitions idle either way, are not
//                  packed: x = x (1 + i) / (1 + i), so that the line is both planes of the input
//                  and chirps are divided by 1 + i. The convolution yields n / 2 + 1 bins with
//                  3n / 2 points, not 2n. Back, it takes n / 2 + 1 bins, those with a conjugate
//                  times 2, and the line is the real part. It runs on chip where it fits
#include "kernels/transform/axis_steps.hpp"
#include "kernels/transform/factors.hpp"
#include "kernels/transform/own_digits.hpp"
#include "kernels/transform/real_sweeps.hpp"

namespace papilio::kernels_detail {
namespace {

using engine::machine_spec;

fft_recipe alone(const lines_problem& p, const machine_spec& machine) {
  lines_problem line{.outer = p.outer, .n = p.n, .inverse = p.inverse, .scale = p.scale};
  if (!p.inverse) {
    line.out_some = p.bins();
    line.in_plane = 0;
    fft_recipe recipe = bluestein(line, machine, chirp_weight::both_parts);
    recipe.steps.push_back(clear_ends_step(p.outer, p.n, true));
    return recipe;
  }
  line.in_some = p.bins();
  fft_recipe recipe;
  append_aside(recipe, clear_ends_step(p.outer, p.n, false));
  append(recipe, bluestein(line, machine, chirp_weight::mirrored));
  append_aside(recipe, real_planes_step(p.outer, p.n));
  return recipe;
}

// Whether a length has no prime factor that is too large for the array.
bool has_digits(std::int64_t n, const machine_spec& machine) {
  return primes_of(n).empty() || primes_of(n).front() <= machine.tensor.rows;
}

fft_recipe pairs(const lines_problem& p, const machine_spec& machine) {
  const bool is_odd = p.outer % 2 != 0, by_digits = has_digits(p.n, machine);
  lines_problem pair{.outer = (p.outer + 1) / 2,
                     .n = p.n,
                     .inverse = p.inverse,
                     .scale = p.inverse ? p.scale : p.scale / 2,
                     .operands = p.operands};
  fft_recipe recipe;
  if (p.inverse)
    append_aside(recipe, packed_spectra_step({.lines = p.outer, .n = p.n, .inverse = true}));
  else if (!by_digits)
    pair.in_plane = p.outer / 2 * p.n;
  else if (is_odd)
    append_aside(recipe, pair_lines_step(p.outer, p.n));
  append(recipe, by_digits ? complex_axis(pair, machine) : bluestein(pair, machine));
  if (!p.inverse)
    append_aside(recipe, packed_spectra_step({.lines = p.outer, .n = p.n}));
  else if (is_odd)
    append_aside(recipe, drop_middle_copy_step(p.outer, p.n));
  return recipe;
}

}  // namespace

fft_recipe real_lines_by_complex(const lines_problem& p, const machine_spec& machine) {
  if (has_digits(p.n, machine) || !p.operands.is_fp32() || p.outer > 2 * machine.sbuf.partitions)
    return pairs(p, machine);
  // Few lines leave partitions idle whichever way: dry runs choose.
  std::vector<fft_recipe> ways{alone(p, machine)};
  if (p.outer > 1) ways.push_back(pairs(p, machine));
  if (auto step = own_chirp_step(p, machine)) ways.push_back({{*std::move(step)}});
  return fastest(std::move(ways), machine);
}

}  // namespace papilio::kernels_detail
