#include "decompose/runner.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "decompose/mode_split.hpp"
#include "papilio/base/error.hpp"
#include "papilio/dispatch/device_array.hpp"

namespace papilio::decompose_detail {
namespace {

using base_detail::message;

constexpr std::array<std::ptrdiff_t, 1> gapless{1};

shared_tensor uploaded(accelerator& on, const void* x, const std::vector<std::size_t>& extents) {
  const std::array<std::size_t, 1> count{product_of(extents)};
  return dispatch_detail::uploaded(on, {extents, false},
                                   untyped_view<const void>(x, count, gapless));
}

void downloaded(device_tensor& from, void* to) {
  const std::array<std::size_t, 1> count{from.shape().count()};
  dispatch_detail::downloaded(from, untyped_view<void>(to, count, gapless));
}

device_graph captured(const char* function, accelerator& on, const contraction_problem& problem,
                      std::span<const step_input> in, std::span<const step_output> out) {
  const operand_shapes shapes = shapes_of(problem);
  return capture(on, [&] {
    std::vector<device_input> inputs;
    for (std::size_t i = 0; i < in.size(); ++i)
      inputs.emplace_back(in[i].tensor ? in[i].tensor
                                       : uploaded(on, in[i].host, shapes.in[i].extents));
    std::vector<device_output> outputs;
    for (std::size_t i = 0; i < out.size(); ++i)
      outputs.emplace_back(out[i].tensor ? out[i].tensor : new_tensor(on, shapes.out[i], function));
    run_on(function, on, problem, {}, inputs, outputs);
    for (std::size_t i = 0; i < out.size(); ++i)
      if (out[i].host != nullptr) downloaded(*outputs[i].tensor, out[i].host);
  });
}

// A step with the elements that go up to it and come back from it.
submission cost_of(contraction_problem problem, std::span<const step_input> in,
                   std::span<const step_output> out) {
  const operand_shapes shapes = shapes_of(problem);
  std::size_t up = 0, back = 0;
  for (std::size_t i = 0; i < in.size(); ++i)
    if (in[i].host != nullptr) up += shapes.in[i].count();
  for (std::size_t i = 0; i < out.size(); ++i)
    if (out[i].host != nullptr) back += shapes.out[i].count();
  submission s{.steps = {{.what = std::move(problem)}}, .arrays = {}};
  if (up > 0) s.arrays.in = {{{up}, false}};
  if (back > 0) s.arrays.out = {{{back}, false}};
  return s;
}

}  // namespace

runner::runner(const char* function, const execution& on, real_type type,
               function_ref<void(runner&)> algorithm)
    : function_(function), type_(type), threads_(on.threads) {
  thread_count(on.threads);
  if (on.precision != precision_options{})
    throw invalid_argument(message(
        function, ": a decomposition computes in native precision only, another was asked for"));
  if (dispatch_detail::is_plain_host(on)) return;
  runner dry(function, type);
  algorithm(dry);
  // Where nothing is computed, what may not run on the accelerator is refused all the same.
  if (std::ranges::all_of(dry.work_, [](const submission& s) { return s.steps.empty(); }))
    dry.work_ = {{.steps = {{.what = gemm_problem{.type = type}}}, .arrays = {}}};
  device_ = place(function, dry.work_, on, host_roofline());
  if (device_ != nullptr) dispatch_detail::require_no_capture(function, *device_);
}

shared_tensor runner::up(const void* x, std::span<const std::size_t> extents) {
  const std::vector<std::size_t> all(extents.begin(), extents.end());
  if (is_dry_) {
    work_.push_back({.steps = {}, .arrays = {{{all, false}}, {}}, .times = times_});
    return nullptr;
  }
  try {
    shared_tensor tensor = uploaded(*device_, x, all);
    runs_.add(last_run());
    return tensor;
  } catch (const device_error& e) {
    throw device_error(message(function_, ": ", e.what()));
  }
}

shared_tensor runner::room(const operand_shape& shape) {
  return is_dry_ ? nullptr : new_tensor(*device_, shape, function_);
}

void runner::fetch(const shared_tensor& from, std::size_t count, void* to) {
  if (is_dry_) {
    work_.push_back({.steps = {}, .arrays = {{}, {{{count}, false}}}, .times = times_});
    return;
  }
  downloaded(*from, to);
  runs_.add(last_run());
}

double runner::relative_error(const contraction_problem& problem) {
  return program_on(function_, *device_, problem, {})->relative_error();
}

void runner::note(run_step step) {
  run_record told;
  told.steps = {std::move(step)};
  runs_.add(told);
}

void runner::record(const char* what, std::span<const std::size_t> extents) {
  if (device_ != nullptr) {
    runs_.backend = device_backend_name;
    runs_.machine = device_->name();
    runs_.operation = message(what, " of ");
    for (std::size_t mode = 0; mode < extents.size(); ++mode)
      runs_.operation += message(mode == 0 ? "" : "x", extents[mode]);
    return dispatch_detail::record_run(std::move(runs_));
  }
  const auto text = [](const void* name) { return std::string(static_cast<const char*>(name)); };
  dispatch_detail::record_host_run(
      "host", std::shared_ptr<const void>(std::shared_ptr<void>(), what), text, nullptr);
}

device_step::device_step(runner& on, std::string name, contraction_problem problem,
                         std::span<const step_input> in, std::span<const step_output> out)
    : on_(&on), name_(std::move(name)) {
  problem.type = on.type_;
  if (on.is_dry())
    cost_ = cost_of(std::move(problem), in, out);
  else
    graph_ = captured(on.function_, *on.device_, problem, in, out);
}

void device_step::run() {
  if (!graph_) {
    cost_.times = on_->times_;
    on_->work_.push_back(cost_);
    return;
  }
  run_record record = graph_->submit();
  record.steps = {
      {.name = name_, .recipe = record.recipe, .device_seconds = record.device_seconds}};
  on_->runs_.add(record);
}

}  // namespace papilio::decompose_detail
