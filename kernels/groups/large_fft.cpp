// One transform by all cores of a group: two dispatches with an all-to-all between them.
#include <utility>

#include "kernels/checks.hpp"
#include "kernels/groups/divided_works.hpp"
#include "kernels/groups/large_fft_design.hpp"
#include "kernels/transform/fft_design.hpp"
#include "papilio/base/error.hpp"
#include "papilio/kernels/fft.hpp"

namespace papilio::kernels {
namespace {

using base_detail::message;
using namespace engine;
using namespace kernels_detail;

// The axis along which the buffers of all cores lie.
constexpr std::size_t buffers = 0;

division columns_of(const exchange_plan& plan, const fft_problem& line,
                    const machine_spec& machine) {
  const std::int64_t p = plan.cores;
  division d{.name = "large_fft columns",
             .inputs = {{{{2, plan.n1, plan.n2}}, {{.axis = 2}}}},
             .outputs = {{{{p * p, plan.columns, 2, plan.rows}},
                          {{.axis = buffers, .step = p, .by_core = true}}}},
             .is_one_for_each = true,
             .kernel_of = [=, inverse = line.is_inverse()](const index_range& own) {
               return column_kernel(plan, own, inverse, machine);
             }};
  for (int c = 0; c < plan.cores; ++c) d.ranges.push_back(plan.columns_of(c));
  return d;
}

division rows_of(const exchange_plan& plan, const fft_problem& line, double scale,
                 const machine_spec& machine) {
  const std::int64_t p = plan.cores;
  division d{.name = "large_fft rows",
             .inputs = {{{{p * p, plan.columns, 2, plan.rows}},
                         {{.axis = buffers, .step = p, .by_core = true}}}},
             .outputs = {{{{2, plan.n2, plan.n1}}, {{.axis = 2}}}},
             .kernel_of = [=, inverse = line.is_inverse()](const index_range& own) {
               return row_kernel(plan, own.count, inverse, scale, machine);
             }};
  for (int c = 0; c < plan.cores; ++c) d.ranges.push_back(plan.rows_of(c));
  return d;
}

division alone(const exchange_plan& plan, const fft_problem& line,
               const fft_kernel_options& options, const machine_spec& machine) {
  fft_problem column = line;
  column.extents.push_back(1);
  const tensor_shape whole{{2, plan.n2, 1}};
  division d{.name = "large_fft",
             .ranges = {{0, 1}},
             .inputs = {{whole, {{.axis = 2}}}},
             .outputs = {{whole, {{.axis = 2}}}},
             .kernel_of = [=](const index_range&) { return fft_kernel(column, machine, options); }};
  d.ranges.resize(std::size_t(plan.cores));
  return d;
}

exchanged_split split_of(const exchange_plan& plan, const fft_problem& line,
                         const fft_kernel_options& options, device_group& on, run_mode mode) {
  const machine_spec& machine = on.machine();
  if (plan.alone()) return {on, divided_by(alone(plan, line, options, machine), machine), mode};
  return {on, divided_by(columns_of(plan, line, machine), machine),
          divided_by(rows_of(plan, line, scale_of(line, options), machine), machine), plan.buffer(),
          mode};
}

std::int64_t checked_length(const fft_problem& line, const fft_kernel_options& options,
                            const device_group& group) {
  if (!line.is_line())
    throw invalid_argument(
        message("large_fft: there must be one extent, got ", line.extents.size()));
  const std::int64_t n = checked_lines("large_fft", line, options).n;
  require_native("large_fft", options.precision);
  check_room("large_fft", 8 * n, group.machine(), group.cores());
  return n;
}

divided_work work_of_line(const large_fft& fft) {
  const tensor_shape planes{{2, fft.rows() * fft.columns()}};
  return {.recipe = fft.explanation(),
          .relative_error = fft.expected_error(),
          .inputs = {planes},
          .outputs = {planes},
          .run = [fft](const auto& in, const auto& out) { fft.transform(in[0], out[0]); }};
}

}  // namespace

struct large_fft::members {
  device_group* on;
  fft_problem line;
  std::int64_t n;
  exchange_plan plan;
  exchanged_split split;

  members(device_group& group, const fft_problem& what, const fft_kernel_options& options,
          run_mode mode)
      : on(&group),
        line(what),
        n(checked_length(what, options, group)),
        plan(plan_exchange(n, group.cores(), group.machine())),
        split(split_of(plan, line, options, group, mode)) {}

  launch_input cut(const launch_input& in) const {
    require_of_host("large_fft: in", in, {{2, n}});
    return in.split_axis(1, plan.alone() ? n : plan.n1);
  }
};

large_fft::large_fft(device_group& on, const fft_problem& line, const fft_kernel_options& options,
                     run_mode mode)
    : members_(std::make_shared<members>(on, line, options, mode)) {}

const fft_problem& large_fft::problem() const { return members_->line; }
std::int64_t large_fft::rows() const { return members_->plan.n1; }
std::int64_t large_fft::columns() const { return members_->plan.n2; }

std::string large_fft::explanation() const {
  const exchange_plan& plan = members_->plan;
  if (plan.cores == 1) return members_->split.first().kernels[0].recipe();
  if (plan.alone())
    return message("core 0 alone: ", plan.n2, " points are not split over ", plan.cores, " cores\n",
                   members_->split.first().kernels[0].recipe());
  return message(plan.n1, " x ", plan.n2, " on ", plan.cores, " cores: up to ", plan.columns,
                 " columns each, then up to ", plan.rows, " of k1\n",
                 members_->split.first().kernels[0].recipe(),
                 members_->split.last().kernels[0].recipe());
}

double large_fft::expected_error() const { return members_->split.expected_error(); }

group_report large_fft::transform(const launch_input& in, const launch_output& out) const {
  require_of_host("large_fft: out", out, {{2, members_->n}});
  return phases_of(*members_->on, [&] {
    members_->split.run(members_->cut(in), out.split_axis(1, members_->plan.n2));
  });
}

std::vector<device_buffer> large_fft::transform_apart(const launch_input& in) const {
  const launch_input cut = members_->cut(in);
  std::vector<device_buffer> results;
  for (int c = 0; c < members_->on->cores(); ++c) {
    const std::int64_t count = own(c).count;
    results.push_back(count == 0 ? device_buffer()
                                 : members_->on->core(c).allocate({{2, columns(), count}}));
  }
  members_->split.run_apart(cut, lists_of<launch_output>(results));
  return results;
}

index_range large_fft::own(int core) const {
  if (core < 0 || core >= members_->plan.cores)
    throw invalid_argument(
        message("large_fft::own: core must be in [0, ", members_->plan.cores, "), got ", core));
  return members_->plan.rows_of(core);
}

group_times time_large_fft(const fft_problem& line, int cores, const machine_spec& machine,
                           const runtime_spec& runtime, const group_options& options) {
  return kernels_detail::times_of(cores, machine, runtime, options, [&](device_group& on) {
    return work_of_line(large_fft(on, line, {}, run_mode::dry_run));
  });
}

}  // namespace papilio::kernels

namespace papilio::kernels_detail {

using namespace engine;

divided_work divided_line(device_group& on, const fft_problem& line,
                          const kernels::fft_kernel_options& options, run_mode mode) {
  const kernels::large_fft fft(on, line, options, mode);
  if (fft.rows() == 1) throw device_error(fft.explanation());
  return kernels::work_of_line(fft);
}

}  // namespace papilio::kernels_detail
