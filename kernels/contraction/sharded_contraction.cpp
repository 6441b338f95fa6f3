// Contractions by the cores of a group. One label is cut: each core has a range of its values.
// Operands that have the label are divided, the others are on all cores. If the result has the
// label each core makes a part of it; else the cores' sums are added up (all-reduce).
#include "papilio/kernels/contraction.hpp"

#include <algorithm>
#include <optional>

#include "base/labels.hpp"
#include "kernels/checks.hpp"
#include "kernels/contraction/program.hpp"
#include "kernels/groups/divided_works.hpp"
#include "papilio/base/error.hpp"

namespace papilio::kernels {
namespace {

using namespace engine;
using base_detail::has;
using namespace kernels_detail;
using base_detail::message;

// A row-major tensor as [before, along the label, after]. Without the label all of its elements are
// `before`.
struct cut_axis {
  bool is_cut = false;
  std::int64_t before = 1, along = 1, after = 1;

  // The shape with `values` values of the label; the planes of complex numbers are the first axis.
  tensor_shape shape(bool is_complex, std::int64_t values) const {
    if (is_complex) return {{2, before, values, after}};
    return {{before, values, after}};
  }
  template <class Operand>
  Operand of(const Operand& flat, bool is_complex) const {
    const int axis = is_complex ? 1 : 0;
    return flat.split_axis(axis, before).split_axis(axis + 1, along);
  }
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

// How each operand is cut; all terms that read it must agree.
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

}  // namespace

struct sharded_contraction::members {
  std::optional<device_group> on;  // the cores that have values of the label
  contraction_problem problem;
  int label;
  run_mode mode;
  std::vector<cut_axis> cuts;
  cut_axis result;
  std::vector<tensor_shape> inputs;  // shapes of whole operands
  tensor_shape output;
  std::vector<std::optional<gathered_tensor>> gathered;  // by operand
  std::vector<device_buffer> sums;                       // by core, where the label is summed
  std::optional<prepared_split> parts;

  members(device_group& group, const contraction_problem& of, int cut, run_mode how,
          const contraction_kernel_options& options)
      : problem(of), label(cut), mode(how) {
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
    on.emplace(group, int(std::min<std::int64_t>(group.cores(), size())));
    for (std::size_t o = 0; o < cuts.size(); ++o)
      gathered.push_back(cuts[o].is_cut ? std::nullopt : gathered_if_faster(*on, inputs[o]));
    if (!result.is_cut) sums = on->allocate(output);
    parts.emplace(*on, divided_by(by_label(options), on->machine()), mode);
  }

  std::int64_t size() const { return std::int64_t(problem.sizes[std::size_t(label)]); }

  division by_label(const contraction_kernel_options& options) const {
    const divided_axis along{.axis = problem.is_complex ? 2U : 1U};
    division d{.name = "contraction of a part", .ranges = even_ranges(size(), on->cores())};
    d.how = message(result.is_cut ? "parts of the result" : "parts of a sum", ": label ", label,
                    ", ", size(), " values in parts of up to ", d.ranges[0].count);
    for (std::size_t o = 0; o < cuts.size(); ++o) {
      if (cuts[o].is_cut)
        d.inputs.push_back({cuts[o].shape(problem.is_complex, cuts[o].along), along});
      else
        d.inputs.push_back({gathered[o] ? gathered[o]->shape() : inputs[o], {}});
      if (gathered[o])
        d.how += message("\noperand ", o, " goes up in pieces and is gathered over the links");
    }
    if (result.is_cut)
      d.outputs = {{result.shape(problem.is_complex, result.along), along}};
    else  // the cores' sums lie one after the other
      d.outputs = {{output, divided_axis{.step = output.extents[0], .by_core = true}}};
    if (!result.is_cut) d.outputs[0].whole.extents[0] *= on->cores();
    d.kernel_of = [this, options, whole = d.inputs](const index_range& range) {
      return part(range.count, whole, options);
    };
    return d;
  }

  // The kernel of a part with so many values of the label. It takes the elements of operands in
  // order, whatever their axes, so cut operands and results may have the shapes of cut_axis.
  sized_kernel part(std::int64_t values, const std::vector<divided_operand>& whole,
                    const contraction_kernel_options& options) const {
    contraction_problem some = problem;
    some.sizes[std::size_t(label)] = std::size_t(values);
    for (std::size_t o = 0; o < cuts.size(); ++o)
      if (cuts[o].is_cut) some.operands[o] = {std::size_t(cuts[o].before * values * cuts[o].after)};
    sized_kernel kernel = contraction_kernel(some, on->machine(), options);
    for (std::size_t o = 0; o < cuts.size(); ++o)
      kernel.inputs[o] =
          cuts[o].is_cut ? cuts[o].shape(problem.is_complex, values) : whole[o].whole;
    if (result.is_cut) kernel.outputs[0] = result.shape(problem.is_complex, values);
    return kernel;
  }

  void run(const std::vector<launch_input>& operands, const launch_output& out) {
    std::vector<launch_input> whole;
    for (std::size_t o = 0; o < operands.size(); ++o) {
      if (gathered[o]) gathered[o]->distribute(operands[o], mode);
      whole.push_back(cuts[o].is_cut ? cuts[o].of(operands[o], problem.is_complex)
                      : gathered[o]  ? launch_input(gathered[o]->shape())
                                     : operands[o]);
    }
    std::vector<std::vector<launch_input>> in = boxes_of(whole, parts->what(), &core_share::inputs);
    for (std::size_t o = 0; o < operands.size(); ++o)
      for (std::size_t c = 0; gathered[o] && c < in.size(); ++c)
        in[c][o] = gathered[o]->of_cores()[c];
    if (result.is_cut) {
      parts->run_apart(in, boxes_of(std::vector{result.of(out, problem.is_complex)}, parts->what(),
                                    &core_share::outputs));
      return;
    }
    parts->run_apart(in, lists_of<launch_output>(sums));
    if (sums.size() > 1) on->all_reduce(sums, mode);
    on->download(0, sums[0], out);
  }
};

sharded_contraction::sharded_contraction(device_group& on, const contraction_problem& problem,
                                         int label, run_mode mode,
                                         const contraction_kernel_options& options)
    : members_(std::make_shared<members>(on, problem, label, mode, options)) {}

bool sharded_contraction::is_summed() const { return !members_->result.is_cut; }
kernel_design sharded_contraction::design() const { return members_->parts->what().design; }

group_report sharded_contraction::run(const std::vector<launch_input>& operands,
                                      const launch_output& result) const {
  require_all_of_host("sharded_contraction", "operand", operands, members_->inputs);
  require_of_host("sharded_contraction: the result", result, members_->output);
  return phases_of(*members_->on, [&] { members_->run(operands, result); });
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
  return kernels_detail::times_of(cores, machine, runtime, options, [&](device_group& on) {
    return divided_contraction(on, problem, label, kernel, run_mode::dry_run);
  });
}

}  // namespace papilio::kernels

namespace papilio::kernels_detail {

using namespace engine;

divided_work divided_contraction(device_group& on, const contraction_problem& problem, int label,
                                 const kernels::contraction_kernel_options& options,
                                 run_mode mode) {
  const kernels::sized_kernel whole = kernels::contraction_kernel(problem, on.machine(), options);
  const kernels::sharded_contraction parts(on, problem, label, mode, options);
  return {.recipe = parts.design().explain(),
          .relative_error = whole.expected_error,
          .inputs = whole.inputs,
          .outputs = whole.outputs,
          .run = [parts](const auto& in, const auto& out) { parts.run(in, out[0]); }};
}

}  // namespace papilio::kernels_detail
