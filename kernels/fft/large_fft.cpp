// One transform by all cores of a group: two dispatches with an all-to-all between them.
#include <utility>

#include "kernels/fft/error_model.hpp"
#include "kernels/fft/fft_design.hpp"
#include "kernels/fft/large_fft_design.hpp"
#include "papilio/base/error.hpp"
#include "papilio/kernels/fft.hpp"

namespace papilio::kernels {
namespace {

using base_detail::message;
using namespace engine;
using namespace kernels_detail;

// One of the dispatches of a transform by several cores.
struct dispatch_design {
  exchange_plan plan = {};
  std::vector<kernel_design> kernels = {};

  auto fields() const { return std::tie(plan, kernels); }
  std::string describe() const { return kernels.front().explain(); }
};

void set_design(group_split& split, const exchange_plan& plan) {
  dispatch_design design{plan, {}};
  for (const sized_kernel& kernel : split.kernels) design.kernels.push_back(kernel.design);
  split.design = kernels_detail::design_of(std::move(design));
}

group_split column_split(const exchange_plan& plan, const fft_problem& line,
                         const machine_spec& machine) {
  group_split split{.name = "large_fft columns", .machine = machine};
  split.inputs = {{{2, plan.n1, plan.n2}}};
  const std::int64_t p = plan.cores;
  split.outputs = {{{p * p, plan.lanes, 2, plan.rows}}};
  for (int c = 0; c < plan.cores; ++c) {
    const index_range own = plan.columns_of(c);
    split.kernels.push_back(column_kernel(plan, c, line.is_inverse(), machine));
    split.shares.push_back({.kernel = c,
                            .inputs = {{{0, 0, own.first}, {2, plan.n1, own.count}}},
                            .outputs = {{{c * p, 0, 0, 0}, {p, plan.lanes, 2, plan.rows}}}});
  }
  set_design(split, plan);
  return split;
}

group_split row_split(const exchange_plan& plan, const fft_problem& line, double scale,
                      const machine_spec& machine) {
  group_split split{.name = "large_fft rows", .machine = machine};
  const std::int64_t p = plan.cores;
  split.inputs = {{{p * p, plan.lanes, 2, plan.rows}}};
  split.outputs = {{{2, plan.n2, plan.n1}}};
  std::int64_t sized = 0;
  for (int c = 0; c < plan.cores; ++c) {
    const index_range own = plan.rows_of(c);
    core_share& share = split.shares.emplace_back();
    if (own.count == 0) continue;
    if (own.count != sized)
      split.kernels.push_back(row_kernel(plan, own.count, line.is_inverse(), scale, machine));
    sized = own.count;
    share = {.kernel = int(split.kernels.size()) - 1,
             .inputs = {{{c * p, 0, 0, 0}, {p, plan.lanes, 2, plan.rows}}},
             .outputs = {{{0, 0, own.first}, {2, plan.n2, own.count}}}};
  }
  set_design(split, plan);
  return split;
}

group_split alone_split(const exchange_plan& plan, const fft_problem& line,
                        const fft_kernel_options& options, const machine_spec& machine) {
  group_split split{.name = "large_fft", .machine = machine};
  fft_problem column = line;
  column.extents.push_back(1);
  split.kernels = {fft_kernel(column, machine, options)};
  split.inputs = split.outputs = split.kernels[0].inputs;
  split.shares.resize(std::size_t(plan.cores));
  split.shares[0] = {.kernel = 0,
                     .inputs = {{{0, 0, 0}, {2, plan.n2, 1}}},
                     .outputs = {{{0, 0, 0}, {2, plan.n2, 1}}}};
  set_design(split, plan);
  return split;
}

template <class Operand>
std::vector<std::vector<Operand>> parts_of(const Operand& whole, const group_split& split,
                                           std::vector<tensor_part> core_share::*parts) {
  std::vector<std::vector<Operand>> all;
  for (const core_share& share : split.shares) {
    all.emplace_back();
    if (share.kernel < 0) continue;
    const tensor_part& p = (share.*parts)[0];
    all.back().push_back(whole.part(p.first, p.extents));
  }
  return all;
}

template <class Operand>
std::vector<std::vector<Operand>> lists_of(const std::vector<device_buffer>& buffers) {
  std::vector<std::vector<Operand>> all;
  for (const device_buffer& b : buffers) {
    all.emplace_back();
    if (!b.empty()) all.back().emplace_back(b);
  }
  return all;
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

}  // namespace

struct large_fft::members {
  device_group* on;
  fft_problem line;
  std::int64_t n;
  run_mode mode;
  exchange_plan plan;
  prepared_split first;  // all of it, where one core is alone
  std::unique_ptr<prepared_split> second = {};
  std::vector<device_buffer> sent = {}, received = {};

  members(device_group& group, const fft_problem& what, const fft_kernel_options& options,
          run_mode how)
      : on(&group),
        line(what),
        n(checked_length(what, options, group)),
        mode(how),
        plan(plan_exchange(n, group.cores(), group.machine())),
        first(group,
              plan.alone() ? alone_split(plan, line, options, group.machine())
                           : column_split(plan, line, group.machine()),
              how) {
    if (plan.alone()) return;
    second = std::make_unique<prepared_split>(
        group, row_split(plan, line, scale_of(line, options), group.machine()), how);
    sent = group.allocate(plan.buffer());
    received = group.allocate(plan.buffer());
  }

  void require(const char* argument, const launch_operand& given) const {
    const tensor_shape wanted{{2, n}};
    if (given.from() == launch_operand::source::buffer)
      throw invalid_argument(message("large_fft: ", argument, ": is a buffer of one core"));
    if (given.shape() != wanted)
      throw shape_error(message("large_fft: ", argument, ": must be ", wanted.describe(), ", got ",
                                given.shape().describe()));
  }

  void run(const launch_input& in, const std::vector<std::vector<launch_output>>& out) const {
    const launch_input cut = in.split_axis(1, plan.alone() ? n : plan.n1);
    const auto inputs = parts_of(cut, first.what(), &core_share::inputs);
    if (plan.alone()) {
      first.run_apart(inputs, out);
      return;
    }
    first.run_apart(inputs, lists_of<launch_output>(sent));
    on->all_to_all(sent, received, mode);
    auto rows = lists_of<launch_input>(received);
    for (std::size_t c = 0; c < rows.size(); ++c)
      if (second->what().shares[c].kernel < 0) rows[c].clear();
    second->run_apart(rows, out);
  }
};

large_fft::large_fft(device_group& on, const fft_problem& line, const fft_kernel_options& options,
                     run_mode mode)
    : members_(std::make_unique<members>(on, line, options, mode)) {}
large_fft::~large_fft() = default;
large_fft::large_fft(large_fft&&) noexcept = default;
large_fft& large_fft::operator=(large_fft&&) noexcept = default;

const fft_problem& large_fft::problem() const { return members_->line; }
std::int64_t large_fft::rows() const { return members_->plan.n1; }
std::int64_t large_fft::columns() const { return members_->plan.n2; }

std::string large_fft::explanation() const {
  const exchange_plan& plan = members_->plan;
  if (plan.cores == 1) return members_->first.what().kernels[0].recipe();
  if (plan.alone())
    return message("core 0 alone: ", plan.n2, " points are not split over ", plan.cores, " cores\n",
                   members_->first.what().kernels[0].recipe());
  return message(plan.n1, " x ", plan.n2, " on ", plan.cores, " cores: up to ", plan.lanes,
                 " columns each, then up to ", plan.rows, " of k1\n",
                 members_->first.what().kernels[0].recipe(),
                 members_->second->what().kernels[0].recipe());
}

double large_fft::expected_error() const {
  const double a = members_->first.what().kernels[0].expected_error;
  if (members_->plan.alone()) return a;
  const double b = members_->second->what().kernels[0].expected_error;
  return square_root(a * a + b * b);
}

group_report large_fft::transform(const launch_input& in, const launch_output& out) const {
  members_->require("in", in);
  members_->require("out", out);
  const std::size_t before = members_->on->report().phases.size();
  const exchange_plan& plan = members_->plan;
  const group_split& last = plan.alone() ? members_->first.what() : members_->second->what();
  members_->run(in, parts_of(out.split_axis(1, plan.n2), last, &core_share::outputs));
  const std::vector<group_phase>& phases = members_->on->report().phases;
  return {.phases = {phases.begin() + std::ptrdiff_t(before), phases.end()}};
}

std::vector<device_buffer> large_fft::transform_apart(const launch_input& in) const {
  members_->require("in", in);
  std::vector<device_buffer> results;
  for (int c = 0; c < members_->on->cores(); ++c) {
    const std::int64_t count = own(c).count;
    results.push_back(count == 0 ? device_buffer()
                                 : members_->on->core(c).allocate({{2, columns(), count}}));
  }
  members_->run(in, lists_of<launch_output>(results));
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
  device_group group(machine, runtime, cores, options);
  const large_fft fft(group, line, {}, run_mode::dry_run);
  const tensor_shape planes{{2, fft.rows() * fft.columns()}};
  group_times times = times_of(fft.transform(launch_input(planes), launch_output(planes)), cores);
  times.explanation = fft.explanation();
  return times;
}

}  // namespace papilio::kernels
