#include "kernels/fft/recipe.hpp"

#include <algorithm>

#include "kernels/fft/axis_design.hpp"
#include "papilio/base/checked.hpp"
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
    const std::vector<fft_pass> one =
        axis_passes(product(e, 0, a), e[a], product(e, a + 1, e.size()), shape.inverse, operands,
                    machine);
    if (one.empty())
      throw invalid_argument(message("fft_kernel: ", e[a], " has a prime factor above ",
                                     machine.tensor.rows));
    passes.insert(passes.end(), one.begin(), one.end());
  }
  // Axes that are the last ones of the array may share passes.
  const bool trailing = product(e, axes.front(), e.size()) ==
                        [&] {
                          std::int64_t all = 1;
                          for (const std::size_t a : axes) all *= e[a];
                          return all;
                        }();
  if (axes.size() > 1 && trailing && sweeps(passes) > 1) {
    std::vector<std::int64_t> extents;
    for (const std::size_t a : axes) extents.push_back(e[a]);
    const std::vector<fft_pass> mixed = mixed_passes(product(e, 0, axes.front()), extents,
                                                     shape.inverse, operands, machine);
    if (!mixed.empty() && sweeps(mixed) < sweeps(passes)) return mixed;
  }
  return passes;
}

}  // namespace

fft_recipe design_fft(const kernels::fft_shape& shape, const machine_spec& machine) {
  const std::vector<std::size_t> axes = transformed_axes(shape);
  std::vector<fft_pass> passes = passes_of(shape, axes, {}, machine);
  for (std::size_t i = passes.size(); i-- > 0;) {
    passes[i].scale = shape.scale;
    if (!passes[i].joins_previous) break;
  }
  const std::int64_t elements = 2 * product(shape.extents, 0, shape.extents.size());
  fft_recipe recipe;
  int from = input_tensor, to = input_tensor;
  const std::size_t last = sweeps(passes) - 1;
  std::size_t sweep = 0;
  for (std::size_t i = 0; i < passes.size(); ++i) {
    if (!passes[i].joins_previous) {
      if (i > 0) ++sweep;
      from = to;
      to = sweep == last ? output_tensor : first_scratch + int(sweep % 2);
      if (to >= first_scratch + int(recipe.scratch.size())) recipe.scratch.push_back(elements);
    }
    plan_pass(passes[i], machine);
    recipe.steps.push_back({std::move(passes[i]), from, to});
  }
  const double bytes = double(elements) * 4;
  const double on_chip = double(machine.sbuf.partitions) * double(machine.sbuf.bytes_per_partition);
  recipe.hbm_bytes = 2 * bytes * double(bytes > on_chip ? last + 1 : 1);
  return recipe;
}

std::vector<kernels::constant_table> tables_of(const fft_recipe& recipe) {
  std::vector<kernels::constant_table> tables;
  for (const fft_step& step : recipe.steps)
    for (kernels::constant_table& t : tables_of(step.pass)) tables.push_back(std::move(t));
  return tables;
}

void run_recipe(engine::core& nc, const fft_recipe& recipe, const engine::hbm_view& in,
                const engine::hbm_view& out, const engine::kernel_arguments& arguments,
                std::size_t first_table) {
  std::vector<engine::hbm_view> tensors{in, out};
  for (const std::int64_t elements : recipe.scratch) tensors.push_back(nc.hbm({elements}));
  std::size_t table = first_table;
  for (const fft_step& step : recipe.steps) {
    std::vector<engine::hbm_view> tables;
    const std::size_t count = step.pass.stages.size() + (step.pass.twiddle_order > 0 ? 1 : 0);
    for (std::size_t i = 0; i < count; ++i) tables.push_back(arguments.in(table++));
    run_pass(nc, step.pass, tensors[std::size_t(step.in)], tensors[std::size_t(step.out)], tables);
  }
}

std::string describe(const fft_recipe& recipe) {
  std::string text;
  for (const fft_step& step : recipe.steps) text += describe(step.pass) + "\n";
  return text;
}

}  // namespace papilio::kernels_detail
