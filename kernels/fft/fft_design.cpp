#include "kernels/fft/fft_design.hpp"

#include <algorithm>

#include "kernels/fft/axis_design.hpp"
#include "kernels/fft/resident.hpp"
#include "papilio/base/checked.hpp"
#include "papilio/base/error.hpp"

namespace papilio::kernels_detail {
namespace {

// Shorter lines, and fewer elements in all, gain nothing from staying on chip.
constexpr std::int64_t resident_least = 1 << 16;

using base_detail::message;
using engine::machine_spec;

std::int64_t product(const std::vector<std::int64_t>& extents, std::size_t first,
                     std::size_t last) {
  std::int64_t all = 1;
  for (std::size_t i = first; i < last; ++i) all *= extents[i];
  return all;
}

// Checked axes, ascending; lengths of 1 are left out, unless nothing else is there.
std::vector<std::size_t> transformed_axes(const kernels::fft_shape& shape) {
  const int rank = int(shape.extents.size());
  if (rank < 1) throw shape_error("fft_kernel: extents must not be empty");
  std::int64_t all = 2;
  for (const std::int64_t e : shape.extents) {
    if (e < 1) throw shape_error(message("fft_kernel: extents must be at least 1, got ", e));
    all = checked_multiply(all, e, "fft_kernel: elements");
  }
  checked_multiply(all, std::int64_t(4), "fft_kernel: bytes");
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
  if (axes.empty()) axes.push_back(chosen.size() - 1);
  return axes;
}

std::size_t sweeps(const std::vector<fft_pass>& passes) {
  return std::size_t(std::ranges::count(passes, false, &fft_pass::joins_previous));
}

std::vector<fft_pass> passes_of(const kernels::fft_shape& shape,
                                const std::vector<std::size_t>& axes,
                                const array_operands& operands, const machine_spec& machine) {
  const std::vector<std::int64_t>& e = shape.extents;
  std::vector<fft_pass> passes;
  for (std::size_t i = axes.size(); i-- > 0;) {
    const std::size_t a = axes[i];
    const std::vector<fft_pass> one = axis_passes(
        product(e, 0, a), e[a], product(e, a + 1, e.size()), shape.inverse, operands, machine);
    if (one.empty())
      throw invalid_argument(
          message("fft_kernel: ", e[a], " has a prime factor above ", machine.tensor.rows));
    passes.insert(passes.end(), one.begin(), one.end());
  }
  // Axes that are the last ones of the array may share passes.
  const bool trailing = product(e, axes.front(), e.size()) == [&] {
    std::int64_t all = 1;
    for (const std::size_t a : axes) all *= e[a];
    return all;
  }();
  if (axes.size() > 1 && trailing && sweeps(passes) > 1) {
    std::vector<std::int64_t> extents;
    for (const std::size_t a : axes) extents.push_back(e[a]);
    const std::vector<fft_pass> mixed =
        mixed_passes(product(e, 0, axes.front()), extents, shape.inverse, operands, machine);
    if (!mixed.empty() && sweeps(mixed) < sweeps(passes)) return mixed;
  }
  return passes;
}

}  // namespace

array_operands operands_of(const precision_options& options) {
  switch (options.mode) {
    case precision::bf16:
      return {.type = engine::dtype::bf16, .parts = 1};
    case precision::split_bf16:
      return {.type = engine::dtype::bf16, .parts = options.parts};
    case precision::native:
    case precision::bf16_refined:
    case precision::compensated:
      break;
  }
  return {};
}

fft_recipe design_fft(const kernels::fft_shape& shape, const machine_spec& machine) {
  const std::vector<std::size_t> axes = transformed_axes(shape);
  const std::int64_t elements = 2 * product(shape.extents, 0, shape.extents.size());
  fft_recipe recipe;
  const std::int64_t n = shape.extents[axes.back()];
  const bool lines = axes.size() == 1 && n * product(shape.extents, 0, axes.back()) * 2 == elements;
  if (lines && shape.precision.mode == precision::native && n >= resident_least &&
      resident_fits(n, machine)) {
    recipe.steps.push_back(
        resident_step(elements / (2 * n), n, shape.inverse, shape.scale, machine));
    return recipe;
  }
  append_passes(recipe, passes_of(shape, axes, operands_of(shape.precision), machine), elements,
                shape.scale, machine);
  return recipe;
}

}  // namespace papilio::kernels_detail
