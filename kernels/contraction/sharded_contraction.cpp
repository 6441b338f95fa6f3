// Contractions by the cores of a group, cut along a label.
#include "papilio/kernels/contraction.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "base/labels.hpp"
#include "kernels/checks.hpp"
#include "kernels/contraction/program.hpp"
#include "kernels/contraction/shared_operand.hpp"
#include "kernels/design.hpp"
#include "kernels/tiles.hpp"
#include "papilio/base/error.hpp"

namespace papilio::kernels {
namespace {

using namespace engine;
using base_detail::has;
using base_detail::message;
using kernels_detail::operand_counts;
using kernels_detail::require;
using kernels_detail::require_of_host;
using kernels_detail::shared_operand;

// How a label is split.
struct label_split {
  int label = 0;
  std::int64_t values = 0, part = 0;  // of all cores; of the first, which has most
  bool is_summed = false;
  std::vector<std::size_t> gathered;  // operands that go up in pieces
  std::vector<kernel_design> parts;   // of each core; empty: idle

  auto fields() const { return std::tie(label, values, part, is_summed, gathered, parts); }
  std::string describe() const {
    std::string text = message(is_summed ? "parts of a sum" : "parts of the result", ": label ",
                               label, ", ", values, " values in parts of up to ", part, "\n");
    for (const std::size_t o : gathered)
      text += message("operand ", o, " goes up in pieces and is gathered over the links\n");
    return text + parts[0].explain();
  }
};

// Row-major elements as [before, along the label, after]; all of them are `before` without it.
struct cut_axis {
  bool is_cut = false;
  std::int64_t before = 1, along = 1, after = 1;
};

cut_axis cut_of(const contraction_problem& problem, const std::vector<int>& labels, int label) {
  cut_axis cut;
  for (const int l : labels) {
    const auto size = std::int64_t(problem.sizes[std::size_t(l)]);
    if (l == label) {
      cut.is_cut = true;
      cut.along = size;
    } else {
      (cut.is_cut ? cut.after : cut.before) *= size;
    }
  }
  return cut;
}

// Where each operand is cut.
std::vector<cut_axis> cuts_of(const contraction_problem& problem, int label) {
  std::vector<std::optional<cut_axis>> found(problem.operands.size());
  bool is_cut = false;
  for (const contraction_problem::step& step : problem.steps)
    for (const contraction_problem::term& term : step.of) {
      require(std::ranges::count(term.labels, label) <= 1, "sharded_contraction: label ", label,
              " repeats in a term");
      if (term.value >= found.size()) continue;
      const cut_axis cut = cut_of(problem, term.labels, label);
      is_cut = is_cut || cut.is_cut;
      std::optional<cut_axis>& known = found[term.value];
      require(!known || (known->is_cut == cut.is_cut && known->before == cut.before),
              "sharded_contraction: label ", label, " stands at different axes of operand ",
              term.value);
      known = cut;
    }
  require(is_cut, "sharded_contraction: no operand has label ", label);
  std::vector<cut_axis> cuts;
  for (std::size_t o = 0; o < found.size(); ++o)
    cuts.push_back(found[o].value_or(cut_axis{.before = operand_counts(problem)[o]}));
  return cuts;
}

// The part of a flat operand, as a core gets it: [before, values, after], behind the planes.
template <class Operand>
Operand part_of(const Operand& whole, const cut_axis& cut, bool is_complex,
                const index_range& values) {
  const int axis = is_complex ? 1 : 0;
  const Operand apart = whole.split_axis(axis, cut.before).split_axis(axis + 1, cut.along);
  std::vector<std::int64_t> first{0, values.first, 0}, extents{cut.before, values.count, cut.after};
  if (is_complex) {
    first.insert(first.begin(), 0);
    extents.insert(extents.begin(), 2);
  }
  return apart.part(first, extents);
}

hbm_view flat(const hbm_view& v, bool is_complex) {
  const std::int64_t count = v.elements();
  return is_complex ? v.reshape({2, count / 2}) : v.reshape({count});
}

// A kernel on parts that come as [before, values, after], and on operands that were gathered.
kernel on_parts(const sized_kernel& whole, bool is_complex,
                const std::vector<shared_operand>& shared) {
  return {.name = "contraction of a part",
          .parameters = whole.program.parameters,
          .body = [body = whole.program.body, is_complex, &shared](core& nc,
                                                                   const kernel_arguments& t) {
            std::vector<hbm_view> in, out;
            for (std::size_t i = 0; i < t.inputs(); ++i)
              in.push_back(shared[i].is_gathered() ? shared[i].whole(t.in(i))
                                                   : flat(t.in(i), is_complex));
            for (std::size_t i = 0; i < t.outputs(); ++i) out.push_back(flat(t.out(i), is_complex));
            body(nc, kernel_arguments(std::move(in), std::move(out)));
          }};
}

// What a core without values adds.
void zeros(core& nc, const kernel_arguments& t) {
  kernels_detail::fill_zeros(nc, t.out(0).reshape({1, t.out(0).elements()}));
}

}  // namespace

struct sharded_contraction::members {
  device_group* on;
  contraction_problem problem;
  contraction_kernel_options options;
  int label;
  run_mode mode;
  std::vector<cut_axis> cuts;
  cut_axis result;
  std::vector<index_range> ranges;     // of each core
  std::vector<kernel> programs;        // of each core
  std::vector<device_buffer> sums;     // of each core, where the label is summed
  std::vector<shared_operand> shared;  // of each operand
  std::vector<std::size_t> gathered;   // of them
  std::vector<tensor_shape> inputs;    // whole
  tensor_shape output;
  std::vector<kernel_design> parts;  // of each core

  members(device_group& group, const contraction_problem& of, int cut, run_mode how,
          const contraction_kernel_options& kernel)
      : on(&group), problem(of), options(kernel), label(cut), mode(how) {
    const sized_kernel whole =
        contraction_kernel(of, group.machine(), options);  // checks the problem
    require(of.results.size() == 1, "sharded_contraction: must have one result, got ",
            of.results.size());
    const bool is_sliced = std::ranges::any_of(
        of.loops, [&](const contraction_problem::loop& l) { return has(l.labels, cut); });
    require(cut >= 0 && cut < int(of.sizes.size()) && !is_sliced,
            "sharded_contraction: label must be in [0, ", of.sizes.size(), ") and not sliced, got ",
            cut);
    cuts = cuts_of(of, cut);
    result = cut_of(of, of.steps[of.results[0] - of.operands.size()].labels, cut);
    inputs = whole.inputs;
    output = whole.outputs[0];
    ranges = even_ranges(std::int64_t(of.sizes[std::size_t(cut)]), group.cores());
    for (std::size_t o = 0; o < cuts.size(); ++o) {
      shared.push_back(cuts[o].is_cut ? shared_operand()
                                      : shared_operand(group, inputs[o], of.is_complex));
      if (shared[o].is_gathered()) gathered.push_back(o);
    }
    for (const index_range& range : ranges) add_core(range);
    if (!result.is_cut) sums = group.allocate(output);
  }

  kernel_design design() const {
    return kernels_detail::design_of(
        label_split{.label = label,
                    .values = std::int64_t(problem.sizes[std::size_t(label)]),
                    .part = ranges[0].count,
                    .is_summed = !result.is_cut,
                    .gathered = gathered,
                    .parts = parts});
  }

  void add_core(const index_range& range) {
    if (range.count == 0) {
      parts.emplace_back();
      programs.push_back({.name = "contraction of a part",
                          .parameters = result.is_cut ? "idle" : "zeros",
                          .body = result.is_cut ? [](core&, const kernel_arguments&) {} : zeros});
      return;
    }
    contraction_problem part = problem;
    part.sizes[std::size_t(label)] = std::size_t(range.count);
    for (std::size_t o = 0; o < cuts.size(); ++o)
      if (cuts[o].is_cut)
        part.operands[o] = {std::size_t(cuts[o].before * range.count * cuts[o].after)};
    const sized_kernel sized = contraction_kernel(part, on->machine(), options);
    parts.push_back(sized.design);
    programs.push_back(on_parts(sized, problem.is_complex, shared));
  }

  void run(const std::vector<launch_input>& operands, const launch_output& out) const {
    std::vector<std::vector<launch_input>> in(ranges.size());
    std::vector<std::vector<launch_output>> results(ranges.size());
    for (const std::size_t o : gathered) shared[o].distribute(*on, operands[o], mode);
    for (std::size_t c = 0; c < ranges.size(); ++c) {
      for (std::size_t o = 0; o < operands.size() && ranges[c].count > 0; ++o)
        in[c].push_back(cuts[o].is_cut
                            ? part_of(operands[o], cuts[o], problem.is_complex, ranges[c])
                        : shared[o].is_gathered() ? launch_input(shared[o].of_core(c))
                                                  : operands[o]);
      if (!result.is_cut)
        results[c].emplace_back(sums[c]);
      else if (ranges[c].count > 0)
        results[c].push_back(part_of(out, result, problem.is_complex, ranges[c]));
    }
    on->run(programs, in, results, mode);
    if (result.is_cut) return;
    if (ranges.size() > 1) on->all_reduce(sums, mode);
    on->download(0, sums[0], out);
  }
};

sharded_contraction::sharded_contraction(device_group& on, const contraction_problem& problem,
                                         int label, run_mode mode,
                                         const contraction_kernel_options& options)
    : members_(std::make_unique<members>(on, problem, label, mode, options)) {}
sharded_contraction::~sharded_contraction() = default;
sharded_contraction::sharded_contraction(sharded_contraction&&) noexcept = default;
sharded_contraction& sharded_contraction::operator=(sharded_contraction&&) noexcept = default;

bool sharded_contraction::is_summed() const { return !members_->result.is_cut; }
kernel_design sharded_contraction::design() const { return members_->design(); }

group_report sharded_contraction::run(const std::vector<launch_input>& operands,
                                      const launch_output& result) const {
  require(operands.size() == members_->inputs.size(), "sharded_contraction: takes ",
          members_->inputs.size(), " operands, got ", operands.size());
  for (std::size_t o = 0; o < operands.size(); ++o)
    require_of_host(message("sharded_contraction: operand ", o), operands[o], members_->inputs[o]);
  require_of_host("sharded_contraction: the result", result, members_->output);
  const std::size_t before = members_->on->report().phases.size();
  members_->run(operands, result);
  const std::vector<group_phase>& phases = members_->on->report().phases;
  return {.phases = {phases.begin() + std::ptrdiff_t(before), phases.end()}};
}

int widest_label(const contraction_problem& problem, int cores) {
  require(!problem.sizes.empty() && problem.results.size() == 1,
          "widest_label: the problem must have labels and one result");
  const std::vector<int>& out = problem.steps[problem.results[0] - problem.operands.size()].labels;
  int of_result = -1, of_sums = -1;
  for (int label = 0; label < int(problem.sizes.size()); ++label) {
    int& widest = has(out, label) ? of_result : of_sums;
    if (widest < 0 || problem.sizes[std::size_t(label)] > problem.sizes[std::size_t(widest)])
      widest = label;
  }
  const auto size = [&](int label) {
    return label < 0 ? 0 : std::int64_t(problem.sizes[std::size_t(label)]);
  };
  return size(of_result) >= std::min<std::int64_t>(cores, std::max(size(of_sums), size(of_result)))
             ? of_result
             : of_sums;
}

group_times time_sharded_contraction(const contraction_problem& problem, int label, int cores,
                                     const machine_spec& machine, const runtime_spec& runtime,
                                     const group_options& options,
                                     const contraction_kernel_options& kernel) {
  device_group group(machine, runtime, cores, options);
  const sharded_contraction parts(group, problem, label, run_mode::dry_run, kernel);
  const sized_kernel whole = contraction_kernel(problem, machine, kernel);
  group_times times =
      times_of(parts.run({whole.inputs.begin(), whole.inputs.end()}, whole.outputs[0]), cores);
  times.explanation = parts.design().explain();
  return times;
}

}  // namespace papilio::kernels
