#include "contract/lowered_plan.hpp"

#include <algorithm>
#include <utility>

#include "base/labels.hpp"
#include "base/lines.hpp"
#include "contract/device_plan.hpp"
#include "contract/workspace_plan.hpp"
#include "papilio/base/error.hpp"

namespace papilio::contract_detail {
namespace {

using base_detail::has;

// Larger workspaces are had anew for each execution.
constexpr std::size_t most_kept_bytes = std::size_t{64} << 20;

std::vector<std::size_t> extents_of(const std::vector<int>& labels,
                                    const contraction_network& network) {
  std::vector<std::size_t> extents;
  for (int label : labels) extents.push_back(network.sizes[static_cast<std::size_t>(label)]);
  return extents;
}

layout row_major(std::vector<int> labels, const contraction_network& network) {
  layout result{std::move(labels), {}, {}};
  result.extents = extents_of(result.labels, network);
  result.strides = base_detail::gapless_strides(result.extents);
  return result;
}

std::size_t elements_of(const layout& l) {
  if (std::ranges::find(l.extents, std::size_t{0}) != l.extents.end()) return 0;
  std::size_t product = 1;
  for (std::size_t e : l.extents) product = checked_multiply(product, e, "contraction: size");
  return product;
}

// Labels of the two that the rest, or the result, still needs.
std::vector<int> labels_left(const layout& left, const layout& right,
                             const std::vector<step_source>& rest, const layout& out) {
  std::vector<int> kept;
  for (const layout* operand : {&left, &right})
    for (int label : operand->labels) {
      const bool is_needed =
          has(out.labels, label) || std::ranges::any_of(rest, [&](const step_source& s) {
            return has(s.lies.labels, label);
          });
      if (is_needed && !has(kept, label)) kept.push_back(label);
    }
  return kept;
}

std::size_t scratch_of(const lowered_step& step) {
  const pair_design* pair = std::get_if<pair_design>(&step.work);
  return pair == nullptr ? 0 : pair->scratch_size();
}

}  // namespace

std::size_t size_of(element_type type) {
  switch (type) {
    case element_type::float32:
      return sizeof(float);
    case element_type::float64:
      return sizeof(double);
    case element_type::complex64:
      return sizeof(std::complex<float>);
    case element_type::complex128:
      break;
  }
  return sizeof(std::complex<double>);
}

const char* to_string(element_type type) {
  switch (type) {
    case element_type::float32:
      return "float";
    case element_type::float64:
      return "double";
    case element_type::complex64:
      return "complex float";
    case element_type::complex128:
      break;
  }
  return "complex double";
}

lowered_plan::lowered_plan(plan_problem problem, contraction_path path, const execution& on)
    : problem_(std::move(problem)), path_(std::move(path)), on_(on) {
  const contraction_network& network = problem_.expression.network;
  out_extents_ = extents_of(network.output, network);
  problem_.conjugate.resize(network.inputs.size());
  add_loops();
  add_steps();
  if (on_.where == policy::host) {
    require_host_execution("einsum", on_);
    return;
  }
  contraction_problem whole = problem_of(problem_, path_, steps_);
  accelerator* const where = accelerator_for("einsum", whole, on_);
  if (where == nullptr) return;
  device_ = device_plan{where, std::move(whole)};
  life_ = where->life();
  scratch_offset_ = scratch_size_ = 0;  // the accelerator has its own
}

lowered_plan::~lowered_plan() { delete kept_.load(); }

void lowered_plan::add_loops() {
  const contraction_network& network = problem_.expression.network;
  const auto step_of = [](const std::vector<int>& axes, const std::vector<std::ptrdiff_t>& strides,
                          int label) {
    std::ptrdiff_t step = 0;  // the sum of both where it is a diagonal
    for (std::size_t axis = 0; axis < axes.size(); ++axis)
      if (axes[axis] == label) step += strides[axis];
    return step;
  };
  for (int label : path_.sliced) {
    slice_loop loop{.label = label, .size = network.sizes[static_cast<std::size_t>(label)]};
    for (std::size_t i = 0; i < network.inputs.size(); ++i)
      loop.steps.push_back(step_of(problem_.expression.axes[i], problem_.strides[i], label));
    loop.out_step = step_of(network.output, problem_.out_strides, label);
    // Labels of the result outside: of what is summed, the first then begins each part.
    const bool is_output = has(network.output, label);
    const auto place =
        is_output ? std::ranges::find_if(
                        loops_, [&](const slice_loop& l) { return !has(network.output, l.label); })
                  : loops_.end();
    loops_.insert(place, std::move(loop));
  }
}

std::size_t lowered_plan::slices() const {
  std::size_t count = 1;
  for (const slice_loop& loop : loops_)
    count = checked_multiply(count, loop.size, "contraction: slices");
  return count;
}

step_source lowered_plan::operand(std::size_t index) const {
  const contraction_network& network = problem_.expression.network;
  step_source source{.is_operand = true, .index = index, .offset = 0, .lies = {}};
  const std::vector<int>& axes = problem_.expression.axes[index];
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    if (axes[axis] < 0 || has(path_.sliced, axes[axis])) continue;
    source.lies.labels.push_back(axes[axis]);
    source.lies.extents.push_back(network.sizes[static_cast<std::size_t>(axes[axis])]);
    source.lies.strides.push_back(problem_.strides[index][axis]);
  }
  return source;
}

layout lowered_plan::result_layout() const {
  const contraction_network& network = problem_.expression.network;
  layout result;
  for (std::size_t axis = 0; axis < network.output.size(); ++axis) {
    if (has(path_.sliced, network.output[axis])) continue;
    result.labels.push_back(network.output[axis]);
    result.extents.push_back(out_extents_[axis]);
    result.strides.push_back(problem_.out_strides[axis]);
  }
  return result;
}

void lowered_plan::add_steps() {
  const contraction_network& network = problem_.expression.network;
  const layout out = result_layout();
  std::vector<step_source> there;
  for (std::size_t i = 0; i < network.inputs.size(); ++i) there.push_back(operand(i));
  const auto conjugates = [&](const step_source& s) {
    return s.is_operand && problem_.conjugate[s.index];
  };
  if (there.size() == 1) {
    steps_.push_back({.left = there[0],
                      .right = {},
                      .work = unary_design(there[0].lies, out, conjugates(there[0])),
                      .result = out,
                      .writes_out = true});
    return;
  }
  workspace_plan workspace;
  for (const auto& [first, second] : path_.pairs) {
    const step_source left = there[first], right = there[second];
    there.erase(there.begin() + static_cast<std::ptrdiff_t>(std::max(first, second)));
    there.erase(there.begin() + static_cast<std::ptrdiff_t>(std::min(first, second)));
    const bool is_last = there.empty();
    layout result = out;
    if (!is_last) {
      const std::vector<int> kept = labels_left(left.lies, right.lies, there, out);
      result = row_major(natural_output_order(left.lies, right.lies, kept), network);
    }
    const bool left_conjugate = conjugates(left), right_conjugate = conjugates(right);
    lowered_step step{
        .left = left,
        .right = right,
        .work = pair_design(left.lies, right.lies, result, left_conjugate, right_conjugate),
        .result = result,
        .writes_out = is_last};
    if (!is_last) step.offset = workspace.reserve(elements_of(result));
    for (const step_source* s : {&left, &right})
      if (!s->is_operand) workspace.release(s->offset);
    scratch_size_ = std::max(scratch_size_, scratch_of(step));
    if (!is_last)
      there.push_back({.is_operand = false, .index = 0, .offset = step.offset, .lies = result});
    steps_.push_back(std::move(step));
  }
  scratch_offset_ = workspace.size();
}

std::unique_ptr<array<std::byte, 1>> lowered_plan::take_workspace() const {
  if (array<std::byte, 1>* kept = kept_.exchange(nullptr))
    return std::unique_ptr<array<std::byte, 1>>(kept);
  const std::size_t bytes =
      checked_multiply(workspace_size(), size_of(problem_.type), "contraction: workspace");
  return std::make_unique<array<std::byte, 1>>(bytes, uninitialized);
}

std::size_t lowered_plan::kept_bytes() const {
  const std::size_t bytes =
      checked_multiply(workspace_size(), size_of(problem_.type), "contraction: workspace");
  return bytes > most_kept_bytes ? 0 : bytes;
}

void lowered_plan::give_workspace(std::unique_ptr<array<std::byte, 1>> memory) const {
  if (memory->size() > most_kept_bytes) return;
  delete kept_.exchange(memory.release());
}

}  // namespace papilio::contract_detail
