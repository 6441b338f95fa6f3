#include "decompose/side.hpp"

#include <memory>
#include <utility>

#include "papilio/base/error.hpp"
#include "papilio/base/parallel_for.hpp"
#include "papilio/dispatch/capture.hpp"

namespace papilio::decompose_detail {

using base_detail::message;

pipeline_step step_of(const contraction_problem& problem, std::size_t times, std::size_t floats_in,
                      std::size_t floats_out) {
  pipeline_step step{.what = problem, .precision = {}, .times = times, .arrays = {}};
  if (floats_in > 0) step.arrays.in = {{{floats_in}, false}};
  if (floats_out > 0) step.arrays.out = {{{floats_out}, false}};
  return step;
}

accelerator* side_of(const char* function, const execution& on, function_ref<side_work()> work) {
  thread_count(on.threads);
  if (on.precision != precision_options{})
    throw invalid_argument(message(
        function, ": a decomposition computes in native precision only, another was asked for"));
  if (on.where == policy::host && on.backend.empty()) return nullptr;
  const side_work all = work();
  accelerator* const device = place(function, all.steps, all.arrays, on);
  if (device != nullptr) dispatch_detail::require_no_capture(function, *device);
  return device;
}

void record_host(const char* operation) {
  const auto text = [](const void* name) { return std::string(static_cast<const char*>(name)); };
  dispatch_detail::record_host_run(
      "host", std::shared_ptr<const void>(std::shared_ptr<void>(), operation), text, nullptr);
}

void record_device(run_record sum, std::string operation) {
  sum.operation = std::move(operation);
  dispatch_detail::record_run(std::move(sum));
}

std::string operation_text(const char* what, std::span<const std::size_t> extents) {
  std::string text = message(what, " of ");
  for (std::size_t mode = 0; mode < extents.size(); ++mode)
    text += message(mode == 0 ? "" : "x", extents[mode]);
  return text;
}

}  // namespace papilio::decompose_detail
