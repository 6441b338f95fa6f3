#include "papilio/kernels/fft.hpp"

#include <algorithm>

#include "kernels/checks.hpp"
#include "kernels/entries.hpp"
#include "kernels/precision_choice.hpp"
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

fft_problem line_request::lines() const {
  return {.dir = dir,
          .type = real_type::single_precision,
          .norm = normalization::none,
          .extents = {batch, n},
          .axes = {1}};
}

fft_problem line_request::lines_beside_each_other() const {
  fft_problem all = lines();
  all.extents.push_back(inner);
  return all;
}

kernels::fft_kernel_options line_request::options() const {
  check_precision("fft", *this);
  return {.precision = *this};
}

namespace {

kernels::group_times time_lines(const line_request& r, int cores,
                                const engine::machine_spec& machine,
                                const engine::runtime_spec& runtime,
                                const engine::group_options& group) {
  const kernels::fft_kernel_options options = r.options();
  if (r.batch > 1)
    return kernels::time_split_fft(r.lines_beside_each_other(), cores, machine, runtime, group,
                                   options);
  require(options.precision.mode == precision::native,
          "fft: one line over several cores has precision native only, got ",
          describe(options.precision));
  require(r.inner == 1, "fft: one line over several cores has inner 1 only, got ", r.inner);
  fft_problem line = r.lines();
  line.extents = {r.n};
  line.axes = {0};
  return kernels::time_large_fft(line, cores, machine, runtime, group);
}

struct box_request {
  std::size_t x = 1, y = 1, z = 1;
  direction dir = direction::forward;
};

}  // namespace

kernels::catalog_entry fft_entry() {
  using r = line_request;
  const settings<r> all =
      settings<r>{number_setting("n", &r::n, "1024", "Length of a line"),
                  number_setting("batch", &r::batch, "1", "Lines"),
                  number_setting("inner", &r::inner, "1", "Lines beside each of these"),
                  direction_setting(&r::dir)}
          .with(precision_settings());
  kernels::catalog_entry entry = all.entry(
      "fft", "Complex FFT of batch lines of n, real and imaginary planes",
      [](const r& request, const engine::machine_spec& machine) {
        return kernels::fft_kernel(request.lines_beside_each_other(), machine, request.options());
      });
  entry.time_on_cores = all.reading(time_lines);
  entry.measure = all.reading(
      [](const r& request,
         const engine::machine_spec& machine) -> std::optional<kernels::measured_error> {
        const kernels::fft_kernel_options options = request.options();
        if (options.precision == precision_options{}) return std::nullopt;
        return kernels::measure_error(request.lines_beside_each_other(), machine, options);
      });
  return entry;
}

kernels::catalog_entry fftn_entry() {
  using r = box_request;
  return settings<r>{number_setting("x", &r::x, "1", "First extent"),
                     number_setting("y", &r::y, "1024", "Second extent"),
                     number_setting("z", &r::z, "1024", "Last extent, contiguous"),
                     direction_setting(&r::dir)}
      .entry("fftn", "Complex FFT over all axes of x by y by z",
             [](const r& of, const engine::machine_spec& machine) {
               kernels::sized_kernel sized =
                   kernels::fft_kernel({.dir = of.dir,
                                        .type = real_type::single_precision,
                                        .norm = normalization::none,
                                        .extents = {of.x, of.y, of.z},
                                        .axes = {0, 1, 2}},
                                       machine);
               sized.program.name = "fftn";
               return sized;
             });
}

}  // namespace papilio::kernels_detail
