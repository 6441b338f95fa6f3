#include "kernels/groups/array_fft.hpp"

#include <algorithm>
#include <utility>

#include "papilio/base/error.hpp"

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
  std::int64_t piece() const { return 2 * rows() * columns(); }
  tensor_shape buffer() const { return {{cores, 2, rows(), columns()}}; }
  hbm_view piece_in(const hbm_view& buffer, std::int64_t of) const {
    return buffer.pattern(of * piece(),
                          {{2, rows() * columns()}, {rows(), columns()}, {columns(), 1}});
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

// A transform beside the exchange: `inner` with a copy to or from the pieces.
sized_kernel half_of(const char* name, const exchange& plan, const sized_kernel& inner) {
  sized_kernel half;
  half.program = {
      .name = name,
      .parameters = message(plan.cores, "\n", inner.program.name, "\n", inner.program.parameters)};
  half.tables = inner.tables;
  half.design = inner.design;
  half.expected_error = inner.expected_error;
  half.machine = inner.machine;
  return half;
}

std::vector<hbm_view> with_tables(const hbm_view& operand, const kernel_arguments& t) {
  std::vector<hbm_view> all{operand};
  for (std::size_t i = 1; i < t.inputs(); ++i) all.push_back(t.in(i));
  return all;
}

sized_kernel slices_kernel(const exchange& plan, const fft_problem& p,
                           const fft_kernel_options& options, const machine_spec& machine) {
  fft_problem part = p;
  part.extents[0] = std::size_t(plan.rows());
  std::erase(part.axes, 0u);
  const sized_kernel inner = fft_kernel(part, machine, options);
  sized_kernel kernel = half_of("array_fft slices", plan, inner);
  kernel.inputs = inner.inputs;
  kernel.outputs = {plan.buffer()};
  kernel.program.body = [plan, inner](core& nc, const kernel_arguments& t) {
    const hbm_view slices = nc.hbm(inner.outputs[0].extents);
    inner.program.body(nc, kernel_arguments(with_tables(t.in(0), t), {slices}));
    for (std::int64_t c = 0; c < plan.cores; ++c)
      nc.issue(dma_copy{.out = plan.piece_in(t.out(0), c),
                        .in = slices.pattern(c * plan.columns(), {{2, plan.rows() * plan.width},
                                                                  {plan.rows(), plan.width},
                                                                  {plan.columns(), 1}})});
  };
  return kernel;
}

sized_kernel columns_kernel(const exchange& plan, const fft_problem& p,
                            const fft_kernel_options& options, const machine_spec& machine) {
  fft_problem part = p;
  part.extents = {std::size_t(plan.n1), std::size_t(plan.columns())};
  part.axes = {0};
  const sized_kernel inner = fft_kernel(part, machine, options);
  sized_kernel kernel = half_of("array_fft columns", plan, inner);
  kernel.inputs = {plan.buffer()};
  kernel.outputs = inner.outputs;
  kernel.program.body = [plan, inner](core& nc, const kernel_arguments& t) {
    const hbm_view columns = nc.hbm(inner.inputs[0].extents);
    for (std::int64_t c = 0; c < plan.cores; ++c)
      nc.issue(dma_copy{.out = columns.slice(1, c * plan.rows(), plan.rows()),
                        .in = plan.piece_in(t.in(0), c)});
    inner.program.body(nc, kernel_arguments(with_tables(columns, t), {t.out(0)}));
  };
  return kernel;
}

tensor_shape buffers_of(const exchange& plan) {
  return {{plan.cores * plan.cores, 2, plan.rows(), plan.columns()}};
}

division slices_of(const exchange& plan, const fft_problem& p, const fft_kernel_options& options,
                   const machine_spec& machine) {
  division d{.name = "array_fft slices"};
  d.how = message("slices of the first axis, then columns along it, on ", plan.cores, " cores");
  d.ranges = kernels::even_ranges(plan.n1, int(plan.cores));
  tensor_shape planes{{2}};
  for (const std::size_t extent : p.extents) planes.extents.push_back(std::int64_t(extent));
  d.inputs = {{planes, {{.axis = 1}}}};
  d.outputs = {{buffers_of(plan), {{.step = plan.cores, .by_core = true}}}};
  d.kernel_of = [=](const kernels::index_range&) {
    return slices_kernel(plan, p, options, machine);
  };
  return d;
}

division columns_of(const exchange& plan, const fft_problem& p, const fft_kernel_options& options,
                    const machine_spec& machine) {
  division d{.name = "array_fft columns"};
  d.ranges = kernels::even_ranges(plan.width, int(plan.cores));
  d.inputs = {{buffers_of(plan), {{.step = plan.cores, .by_core = true}}}};
  d.outputs = {{{{2, plan.n1, plan.width}}, {{.axis = 2}}}};
  d.kernel_of = [=](const kernels::index_range&) {
    return columns_kernel(plan, p, options, machine);
  };
  return d;
}

}  // namespace

exchanged_split array_fft(device_group& on, const fft_problem& p, const fft_kernel_options& options,
                          run_mode mode) {
  const exchange plan = plan_of(p, on.cores());
  const machine_spec& machine = on.machine();
  return {on, divided_by(slices_of(plan, p, options, machine), machine),
          divided_by(columns_of(plan, p, options, machine), machine), plan.buffer(), mode};
}

}  // namespace papilio::kernels_detail
