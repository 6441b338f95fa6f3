#include "kernels/groups/divided_works.hpp"

#include <algorithm>
#include <utility>

#include "kernels/stage_list.hpp"
#include "papilio/base/error.hpp"
#include "papilio/kernels/rearrange.hpp"

namespace papilio::kernels_detail {
namespace {

using base_detail::message;
using namespace engine;
using kernels::fft_kernel;
using kernels::fft_kernel_options;
using kernels::sized_kernel;

// n1 slices of `width` columns, and what of them one core sends another.
struct exchange {
  std::int64_t cores, n1, width;

  std::int64_t rows() const { return n1 / cores; }
  std::int64_t columns() const { return width / cores; }
  tensor_shape buffer() const { return {{cores, 2, rows(), columns()}}; }
  tensor_shape buffers() const { return {{cores * cores, 2, rows(), columns()}}; }

  // Pieces of both planes, each `rows` rows of `width` or, apart, `columns` numbers.
  arrangement_problem::box piece(std::int64_t of) const {
    return {.from = {0, std::size_t(of * columns())},
            .to = {std::size_t(of * 2 * rows()), 0},
            .extents = {std::size_t(2 * rows()), std::size_t(columns())}};
  }
};

exchange plan_of(const fft_problem& p, int cores) {
  if (!p.is_complex() || p.axes.size() < 2 || std::ranges::find(p.axes, 0u) == p.axes.end())
    throw invalid_argument(
        "array_fft: must be a complex transform along the first and another axis");
  exchange plan{cores, std::int64_t(p.extents[0]), 1};
  for (std::size_t a = 1; a < p.extents.size(); ++a) plan.width *= std::int64_t(p.extents[a]);
  if (plan.n1 % cores != 0 || plan.width % cores != 0)
    throw invalid_argument(message("array_fft: the number of cores, ", cores, ", must divide ",
                                   plan.n1, " slices and their ", plan.width, " columns"));
  return plan;
}

// Slices of a core, along the other axes, in pieces for the cores.
sized_kernel slices_kernel(const exchange& plan, const fft_problem& p,
                           const fft_kernel_options& options, const machine_spec& machine) {
  fft_problem part = p;
  part.extents[0] = std::size_t(plan.rows());
  std::erase(part.axes, 0u);
  arrangement_problem pieces{
      .in_extents = {std::size_t(2 * plan.rows()), std::size_t(plan.width)},
      .out_extents = {std::size_t(plan.cores * 2 * plan.rows()), std::size_t(plan.columns())},
      .boxes = {}};
  for (std::int64_t c = 0; c < plan.cores; ++c) pieces.boxes.push_back(plan.piece(c));
  const sized_kernel inner = fft_kernel(part, machine, options);
  stage_list list("array_fft slices");
  const stage_tensor in = list.input(inner.inputs[0]), out = list.output(plan.buffer()),
                     slices = list.between(inner.outputs[0].elements());
  list.add("transforms", inner, {in}, {slices});
  list.add("pieces", kernels::rearrange_kernel(pieces, machine), {slices}, {out});
  return list.kernel(machine);
}

// Columns of a core, along the first axis, from the pieces of all cores.
sized_kernel columns_kernel(const exchange& plan, const fft_problem& p,
                            const fft_kernel_options& options, const machine_spec& machine) {
  fft_problem part = p;
  part.extents = {std::size_t(plan.n1), std::size_t(plan.columns())};
  part.axes = {0};
  const auto rows = std::size_t(plan.rows()), columns = std::size_t(plan.columns());
  arrangement_problem joined{.in_extents = {2 * std::size_t(plan.cores), rows * columns},
                             .out_extents = {2, std::size_t(plan.n1) * columns},
                             .boxes = {}};
  for (std::size_t piece = 0; piece < 2 * std::size_t(plan.cores); ++piece)
    joined.boxes.push_back({.from = {piece, 0},
                            .to = {piece % 2, piece / 2 * rows * columns},
                            .extents = {1, rows * columns}});
  const sized_kernel inner = fft_kernel(part, machine, options);
  stage_list list("array_fft columns");
  const stage_tensor in = list.input(plan.buffer()), out = list.output(inner.outputs[0]),
                     whole = list.between(inner.inputs[0].elements());
  list.add("columns", kernels::rearrange_kernel(joined, machine), {in}, {whole});
  list.add("transforms", inner, {whole}, {out});
  return list.kernel(machine);
}

division slices_of(const exchange& plan, const fft_problem& p, const fft_kernel_options& options,
                   const machine_spec& machine) {
  division d{.name = "array_fft slices"};
  d.how = message("slices of the first axis, then columns along it, on ", plan.cores, " cores");
  d.ranges = kernels::even_ranges(plan.n1, int(plan.cores));
  tensor_shape planes{{2}};
  for (const std::size_t extent : p.extents) planes.extents.push_back(std::int64_t(extent));
  d.inputs = {{planes, {{.axis = 1}}}};
  d.outputs = {{plan.buffers(), {{.step = plan.cores, .by_core = true}}}};
  d.kernel_of = [=](const kernels::index_range&) {
    return slices_kernel(plan, p, options, machine);
  };
  return d;
}

division columns_of(const exchange& plan, const fft_problem& p, const fft_kernel_options& options,
                    const machine_spec& machine) {
  division d{.name = "array_fft columns"};
  d.ranges = kernels::even_ranges(plan.width, int(plan.cores));
  d.inputs = {{plan.buffers(), {{.step = plan.cores, .by_core = true}}}};
  d.outputs = {{{{2, plan.n1, plan.width}}, {{.axis = 2}}}};
  d.kernel_of = [=](const kernels::index_range&) {
    return columns_kernel(plan, p, options, machine);
  };
  return d;
}

}  // namespace

divided_work divided_array(device_group& on, const fft_problem& p,
                           const fft_kernel_options& options, run_mode mode) {
  const exchange plan = plan_of(p, on.cores());
  const machine_spec& machine = on.machine();
  return work_of({on, divided_by(slices_of(plan, p, options, machine), machine),
                  divided_by(columns_of(plan, p, options, machine), machine), plan.buffer(), mode});
}

}  // namespace papilio::kernels_detail
