#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/labels.hpp"
#include "contract/device_plan.hpp"
#include "contract/lowered_plan.hpp"
#include "papilio/contract/contraction_plan.hpp"
#include "papilio/dispatch/comparison.hpp"
#include "papilio/dispatch/placement.hpp"

// Report of a plan: its costs are estimated from its steps.
namespace papilio {
namespace contract_detail {
namespace {

// Returns the time that the accelerator of the plan's execution would take, if it can run the plan.
std::optional<device_estimate> device_side_of(const lowered_plan& plan) {
  accelerator* const where = plan.on().on;
  if (where == nullptr) return std::nullopt;
  const contraction_problem problem = problem_of(plan.problem(), plan.path(), plan.steps());
  if (is_empty(problem)) return std::nullopt;
  execution on = plan.on();
  on.on = where;
  const comparison sides = explain(problem, on);
  if (!sides.device_can()) return std::nullopt;
  return sides.device;
}

// Adds times of the device to the steps, which its program names "step 1", "step 2" ...
void add_device_steps(std::vector<contraction_step>& steps,
                      const std::optional<device_estimate>& device, bool runs_there) {
  if (!device) return;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto named =
        std::ranges::find(device->steps, fmt::format("step {}", i + 1), &run_step::name);
    if (named == device->steps.end()) continue;
    steps[i].device_seconds = named->device_seconds;
    if (runs_there) steps[i].how = named->recipe;
  }
}

// Returns a term in letters where the labels have them, else in numbers between spaces.
std::string term_of(const std::vector<int>& labels, const contraction_network& network) {
  std::string term;
  for (int label : labels) {
    const auto at = static_cast<std::size_t>(label);
    const std::string name = at < network.names.size() ? network.names[at] : std::to_string(label);
    const bool is_letter = name.front() != '.' && (name.front() < '0' || name.front() > '9');
    if (!is_letter) term.append(term.empty() ? "" : " ");
    term.append(name);
  }
  return term;
}

std::string expression_of(const lowered_step& step, const contraction_network& network) {
  std::string text = term_of(step.left.lies.labels, network);
  if (step.is_pair()) text.append(",").append(term_of(step.right.lies.labels, network));
  return text.append("->").append(term_of(step.result.labels, network));
}

struct step_counts {
  double macs = 1;
  double summed = 1;  // values of the labels that are summed
  double elements = 1;
};

step_counts counts_of(const lowered_step& step, const contraction_network& network) {
  step_counts counts;
  std::vector<int> labels = step.left.lies.labels;
  labels.insert(labels.end(), step.right.lies.labels.begin(), step.right.lies.labels.end());
  std::ranges::sort(labels);
  labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
  for (int label : labels) {
    const auto size = static_cast<double>(network.sizes[static_cast<std::size_t>(label)]);
    const bool is_kept = base_detail::has(step.result.labels, label);
    counts.macs *= size;
    (is_kept ? counts.elements : counts.summed) *= size;
  }
  return counts;
}

// The step as a product of matrices, for the models of the host and of accelerators.
gemm_problem gemm_of(const lowered_step& step, const step_counts& counts, element_type type) {
  gemm_problem problem;
  if (const auto* pair = std::get_if<pair_design>(&step.work))
    problem = {.batch = pair->batch(), .m = pair->m(), .k = pair->k(), .n = pair->n()};
  else
    problem = {.m = static_cast<std::size_t>(counts.elements),
               .k = static_cast<std::size_t>(counts.summed)};
  problem.is_complex = type == element_type::complex64 || type == element_type::complex128;
  problem.type = type == element_type::float32 || type == element_type::complex64
                     ? real_type::single_precision
                     : real_type::double_precision;
  return problem;
}

double host_seconds_of(const gemm_problem& problem, const execution& on) {
  if (problem.batch * problem.m * problem.n * problem.k == 0) return 0;
  return estimate_on_host(problem, {.where = policy::host, .on = nullptr, .threads = on.threads},
                          host_roofline())
      .seconds;
}

std::string seconds_text(double seconds) {
  if (seconds >= 1) return fmt::format("{:.3g} s", seconds);
  if (seconds >= 1e-3) return fmt::format("{:.3g} ms", seconds * 1e3);
  return fmt::format("{:.3g} us", seconds * 1e6);
}

std::string bytes_text(double bytes) {
  if (bytes >= 1e9) return fmt::format("{:.3g} GB", bytes / 1e9);
  if (bytes >= 1e6) return fmt::format("{:.3g} MB", bytes / 1e6);
  if (bytes >= 1e3) return fmt::format("{:.3g} kB", bytes / 1e3);
  return fmt::format("{:.0f} bytes", bytes);
}

std::string whole_expression(const contraction_network& network) {
  std::string text;
  for (const std::vector<int>& input : network.inputs)
    text.append(text.empty() ? "" : ",").append(term_of(input, network));
  return text.append("->").append(term_of(network.output, network));
}

}  // namespace

double expected_error(const lowered_plan& plan, double unit) {
  double variance = 0;
  for (const lowered_step& step : plan.steps())
    variance += 1 + counts_of(step, plan.problem().expression.network).summed;
  return unit * std::sqrt(variance);
}

std::string summary_of(const void* plan) {
  const auto& lowered = *static_cast<const lowered_plan*>(plan);
  return "einsum " + whole_expression(lowered.problem().expression.network);
}

std::string recipe_of(const void* plan) {
  const auto& lowered = *static_cast<const lowered_plan*>(plan);
  std::string text;
  for (const lowered_step& step : lowered.steps()) {
    text.append(text.empty() ? "" : "; ");
    std::visit([&](const auto& work) { text.append(work.to_string()); }, step.work);
  }
  return text;
}

}  // namespace contract_detail

using namespace contract_detail;

std::vector<contraction_step> contraction_plan::steps() const {
  const contraction_network& network = plan_->problem().expression.network;
  const element_type type = plan_->problem().type;
  const double slices = plan_->path().slices;
  std::vector<contraction_step> steps;
  for (const lowered_step& step : plan_->steps()) {
    const step_counts counts = counts_of(step, network);
    contraction_step told{.expression = expression_of(step, network),
                          .kind = "permutation",
                          .how = {},
                          .macs = slices * counts.macs,
                          .flops = slices * counts.macs * (counts.summed > 1 ? 2 : 1),
                          .elements = counts.elements,
                          .backend = plan_->uses_device() ? "device" : "host"};
    if (const auto* pair = std::get_if<pair_design>(&step.work))
      told.kind = contract_detail::to_string(pair->kind());
    std::visit(
        [&](const auto& work) {
          told.how = work.to_string();
          told.bytes = slices * work.bytes(size_of(type));
        },
        step.work);
    if (!step.is_pair()) told.flops = counts.summed > 1 ? slices * counts.macs : 0;
    told.host_seconds = slices * host_seconds_of(gemm_of(step, counts, type), plan_->on());
    steps.push_back(std::move(told));
  }
  add_device_steps(steps, device_side_of(*plan_), plan_->uses_device());
  return steps;
}

std::string contraction_plan::backend() const { return plan_->uses_device() ? "device" : "host"; }

double contraction_plan::device_seconds() const {
  const std::optional<device_estimate> device = device_side_of(*plan_);
  return device ? device->seconds() : 0;
}

std::string contraction_plan::report() const {
  const contraction_network& network = plan_->problem().expression.network;
  const contraction_path& order = path();
  const std::vector<contraction_step> all = steps();
  double flops = 0, bytes = 0, host = 0;
  const std::optional<device_estimate> device = device_side_of(*plan_);
  for (const contraction_step& s : all) {
    flops += s.flops;
    bytes += s.bytes;
    host += s.host_seconds;
  }
  std::string text = fmt::format("einsum {} of {}, {} operand{}\n", whole_expression(network),
                                 contract_detail::to_string(plan_->problem().type),
                                 network.inputs.size(), network.inputs.size() == 1 ? "" : "s");
  text += fmt::format("runs on               {}\n", backend());
  if (network.inputs.size() > 2)
    text += fmt::format("order found by        {} in {}\n", papilio::to_string(order.search),
                        seconds_text(order.seconds));
  if (!order.sliced.empty())
    text += fmt::format("sliced                {:.0f} times, over {}\n", order.slices,
                        term_of(order.sliced, network));
  text += fmt::format("FLOPs                 {:.6g}\n", flops);
  text += fmt::format("bytes moved           {}\n", bytes_text(bytes));
  text += fmt::format("largest intermediate  {:.6g} elements\n", order.largest);
  text +=
      fmt::format("workspace             {}\n", bytes_text(static_cast<double>(workspace_bytes())));
  text += fmt::format("host, estimated       {}\n", seconds_text(host));
  if (device)
    text += fmt::format("device, modelled      {}: launch {}, copies {}, steps {}\n",
                        seconds_text(device->seconds()), seconds_text(device->launch_seconds),
                        seconds_text(device->upload_seconds + device->fetch_seconds),
                        seconds_text(device->device_seconds));
  for (std::size_t i = 0; i < all.size(); ++i) {
    const contraction_step& s = all[i];
    text += fmt::format("step {:<3} {}\n", i + 1, s.expression);
    text += fmt::format("         {}, {:.6g} FLOPs, {}, result of {:.6g} elements\n", s.how,
                        s.flops, bytes_text(s.bytes), s.elements);
    text += fmt::format("         host {}", seconds_text(s.host_seconds));
    if (s.device_seconds > 0) text += fmt::format(", device {}", seconds_text(s.device_seconds));
    text += fmt::format("; runs on {}\n", s.backend);
  }
  return text;
}

}  // namespace papilio
