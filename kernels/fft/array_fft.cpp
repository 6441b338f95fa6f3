#include "kernels/fft/array_fft.hpp"

#include <algorithm>
#include <utility>

#include "kernels/design.hpp"
#include "kernels/fft/error_model.hpp"
#include "papilio/base/error.hpp"

namespace papilio::kernels_detail {
namespace {

using base_detail::message;
using namespace engine;
using kernels::core_share;
using kernels::fft_kernel;
using kernels::fft_kernel_options;
using kernels::group_split;
using kernels::sized_kernel;

// n1 slices of `width` columns, and what of them one core sends another.
struct exchange {
  std::int64_t cores, n1, width;

  auto fields() const { return std::tie(cores, n1, width); }
  std::int64_t rows() const { return n1 / cores; }
  std::int64_t columns() const { return width / cores; }
  std::int64_t piece() const { return 2 * rows() * columns(); }
  tensor_shape buffer() const { return {{cores, 2, rows(), columns()}}; }
  hbm_view piece_in(const hbm_view& buffer, std::int64_t of) const {
    return buffer.pattern(of * piece(),
                          {{2, rows() * columns()}, {rows(), columns()}, {columns(), 1}});
  }
};

struct half_design {
  exchange plan;
  kernels::kernel_design kernel;

  auto fields() const { return std::tie(plan, kernel); }
  std::string describe() const { return kernel.explain(); }
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
  half.program = {.name = name, .parameters = inner.program.name + "\n" + inner.program.parameters};
  half.tables = inner.tables;
  half.design = kernels_detail::design_of(half_design{plan, inner.design});
  half.expected_error = inner.expected_error;
  half.machine = inner.machine;
  return half;
}

std::vector<hbm_view> with_tables(const hbm_view& operand, const kernel_arguments& t) {
  std::vector<hbm_view> all{operand};
  for (std::size_t i = 1; i < t.inputs(); ++i) all.push_back(t.in(i));
  return all;
}

group_split slices_of(const exchange& plan, const fft_problem& p, const fft_kernel_options& options,
                      const machine_spec& machine) {
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
  group_split split{.name = kernel.program.name, .machine = machine, .kernels = {kernel}};
  split.inputs = {inner.inputs[0]};
  split.inputs[0].extents[1] = plan.n1;
  split.outputs = {{{plan.cores * plan.cores, 2, plan.rows(), plan.columns()}}};
  split.design = kernel.design;
  for (std::int64_t c = 0; c < plan.cores; ++c) {
    std::vector<std::int64_t> first(split.inputs[0].extents.size(), 0);
    first[1] = c * plan.rows();
    split.shares.push_back({.kernel = 0,
                            .inputs = {{first, inner.inputs[0].extents}},
                            .outputs = {{{c * plan.cores, 0, 0, 0}, plan.buffer().extents}}});
  }
  return split;
}

group_split columns_of(const exchange& plan, const fft_problem& p,
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
  group_split split{.name = kernel.program.name, .machine = machine, .kernels = {kernel}};
  split.inputs = {{{plan.cores * plan.cores, 2, plan.rows(), plan.columns()}}};
  split.outputs = {{{2, plan.n1, plan.width}}};
  split.design = kernel.design;
  for (std::int64_t c = 0; c < plan.cores; ++c)
    split.shares.push_back(
        {.kernel = 0,
         .inputs = {{{c * plan.cores, 0, 0, 0}, plan.buffer().extents}},
         .outputs = {{{0, 0, c * plan.columns()}, {2, plan.n1, plan.columns()}}}});
  return split;
}

template <class Operand>
std::vector<std::vector<Operand>> lists_of(const std::vector<device_buffer>& buffers) {
  std::vector<std::vector<Operand>> all;
  for (const device_buffer& b : buffers) all.push_back({Operand(b)});
  return all;
}

}  // namespace

array_fft::array_fft(device_group& on, const fft_problem& problem,
                     const fft_kernel_options& options, run_mode mode)
    : on_(&on),
      mode_(mode),
      slices_(on, slices_of(plan_of(problem, on.cores()), problem, options, on.machine()), mode),
      columns_(on, columns_of(plan_of(problem, on.cores()), problem, options, on.machine()), mode),
      sent_(on.allocate(plan_of(problem, on.cores()).buffer())),
      received_(on.allocate(plan_of(problem, on.cores()).buffer())) {}

std::string array_fft::explain() const {
  return message("slices of the first axis, then columns along it, on ", on_->cores(), " cores\n",
                 slices_.what().explain(), columns_.what().explain());
}

double array_fft::expected_error() const {
  const double a = slices_.what().kernels[0].expected_error,
               b = columns_.what().kernels[0].expected_error;
  return square_root(a * a + b * b);
}

void array_fft::run(const launch_input& in, const launch_output& out) const {
  std::vector<std::vector<launch_input>> slices;
  for (const core_share& s : slices_.what().shares)
    slices.push_back({in.part(s.inputs[0].first, s.inputs[0].extents)});
  slices_.run_apart(slices, lists_of<launch_output>(sent_));
  on_->all_to_all(sent_, received_, mode_);
  std::vector<std::vector<launch_output>> columns;
  for (const core_share& s : columns_.what().shares)
    columns.push_back({out.part(s.outputs[0].first, s.outputs[0].extents)});
  columns_.run_apart(lists_of<launch_input>(received_), columns);
}

}  // namespace papilio::kernels_detail
