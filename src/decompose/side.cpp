#include "decompose/side.hpp"

#include <memory>
#include <utility>

#include "papilio/base/error.hpp"
#include "papilio/base/parallel_for.hpp"
#include "papilio/dispatch/device_program.hpp"

namespace papilio::decompose_detail {

using base_detail::message;

submission upload_of(std::span<const std::size_t> extents) {
  return {.steps = {}, .arrays = {{{{extents.begin(), extents.end()}, false}}, {}}};
}

submission dispatch_of(const contraction_problem& problem, std::size_t times, std::size_t floats_in,
                       std::size_t floats_out) {
  submission s{.steps = {{.what = problem}}, .arrays = {}, .times = times};
  if (floats_in > 0) s.arrays.in = {{{floats_in}, false}};
  if (floats_out > 0) s.arrays.out = {{{floats_out}, false}};
  return s;
}

accelerator* side_of(const char* function, const execution& on, function_ref<side_work()> work) {
  thread_count(on.threads);
  if (on.precision != precision_options{})
    throw invalid_argument(message(
        function, ": a decomposition computes in native precision only, another was asked for"));
  if (on.where == policy::host && on.backend.empty()) return nullptr;
  accelerator* const device = place(function, work(), on, host_roofline());
  if (device != nullptr) dispatch_detail::require_no_capture(function, *device);
  return device;
}

void require_host(const char* function, const execution& on) {
  if (on.where == policy::device)
    throw device_error(message(function, ": it computes in double, which no accelerator does"));
  execution host = on;
  host.where = policy::host;
  side_of(function, host, [] {
    return side_work{{.steps = {{.what = gemm_problem{.type = real_type::double_precision}}}}};
  });
}

void record_side(const accelerator* device, const char* what, std::span<const std::size_t> extents,
                 run_record runs) {
  if (device != nullptr) {
    runs.backend = device_backend_name;
    runs.machine = device->name();
    runs.operation = message(what, " of ");
    for (std::size_t mode = 0; mode < extents.size(); ++mode)
      runs.operation += message(mode == 0 ? "" : "x", extents[mode]);
    return dispatch_detail::record_run(std::move(runs));
  }
  const auto text = [](const void* name) { return std::string(static_cast<const char*>(name)); };
  dispatch_detail::record_host_run(
      "host", std::shared_ptr<const void>(std::shared_ptr<void>(), what), text, nullptr);
}

}  // namespace papilio::decompose_detail
