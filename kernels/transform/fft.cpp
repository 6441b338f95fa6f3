#include "papilio/kernels/fft.hpp"

#include <algorithm>

#include "kernels/entries.hpp"
#include "kernels/transform/fft_design.hpp"
#include "kernels/transform/precision.hpp"
#include "papilio/base/error.hpp"
#include "papilio/engine/core.hpp"

namespace papilio::kernels {

using namespace engine;
using namespace kernels_detail;

namespace {

sized_kernel in_its_mode(const fft_problem& problem, const fft_kernel_options& options,
                         const machine_spec& machine) {
  if (options.precision.target_error > 0) return cheapest_fft(problem, options, machine).kernel;
  switch (options.precision.mode) {
    case precision::bf16_refined:
      return refined_fft(problem, options, machine);
    case precision::compensated:
      return compensated_fft(problem, options, machine);
    case precision::native:
    case precision::bf16:
    case precision::split_bf16:
    case precision::mxfp8:
      break;
  }
  return single_fft(problem, options, machine);
}

sized_kernel of_its_kind(const fft_problem& problem, const fft_kernel_options& options,
                         const machine_spec& machine) {
  check_problem("fft_kernel", problem, options);
  check_precision("fft_kernel", options.precision);
  if (problem.adjoint) return real_adjoint(problem, options, machine);
  if (!problem.is_trigonometric()) return in_its_mode(problem, options, machine);
  require_native("fft_kernel", options.precision);
  return trigonometric_fft(problem, options, machine);
}

}  // namespace

sized_kernel fft_kernel(const fft_problem& problem, const machine_spec& machine,
                        const fft_kernel_options& options) {
  sized_kernel sized = of_its_kind(problem, options, machine);
  sized.machine = machine;
  return sized;
}

}  // namespace papilio::kernels

namespace papilio::kernels_detail {

kernels::sized_kernel single_fft(const fft_problem& problem,
                                 const kernels::fft_kernel_options& options,
                                 const engine::machine_spec& machine) {
  fft_recipe recipe = recipe_of(problem, options, machine);
  kernels::sized_kernel sized = empty_fft(problem);
  sized.design = design_of(recipe.design());
  if (problem.is_complex()) sized.repeats = recipe.repeats();
  if (problem.is_complex() || options.precision.mode != precision::native)
    sized.design = design_of(fft_design{.mode = options.precision.mode,
                                        .parts = options.precision.parts,
                                        .forward = std::move(sized.design)});
  return kernel_of(std::move(recipe), std::move(sized), machine);
}

fft_problem line_batch(const kernels::parameter_values& values) {
  using namespace kernels;
  return {.dir = values.at("direction") == "inverse" ? direction::inverse : direction::forward,
          .type = real_type::single_precision,
          .norm = normalization::none,
          .extents = {size_of(values, "batch"), size_of(values, "n")},
          .axes = {1}};
}

namespace {

fft_problem lines_beside_each_other(const kernels::parameter_values& values) {
  fft_problem lines = line_batch(values);
  lines.extents.push_back(kernels::size_of(values, "inner"));
  return lines;
}

}  // namespace

kernels::catalog_entry fft_entry() {
  using namespace kernels;
  return {
      .name = "fft",
      .summary = "Complex FFT of batch lines of n, real and imaginary planes",
      .parameters = joined({{.name = "n", .preset = "1024", .help = "Length of a line"},
                            {.name = "batch", .preset = "1", .help = "Lines"},
                            {.name = "inner", .preset = "1", .help = "Lines beside each of these"},
                            {.name = "direction",
                             .preset = "forward",
                             .help = "Sign of the exponent",
                             .choices = {"forward", "inverse"}}},
                           precision_parameters()),
      .size =
          [](const parameter_values& values, const engine::machine_spec& machine) {
            return fft_kernel(lines_beside_each_other(values), machine,
                              {.precision = precision_in(values)});
          },
      .time_on_cores =
          [](const parameter_values& values, int cores, const engine::machine_spec& machine,
             const engine::runtime_spec& runtime, const engine::group_options& group) {
            const fft_problem lines = lines_beside_each_other(values);
            const fft_kernel_options options{.precision = precision_in(values)};
            if (lines.extents[0] > 1)
              return time_split_fft(lines, cores, machine, runtime, group, options);
            if (options.precision.mode != precision::native)
              throw invalid_argument(base_detail::message(
                  "fft: one line over several cores has precision native only, got ",
                  values.at("precision")));
            if (lines.extents[2] > 1)
              throw invalid_argument(base_detail::message(
                  "fft: one line over several cores has inner 1 only, got ", lines.extents[2]));
            fft_problem line = lines;
            line.extents = {lines.extents[1]};
            line.axes = {0};
            return time_large_fft(line, cores, machine, runtime, group);
          },
      .measure = [](const parameter_values& values,
                    const engine::machine_spec& machine) -> std::optional<measured_error> {
        const fft_kernel_options options{.precision = precision_in(values)};
        if (options.precision == precision_options{}) return std::nullopt;
        return measure_error(lines_beside_each_other(values), machine, options);
      }};
}

kernels::catalog_entry fftn_entry() {
  using namespace kernels;
  return {
      .name = "fftn",
      .summary = "Complex FFT over all axes of x by y by z",
      .parameters = {{.name = "x", .preset = "1", .help = "First extent"},
                     {.name = "y", .preset = "1024", .help = "Second extent"},
                     {.name = "z", .preset = "1024", .help = "Last extent, contiguous"},
                     {.name = "direction",
                      .preset = "forward",
                      .help = "Sign of the exponent",
                      .choices = {"forward", "inverse"}}},
      .size = [](const parameter_values& values, const engine::machine_spec& machine) {
        sized_kernel sized = fft_kernel(
            {.dir = values.at("direction") == "inverse" ? direction::inverse : direction::forward,
             .type = real_type::single_precision,
             .norm = normalization::none,
             .extents = {size_of(values, "x"), size_of(values, "y"), size_of(values, "z")},
             .axes = {0, 1, 2}},
            machine);
        sized.program.name = "fftn";
        return sized;
      }};
}

}  // namespace papilio::kernels_detail
