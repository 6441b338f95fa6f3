#include "kernels/fft/fft_design.hpp"

#include <algorithm>
#include <iterator>
#include <limits>

#include "kernels/fft/axis_design.hpp"
#include "kernels/fft/axis_steps.hpp"
#include "kernels/fft/resident.hpp"
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

std::size_t sweeps(const std::vector<fft_pass>& passes) {
  return std::size_t(std::ranges::count(passes, false, &fft_pass::joins_previous));
}

// Passes over several axes at once, where they are the last ones of the array.
std::vector<fft_pass> mixed_passes_of(const kernels::fft_shape& shape,
                                      const std::vector<std::size_t>& axes,
                                      const array_operands& operands, const machine_spec& machine) {
  const std::vector<std::int64_t>& e = shape.extents;
  std::vector<std::int64_t> extents;
  std::int64_t all = 1;
  for (const std::size_t a : axes) {
    extents.push_back(e[a]);
    all *= e[a];
  }
  if (axes.size() < 2 || product(e, axes.front(), e.size()) != all) return {};
  return mixed_passes(product(e, 0, axes.front()), extents, shape.inverse, operands, machine);
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

std::vector<std::size_t> transformed_axes(const kernels::fft_shape& shape) {
  const int rank = int(shape.extents.size());
  constexpr int most = engine::hbm_view::dims_max - 1;  // and the planes
  if (rank < 1) throw shape_error("fft_kernel: extents must not be empty");
  if (rank > most)
    throw shape_error(message("fft_kernel: there are at most ", most, " extents, got ", rank));
  std::int64_t all = 2;
  for (const std::int64_t e : shape.extents) {
    if (e < 1) throw shape_error(message("fft_kernel: extents must be at least 1, got ", e));
    all = checked_multiply(all, e, "fft_kernel: elements");
  }
  checked_multiply(all, std::int64_t(4), "fft_kernel: bytes");
  check_scale("fft_kernel", shape.scale);
  std::vector<bool> chosen(std::size_t(rank), shape.axes.empty());
  for (const int a : shape.axes) {
    const int axis = a < 0 ? a + rank : a;
    if (axis < 0 || axis >= rank)
      throw shape_error(message("fft_kernel: axis ", a, " is out of range for ", rank, " extents"));
    if (chosen[std::size_t(axis)])
      throw shape_error(message("fft_kernel: axis ", a, " is given twice"));
    chosen[std::size_t(axis)] = true;
  }
  std::vector<std::size_t> axes;
  for (std::size_t a = 0; a < chosen.size(); ++a)
    if (chosen[a] && shape.extents[a] > 1) axes.push_back(a);
  if (axes.empty()) axes.push_back(std::size_t(std::ranges::find(chosen, true) - chosen.begin()));
  return axes;
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
      break;
  }
  throw invalid_argument(
      message("fft_kernel: precision.mode must be native, bf16 or split_bf16 for one recipe, got ",
              options.mode == precision::bf16_refined ? "bf16_refined" : "compensated"));
}

fft_recipe design_fft(const kernels::fft_shape& shape, const machine_spec& machine) {
  const std::vector<std::size_t> axes = transformed_axes(shape);
  const std::vector<std::int64_t>& e = shape.extents;
  check_room("fft_kernel", 8 * product(e, 0, e.size()), machine);
  if (shape.whole_elements != 0 && shape.whole_elements < product(e, 0, e.size()))
    throw shape_error(message("fft_kernel: whole_elements must be 0 or at least ",
                              product(e, 0, e.size()), ", got ", shape.whole_elements));
  array_operands operands = operands_of(shape.precision);
  operands.whole_elements = shape.whole_elements;
  fft_recipe recipe;
  const std::int64_t n = shape.extents[axes.back()];
  const std::int64_t elements = 2 * product(e, 0, e.size());
  const bool lines = axes.size() == 1 && n * product(shape.extents, 0, axes.back()) * 2 == elements;
  // Shorter lines are as fast by sweeps, which overlap the lines of a batch. The number of lines
  // may not decide: each has the same bits in any batch.
  if (lines && shape.precision.mode == precision::native &&
      n >= machine.thresholds.resident_points_min && resident_fits(n, machine)) {
    recipe.steps.push_back(
        resident_step(elements / (2 * n), n, shape.inverse, shape.scale, machine));
    return recipe;
  }
  for (std::size_t i = axes.size(); i-- > 0;) {
    const fft_axis axis{product(e, 0, axes[i]), e[axes[i]], product(e, axes[i] + 1, e.size())};
    std::ranges::move(axis_steps(axis, shape.inverse, i == 0 ? shape.scale : 1, operands, machine),
                      std::back_inserter(recipe.steps));
  }
  if (recipe.sweeps() == 1) return recipe;
  std::vector<fft_pass> mixed = mixed_passes_of(shape, axes, operands, machine);
  if (mixed.empty() || std::int64_t(sweeps(mixed)) >= recipe.sweeps()) return recipe;
  try {
    fft_recipe shared;
    append_passes(shared, std::move(mixed), 2 * product(e, 0, e.size()), shape.scale, machine);
    return shared;
  } catch (const resource_error&) {  // too many matrices: of several large primes in one stage
    return recipe;
  }
}

}  // namespace papilio::kernels_detail
