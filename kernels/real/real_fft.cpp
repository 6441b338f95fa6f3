// Transforms of real numbers: which sweeps they are made of.
//   lines on chip     one sweep (kernels/transform/lines.hpp; long ones: long_line.hpp; few ones, also
//                     with large primes: kernels/transform/own_digits.hpp)
//   inner axes        one sweep over columns, or two (kernels/transform/columns.hpp); transposed
//                     where lines beside each other are few, or have no cut for these
//   other lines       two sweeps over two factors, one of them over real numbers
//                     (kernels/transform/columns.hpp); without a cut for these:
//   even ones         the complex transform of half the points, from neighbouring pairs, and one
//                     more sweep between its bins and those of the real one
//   others            two of them as one complex line, and one more sweep between its bins and
//                     theirs (line_pairs.cpp); one by itself with a large prime factor as a
//                     convolution of the points and half of the bins
//   further axes      complex transforms of the spectra
#include <algorithm>
#include <iterator>

#include "kernels/entries.hpp"
#include "kernels/fft/factors.hpp"
#include "kernels/fft/fft_design.hpp"
#include "kernels/fft/precision.hpp"
#include "kernels/fft/recipe_time.hpp"
#include "kernels/fft/transposition.hpp"
#include "kernels/parameters.hpp"
#include "kernels/real/halved_axis.hpp"
#include "kernels/real/long_line.hpp"
#include "kernels/real/real_sweeps.hpp"
#include "kernels/real/two_lines.hpp"
#include "kernels/transform/columns.hpp"
#include "kernels/transform/lines.hpp"
#include "kernels/transform/own_digits.hpp"
#include "papilio/base/error.hpp"
#include "papilio/engine/core.hpp"

namespace papilio::kernels_detail {
namespace {

using base_detail::message;
using engine::machine_spec;

// The other axes' transforms of the spectra.
fft_recipe further_axes(const fft_problem& problem, const halved_axis& h, double scale,
                        const precision_options& precision, const machine_spec& machine) {
  fft_problem spectra{.dir = problem.dir,
                      .norm = normalization::none,
                      .extents = problem.extents,
                      .axes = h.others};
  spectra.extents[h.axis] = std::size_t(h.bins());
  return design_fft(spectra, {.scale = scale, .precision = precision}, machine);
}

void append(fft_recipe& to, fft_recipe from) {
  std::ranges::move(from.steps, std::back_inserter(to.steps));
}

void append_pairs(fft_recipe& recipe, std::int64_t outer, std::int64_t m, bool inverse,
                  const precision_options& precision, const machine_spec& machine) {
  if (!inverse) append_aside(recipe, split_pairs_step(outer * m));
  const fft_problem halves{.dir = inverse ? direction::inverse : direction::forward,
                           .norm = normalization::none,
                           .extents = {std::size_t(outer), std::size_t(m)},
                           .axes = {1}};
  append(recipe, design_fft(halves, {.precision = precision}, machine));
  if (inverse) append_aside(recipe, join_pairs_step(outer * m));
}

// Whether even lines go by pairs of their neighbours. Where half of their points have no passes
// either, two lines as one, or one by itself, have less to be moved.
bool by_neighbours(const halved_axis& h, const machine_spec& machine) {
  if (h.n % 2 != 0) return false;
  // One line by itself, convolved whole, is moved faster in halves if it is long.
  return (h.outer == 1 && h.n > machine.thresholds.convolved_points_max) ||
         primes_of(h.n / 2).front() <= machine.tensor.rows;
}

fft_recipe by_pairs(const halved_axis& h, bool inverse, double scale,
                    const precision_options& precision, const machine_spec& machine) {
  const array_operands operands = operands_of(precision);
  return inverse ? two_lines_backward(h.outer, h.n, scale, operands, machine)
                 : two_lines_forward(h.outer, h.n, scale, operands, machine);
}

void append_sweeps(fft_recipe& recipe, const halved_axis& h, bool inverse, double scale,
                   const machine_spec& machine);

// Whether sweeps over HBM may be faster than lines on chip, one after the other: of several lines,
// and of those which fill the chip.
bool rivalled(const long_line& line, std::int64_t outer) {
  return outer > 1 || line.parts() > 1 || line.streamed;
}

lines_problem problem_of(const halved_axis& h, bool inverse, double scale) {
  return {.outer = h.outer,
          .n = h.n,
          .inner = h.inner,
          .real = true,
          .inverse = inverse,
          .scale = scale};
}

std::optional<fft_recipe> in_sweeps(const halved_axis& h, bool inverse, double scale,
                                    const machine_spec& machine) {
  return four_step(problem_of(h, inverse, scale), machine);
}

// Contiguous lines on partitions, in few digits or, where a prime is too large for one, in one
// product a line; none where they do not fit.
std::optional<fft_step> on_partitions(const halved_axis& h, bool inverse, double scale,
                                      const array_operands& operands, const machine_spec& machine) {
  if (h.inner > 1 || h.n > 2 * machine.thresholds.one_sweep_points_max) return {};
  lines_problem lines = problem_of(h, inverse, scale);
  lines.operands = operands;
  return has_cut(h.n, machine) ? lines_step(lines, machine) : direct_lines_step(lines, machine);
}

// Lines that stay on chip, the faster way: many share matrices, a long one has smaller ones by
// itself. False if none do.
bool append_on_chip(fft_recipe& recipe, const halved_axis& h, bool inverse, double scale,
                    const machine_spec& machine) {
  if (h.inner > 1) {
    auto beside = columns(problem_of(h, inverse, scale), machine);
    if (beside) append(recipe, *std::move(beside));
    return beside.has_value();
  }
  const std::optional<fft_step> whole = on_partitions(h, inverse, scale, {}, machine);
  std::optional<long_line> line = long_line_of(h.n, inverse, scale, machine);
  if (line && whole && seconds_of(*line, h.outer, machine) >= modelled_seconds({{*whole}}, machine))
    line.reset();
  std::vector<fft_recipe> ways;
  const bool few = h.outer <= machine.thresholds.own_digits_lines_max &&
                   h.n >= machine.thresholds.few_lines_points_min;
  const auto own = few ? own_digits_step(problem_of(h, inverse, scale), machine) : std::nullopt;
  if (own) ways.push_back({{*own}});
  if (whole) ways.push_back({{*whole}});
  if (line) ways.push_back({{long_line_step(h.outer, *line)}});
  const bool swept = whole ? !has_cut(h.n, machine) : line && rivalled(*line, h.outer);
  if (swept) append_sweeps(ways.emplace_back(), h, inverse, scale, machine);
  // So few lines without digits for the array leave most partitions idle.
  if (!ways.empty() && !swept && few && !own)
    if (auto sweeps = in_sweeps(h, inverse, scale, machine)) ways.push_back(*std::move(sweeps));
  if (ways.empty()) return false;
  append(recipe, fastest(std::move(ways), machine));
  return true;
}

// Whether lines beside each other are few, so that partitions would be idle: they are transposed.
bool better_transposed(const halved_axis& h, const machine_spec& machine) {
  return h.inner > 1 && h.inner < machine.thresholds.column_neighbours_min;
}

halved_axis transposed(const halved_axis& h) {
  return {.outer = h.outer * h.inner, .n = h.n, .inner = 1};
}

fft_recipe neighbours(const halved_axis& h, bool inverse, double scale,
                      const precision_options& precision, const machine_spec& machine) {
  fft_recipe recipe;
  if (inverse) {
    append_aside(recipe, tangle_step(h.outer, h.n / 2, scale));
    append_pairs(recipe, h.outer, h.n / 2, true, precision, machine);
  } else {
    append_pairs(recipe, h.outer, h.n / 2, false, precision, machine);
    append_aside(recipe, untangle_step(h.outer, h.n / 2, scale));
  }
  return recipe;
}

// Lines by complex ones: even ones by pairs of neighbours, others two as one, or one by itself.
fft_recipe by_complex(const halved_axis& h, bool inverse, double scale,
                      const precision_options& precision, const machine_spec& machine) {
  return by_neighbours(h, machine) ? neighbours(h, inverse, scale, precision, machine)
                                   : by_pairs(h, inverse, scale, precision, machine);
}

// Lines that do not stay on chip: in two sweeps, or by complex ones where they have no cut for these.
void append_sweeps(fft_recipe& recipe, const halved_axis& h, bool inverse, double scale,
                   const machine_spec& machine) {
  auto sweeps = in_sweeps(h, inverse, scale, machine);
  append(recipe, sweeps ? std::move(*sweeps) : by_complex(h, inverse, scale, {}, machine));
}

void append_forward(fft_recipe& recipe, const halved_axis& h, double scale,
                    const machine_spec& machine) {
  if (!better_transposed(h, machine) && append_on_chip(recipe, h, false, scale, machine)) return;
  if (h.inner > 1) {
    append_aside(recipe, transposition_of(h.outer, h.n, h.inner));
    append_forward(recipe, transposed(h), scale, machine);
    append_aside(recipe, transposition_of(2 * h.outer, h.inner, h.bins()));
  } else {
    append_sweeps(recipe, h, false, scale, machine);
  }
}

void append_backward(fft_recipe& recipe, const halved_axis& h, double scale,
                     const machine_spec& machine) {
  if (!better_transposed(h, machine) && append_on_chip(recipe, h, true, scale, machine)) return;
  if (h.inner > 1) {
    append_aside(recipe, transposition_of(2 * h.outer, h.bins(), h.inner));
    append_backward(recipe, transposed(h), scale, machine);
    append_aside(recipe, transposition_of(h.outer, h.inner, h.n));
  } else {
    append_sweeps(recipe, h, true, scale, machine);
  }
}

// The halved axis: in fp32 by kernels of its own, else by complex lines.
fft_recipe halved(const halved_axis& h, bool inverse, double scale,
                  const precision_options& precision, const machine_spec& machine) {
  fft_recipe recipe;
  if (precision.mode == precision::native) {
    (inverse ? append_backward : append_forward)(recipe, h, scale, machine);
  } else if (auto lines = on_partitions(h, inverse, scale, operands_of(precision), machine)) {
    recipe.steps.push_back(*std::move(lines));
  } else if (h.inner == 1) {
    append(recipe, by_complex(h, inverse, scale, precision, machine));
  } else {
    const std::int64_t from = inverse ? h.bins() : h.n, to = inverse ? h.n : h.bins();
    append_aside(recipe, transposition_of((inverse ? 2 : 1) * h.outer, from, h.inner));
    append(recipe, by_complex(transposed(h), inverse, scale, precision, machine));
    append_aside(recipe, transposition_of((inverse ? 1 : 2) * h.outer, h.inner, to));
  }
  return recipe;
}

}  // namespace

fft_recipe design_real_fft(const fft_problem& problem, const kernels::fft_kernel_options& options,
                           const machine_spec& machine) {
  const halved_axis h = halved_axis_of(problem);
  check_room("fft_kernel", 4 * h.reals(), machine);
  const double scale = scale_of(problem, options);
  const precision_options& how = options.precision;
  if (h.others.empty()) return halved(h, problem.is_inverse(), scale, how, machine);
  if (problem.is_inverse()) {
    fft_recipe recipe = further_axes(problem, h, 1, how, machine);
    append(recipe, halved(h, true, scale, how, machine));
    return recipe;
  }
  fft_recipe recipe = halved(h, false, 1, how, machine);
  append(recipe, further_axes(problem, h, scale, how, machine));
  return recipe;
}

namespace {

kernels::catalog_entry entry(const char* name, const char* summary, direction dir) {
  using namespace kernels;
  return {
      .name = name,
      .summary = summary,
      .parameters = joined({{.name = "n", .preset = "1024", .help = "Real numbers of a line"},
                            {.name = "batch", .preset = "1", .help = "Lines"},
                            {.name = "inner", .preset = "1", .help = "Lines beside each of these"}},
                           precision_parameters()),
      .size = [dir](const parameter_values& values, const machine_spec& machine) {
        return fft_kernel(
            {.kind = fft_kind::real,
             .dir = dir,
             .type = real_type::single_precision,
             .norm = normalization::none,
             .extents = {size_of(values, "batch"), size_of(values, "n"), size_of(values, "inner")},
             .axes = {1}},
            machine, {.precision = precision_in(values)});
      }};
}

}  // namespace

kernels::catalog_entry rfft_entry() {
  return entry("rfft", "FFT of batch lines of n real numbers, n/2 + 1 bins", direction::forward);
}

kernels::catalog_entry irfft_entry() {
  return entry("irfft", "Batch lines of n real numbers from n/2 + 1 bins, inverse FFT",
               direction::inverse);
}

}  // namespace papilio::kernels_detail
