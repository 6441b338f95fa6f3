#include "kernels/transform/fft_design.hpp"

#include <algorithm>
#include <limits>

#include "kernels/transform/axis_steps.hpp"
#include "kernels/transform/columns.hpp"
#include "papilio/base/error.hpp"

namespace papilio::kernels_detail {
namespace {

using base_detail::message;
using engine::machine_spec;

std::int64_t product(const std::vector<std::int64_t>& extents, std::size_t first,
                     std::size_t last) {
  std::int64_t all = 1;
  for (std::size_t i = first; i < last; ++i) all *= extents[i];
  return all;
}

// Transforms several axes at once in two sweeps, where they are the array's last ones.
std::optional<fft_recipe> several_axes(const std::vector<std::int64_t>& e,
                                       const std::vector<std::size_t>& axes, lines_problem how,
                                       std::int64_t whole_elements, const machine_spec& machine) {
  std::vector<std::int64_t> extents;
  how.n = 1;
  for (const std::size_t a : axes) {
    extents.push_back(e[a]);
    how.n *= e[a];
  }
  if (axes.size() < 2 || product(e, axes.front(), e.size()) != how.n) return {};
  how.outer = product(e, 0, axes.front());
  how.whole = whole_elements / how.n;
  return axes_in_two_sweeps(how, extents, machine);
}

}  // namespace

void check_room(const char* function, std::int64_t bytes, const machine_spec& machine, int cores) {
  const std::int64_t each = machine.hbm.usable_bytes_per_core;
  if (bytes / cores > each)
    throw resource_error(message(function, ": an array of ", bytes, " bytes, ", cores,
                                 cores > 1 ? " cores have " : " core has ", each,
                                 " bytes of HBM each"));
}

void check_scale(const char* function, double scale) {
  constexpr double most = std::numeric_limits<float>::max();
  if (!(scale >= -most && scale <= most))
    throw invalid_argument(message(function, ": scale must be finite in fp32, got ", scale));
}

void check_problem(const char* function, const fft_problem& problem,
                   const kernels::fft_kernel_options& options) {
  problem.require_valid(function);
  if (problem.type != real_type::single_precision)
    throw invalid_argument(
        message(function, ": type must be float, got ", to_string(problem.type)));
  if (problem.axes.empty()) throw invalid_argument(message(function, ": axes must not be empty"));
  constexpr std::size_t most = engine::hbm_view::dims_max - 1;  // and the planes
  if (problem.extents.size() > most)
    throw shape_error(
        message(function, ": there are at most ", most, " extents, got ", problem.extents.size()));
  std::int64_t all = 16;  // bytes of planes, and of a bin more than lengths of 1 have
  for (const std::size_t e : problem.extents)
    all = checked_multiply(all, checked_cast<std::int64_t>(e, function), function);
  check_scale(function, scale_of(problem, options));
  if (options.whole_elements != 0 && options.whole_elements < all / 16)
    throw shape_error(message(function, ": whole_elements must be 0 or at least ", all / 16,
                              ", got ", options.whole_elements));
}

void require_native(const char* function, const precision_options& precision) {
  if (precision.mode != precision::native)
    throw invalid_argument(message(function, ": precision must be native"));
  if (precision.target_error != 0)
    throw invalid_argument(
        message(function, ": precision.target_error must be 0, got ", precision.target_error));
}

std::vector<std::int64_t> extents_of(const fft_problem& problem) {
  return {problem.extents.begin(), problem.extents.end()};
}

double scale_of(const fft_problem& problem, const kernels::fft_kernel_options& options) {
  return options.scale * problem.scale();
}

std::vector<std::size_t> transformed_axes(const fft_problem& problem) {
  std::vector<std::size_t> axes = problem.axes;
  std::ranges::sort(axes);
  const std::size_t first = axes.front();
  std::erase_if(axes, [&](std::size_t a) { return problem.extents[a] == 1; });
  if (axes.empty()) axes.push_back(first);
  return axes;
}

fft_lines lines_of(const fft_problem& problem) {
  const std::vector<std::size_t> axes = transformed_axes(problem);
  const std::vector<std::int64_t> e = extents_of(problem);
  return {.only = axes.size() == 1 && product(e, axes.front() + 1, e.size()) == 1,
          .batch = product(e, 0, axes.front()),
          .n = e[axes.front()]};
}

lines_problem real_lines_of(const fft_problem& problem) {
  const std::vector<std::int64_t> e = extents_of(problem);
  const std::size_t axis = problem.axes.back();
  return {.outer = product(e, 0, axis),
          .n = e[axis],
          .inner = product(e, axis + 1, e.size()),
          .real = true,
          .inverse = problem.is_inverse()};
}

fft_lines checked_lines(const char* function, const fft_problem& problem,
                        const kernels::fft_kernel_options& options) {
  check_problem(function, problem, options);
  if (!problem.is_complex())
    throw invalid_argument(
        message(function, ": kind must be complex, got ", to_string(problem.kind)));
  const fft_lines lines = lines_of(problem);
  if (!lines.only)
    throw invalid_argument(message(function, ": the last axis and no other must be transformed"));
  return lines;
}

array_operands operands_of(const precision_options& options) {
  switch (options.mode) {
    case precision::native:
      return {};
    case precision::bf16:
      return {.type = engine::dtype::bf16, .parts = 1};
    case precision::split_bf16:
      return {.type = engine::dtype::bf16, .parts = options.parts};
    case precision::bf16_refined:
    case precision::compensated:
    case precision::mxfp8:
      break;
  }
  throw invalid_argument(
      message("fft_kernel: precision.mode must be native, bf16 or split_bf16 for one recipe, got ",
              options.mode == precision::bf16_refined ? "bf16_refined"
              : options.mode == precision::mxfp8      ? "mxfp8"
                                                      : "compensated"));
}

fft_recipe design_fft(const fft_problem& problem, const kernels::fft_kernel_options& options,
                      const machine_spec& machine) {
  const std::vector<std::size_t> axes = transformed_axes(problem);
  const std::vector<std::int64_t> e = extents_of(problem);
  const bool inverse = problem.is_inverse();
  const double scale = scale_of(problem, options);
  const std::int64_t elements = 2 * product(e, 0, e.size());
  check_room("fft_kernel", 4 * elements, machine);
  const array_operands operands = operands_of(options.precision);
  fft_recipe recipe;
  for (std::size_t i = axes.size(); i-- > 0;) {
    lines_problem lines{.outer = product(e, 0, axes[i]),
                        .n = e[axes[i]],
                        .inner = product(e, axes[i] + 1, e.size()),
                        .inverse = inverse,
                        .scale = i == 0 ? scale : 1,
                        .operands = operands};
    lines.whole = options.whole_elements / (lines.n * lines.inner);
    append(recipe, complex_axis(lines, machine));
  }
  if (recipe.sweeps() <= 2) return recipe;
  auto shared = several_axes(e, axes, {.inverse = inverse, .scale = scale, .operands = operands},
                             options.whole_elements, machine);
  return shared ? *std::move(shared) : recipe;
}

}  // namespace papilio::kernels_detail
