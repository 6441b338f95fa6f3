// Chooses the sweeps of real transforms, r2c and c2r.
//   lines on chip     take one sweep (lines.hpp; long lines: long_line.hpp; few lines, also with
//                     large primes: own_digits.hpp)
//   inner axes        take one or two sweeps over columns (columns.hpp), or are transposed where
//                     adjacent lines are few or n has no factors for those
//   other lines       take two sweeps over two factors, the first over real numbers (columns.hpp).
//                     Without such factors:
//   even lengths      r2c packing: the complex transform of n/2 pairs of neighbours, and a sweep
//                     that packs or unpacks spectra
//   odd lengths       two-for-one packing, and a sweep that packs or unpacks spectra; single lines
//                     with a large prime factor are convolutions (two_lines.cpp)
//   further axes      are complex transforms of the spectra
#include "kernels/entries.hpp"
#include "kernels/parameters.hpp"
#include "kernels/transform/axis_steps.hpp"
#include "kernels/transform/columns.hpp"
#include "kernels/transform/factors.hpp"
#include "kernels/transform/fft_design.hpp"
#include "kernels/transform/long_line.hpp"
#include "kernels/transform/own_digits.hpp"
#include "kernels/transform/precision.hpp"
#include "kernels/transform/real_sweeps.hpp"
#include "kernels/transform/transposition.hpp"
#include "papilio/engine/core.hpp"

namespace papilio::kernels_detail {
namespace {

using engine::machine_spec;

// Transforms lines of even length as n/2 complex points, pairs of neighbours.
fft_recipe by_neighbours(const lines_problem& p, const machine_spec& machine) {
  const std::int64_t m = p.n / 2;
  fft_step spectra = packed_spectra_step({.neighbours = true,
                                          .lines = p.outer,
                                          .n = p.n,
                                          .inverse = p.inverse,
                                          .scale = p.scale}),
           points = pairs_step(p.outer * m, !p.inverse);
  if (p.inverse) std::swap(spectra, points);
  fft_recipe recipe;
  append_aside(recipe, std::move(points));
  append(recipe,
         complex_axis({.outer = p.outer, .n = m, .inverse = p.inverse, .operands = p.operands},
                      machine));
  append_aside(recipe, std::move(spectra));
  return recipe;
}

// Transforms lines by complex transforms: of n/2 points if these have digits for the array; else
// two-for-one packing, or a line by itself, moves less.
fft_recipe by_complex(const lines_problem& p, const machine_spec& machine) {
  // A single long line is faster in halves even by a convolution.
  const bool in_halves =
      p.n % 2 == 0 && ((p.outer == 1 && p.n > machine.thresholds.convolved_points_max) ||
                       primes_of(p.n / 2).front() <= machine.tensor.rows);
  return in_halves ? by_neighbours(p, machine) : real_lines_by_complex(p, machine);
}

// Transforms contiguous lines on partitions, in few digits or, where a prime is too large for that,
// by a product with the direct DFT matrix; nothing where they do not fit.
std::optional<fft_step> on_partitions(const lines_problem& p, const machine_spec& machine) {
  if (p.inner > 1 || p.n > 2 * one_sweep_points(p.operands, machine)) return {};
  return has_cut(p.n, machine) ? lines_step(p, machine) : direct_lines_step(p, machine);
}

// Transforms lines that do not fit on chip: in two sweeps, or by complex transforms where n has no
// two factors for these.
fft_recipe swept(const lines_problem& p, const machine_spec& machine) {
  auto sweeps = four_step(p, machine);
  return sweeps ? *std::move(sweeps) : by_complex(p, machine);
}

// Whether sweeps over HBM may be faster than long lines on chip, one after the other: for several
// lines, and for lines that fill the chip.
bool rivalled(const long_line& line, std::int64_t outer) {
  return outer > 1 || line.parts() > 1 || line.streamed;
}

// The fastest way to transform lines that fit on chip: many lines share matrices, few long lines
// use smaller ones by themselves. Nothing if no way fits.
std::optional<fft_recipe> on_chip(const lines_problem& p, const machine_spec& machine) {
  if (p.inner > 1) return columns(p, machine);
  const auto whole = on_partitions(p, machine);
  std::optional<long_line> line = long_line_of(p.n, p.inverse, p.scale, machine);
  if (line && whole && seconds_of(*line, p.outer, machine) >= modelled_seconds({{*whole}}, machine))
    line.reset();
  const bool few = p.outer <= machine.thresholds.own_digits_lines_max &&
                   p.n >= machine.thresholds.few_lines_points_min;
  const auto own = few ? own_digits_step(p, machine) : std::nullopt;
  std::vector<fft_recipe> ways;
  if (own) ways.push_back({{*own}});
  if (whole) ways.push_back({{*whole}});
  if (line) ways.push_back({{long_line_step(p.outer, *line)}});
  if (ways.empty()) return {};
  const bool has_rivals = whole ? !has_cut(p.n, machine) : line && rivalled(*line, p.outer);
  if (has_rivals) {
    ways.push_back(swept(p, machine));
  } else if (few && !own) {
    // Few lines on partitions leave most of these idle, so that sweeps may win.
    if (auto sweeps = four_step(p, machine)) ways.push_back(*std::move(sweeps));
  }
  return fastest(std::move(ways), machine);
}

// Transforms adjacent lines as contiguous ones, between two transpositions.
fft_recipe transposed(const lines_problem& p, const machine_spec& machine) {
  const std::int64_t in = p.inverse ? p.bins() : p.n, out = p.inverse ? p.n : p.bins();
  lines_problem along = p;
  along.outer *= p.inner;
  along.inner = 1;
  fft_recipe recipe;
  append_aside(recipe, transposition_of((p.inverse ? 2 : 1) * p.outer, in, p.inner));
  append(recipe, real_axis(along, machine));
  append_aside(recipe, transposition_of((p.inverse ? 1 : 2) * p.outer, p.inner, out));
  return recipe;
}

}  // namespace

fft_recipe real_axis(const lines_problem& p, const machine_spec& machine) {
  if (!p.operands.is_fp32()) {
    if (auto lines = on_partitions(p, machine)) {
      // Designs that fit only because their numbers are narrow may be few.
      const bool is_long = p.n > 2 * machine.thresholds.one_sweep_points_max;
      fft_recipe here{{*std::move(lines)}};
      return is_long ? fastest({std::move(here), by_complex(p, machine)}, machine) : here;
    }
  } else if (p.inner == 1 || p.inner >= machine.thresholds.column_neighbours_min) {
    // Columns of fewer adjacent lines would leave partitions idle.
    if (auto recipe = on_chip(p, machine)) return *std::move(recipe);
  }
  if (p.inner > 1) return transposed(p, machine);
  return p.operands.is_fp32() ? swept(p, machine) : by_complex(p, machine);
}

fft_recipe design_real_fft(const fft_problem& problem, const kernels::fft_kernel_options& options,
                           const machine_spec& machine) {
  lines_problem lines = real_lines_of(problem);
  check_room("fft_kernel", 4 * lines.outer * lines.n * lines.inner, machine);
  lines.scale = scale_of(problem, options);
  lines.operands = operands_of(options.precision);
  if (problem.axes.size() == 1) return real_axis(lines, machine);
  // Complex transforms of the spectra along the other axes follow, or come first in the inverse.
  fft_problem spectra{.dir = problem.dir,
                      .norm = normalization::none,
                      .extents = problem.extents,
                      .axes = problem.axes};
  spectra.extents[problem.axes.back()] = std::size_t(lines.bins());
  spectra.axes.pop_back();
  fft_recipe further = design_fft(
      spectra,
      {.scale = lines.inverse ? 1 : std::exchange(lines.scale, 1), .precision = options.precision},
      machine);
  fft_recipe recipe = real_axis(lines, machine);
  if (lines.inverse) std::swap(recipe, further);
  append(recipe, std::move(further));
  return recipe;
}

namespace {

kernels::catalog_entry real_entry(const char* name, const char* summary, direction dir) {
  using r = line_request;
  return settings<r>{number_setting("n", &r::n, "1024", "Real numbers of a line"),
                     number_setting("batch", &r::batch, "1", "Lines"),
                     number_setting("inner", &r::inner, "1", "Lines beside each of these")}
      .with(precision_settings())
      .entry(name, summary, [dir](const r& request, const engine::machine_spec& machine) {
        fft_problem lines = request.lines_beside_each_other();
        lines.kind = fft_kind::real;
        lines.dir = dir;
        return kernels::fft_kernel(lines, machine, request.options());
      });
}

}  // namespace

kernels::catalog_entry rfft_entry() {
  return real_entry("rfft", "FFT of batch lines of n real numbers, n/2 + 1 bins",
                    direction::forward);
}

kernels::catalog_entry irfft_entry() {
  return real_entry("irfft", "Batch lines of n real numbers from n/2 + 1 bins, inverse FFT",
                    direction::inverse);
}

}  // namespace papilio::kernels_detail
