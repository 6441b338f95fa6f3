#include "papilio/dispatch/placement.hpp"

#include <algorithm>
#include <utility>

#include "dispatch/program_store.hpp"
#include "dispatch/sides.hpp"
#include "papilio/base/error.hpp"
#include "papilio/dispatch/device_program.hpp"
#include "papilio/dispatch/host_model.hpp"

namespace papilio {

using base_detail::message;
using namespace dispatch_detail;

namespace {

using submissions_view = std::span<const submission>;

// Says why the accelerator may not run a step; empty where it may.
std::string refusal_of(const pipeline_step& step, const std::string& asked, const accelerator& on) {
  if (on.operations() == nullptr) return "it runs no operations";
  if (!asked.empty() && asked != device_backend_name)
    return message("backend \"", asked, "\" does not drive it");
  return on.operations()->refusal(step.what, step.precision, on);
}

// Says why the host may not run a step; empty where it may.
std::string host_refusal(const pipeline_step& step, const execution& on, const host_row& row) {
  if (step.is_device_only) return {};
  if (is_device_backend(on.backend))
    return message("backend \"", on.backend, "\" runs on a device");
  execution how = on;
  how.precision = step.precision;
  return host_answer_of(step.what, how, row).refusal;
}

// The first step that is refused, and why; an empty reason where none is.
struct refused_step {
  std::string why = {};
  const operation* what = nullptr;
};
template <class Refusal>
refused_step first_refusal(submissions_view all, const Refusal& refusal) {
  for (const submission& s : all)
    for (const pipeline_step& step : s.steps)
      if (std::string why = refusal(step); !why.empty()) return {std::move(why), &step.what};
  return {};
}

// Seconds of a graph's launch and of its copies.
double seconds_around(const device_backend& backend, const submission& s, const accelerator& on) {
  const double launch =
      s.steps.empty() ? 0 : backend.bound(s.steps[0].what, on).with_device_arrays().launch_seconds;
  return launch + backend.copy_seconds(s.arrays, on);
}

bool device_is_faster(submissions_view all, const execution& how, const host_row& row,
                      accelerator& on) {
  const device_backend& backend = backend_of("place", on);
  double host = 0, around = 0, bound = 0;
  for (const submission& s : all) {
    const auto times = static_cast<double>(s.times);
    const bool is_one = is_one_operation(s);
    if (!is_one) around += times * seconds_around(backend, s, on);
    for (const pipeline_step& step : s.steps) {
      if (!step.is_device_only) host += times * estimate_on_host(step.what, how, row).seconds;
      const device_estimate least = backend.bound(step.what, on);
      bound += times * (is_one ? least.seconds() : least.with_device_arrays().device_seconds);
    }
  }
  if (around + bound >= host) return false;
  try {
    double device = around;
    for (const submission& s : all)
      for (const pipeline_step& step : s.steps) {
        const device_estimate e = backend.estimate(step.what, step.precision, on);
        device += static_cast<double>(s.times) *
                  (is_one_operation(s) ? e.seconds() : e.with_device_arrays().device_seconds);
        if (device >= host) return false;
      }
  } catch (const error&) {
    return false;  // the device cannot do it after all: for its memory, or the target error
  }
  return true;
}

accelerator* place_automatically(const char* function, submissions_view all, const execution& how,
                                 const host_row& row) {
  accelerator* const device = how.on;
  const auto on_device = [&](const pipeline_step& s) {
    return refusal_of(s, how.backend, *device);
  };
  const refused_step not_host =
      first_refusal(all, [&](const pipeline_step& s) { return host_refusal(s, how, row); });
  const refused_step not_device =
      device == nullptr ? refused_step{"no accelerator is named"} : first_refusal(all, on_device);
  if (!not_host.why.empty() && !not_device.why.empty()) {
    const operation& what = not_device.what != nullptr ? *not_device.what : *not_host.what;
    throw invalid_argument(message(function, ": neither side can do ", to_string(what),
                                   ": the host: ", not_host.why, "; the device: ", not_device.why));
  }
  if (!not_host.why.empty()) return device;
  if (!not_device.why.empty()) return nullptr;
  const bool is_faster =
      device->programs().decision({.threads = how.threads,
                                   .backend = how.backend,
                                   .submissions = {all.begin(), all.end()},
                                   .host = current_host()},
                                  [&] { return device_is_faster(all, how, row, *device); });
  return is_faster ? device : nullptr;
}

}  // namespace

std::vector<std::string> backend_names(const host_row& host) {
  std::vector<std::string> names = host.backends;
  names.emplace_back(device_backend_name);
  return names;
}

void require_known_backend(const char* function, const std::string& name, const host_row& host) {
  std::string known;
  for (const std::string& one : backend_names(host)) {
    if (one == name) return;
    known.append(known.empty() ? "" : ", ").append(one);
  }
  throw invalid_argument(
      message(function, ": backend must be one of ", known, " in this build, got \"", name, "\""));
}

void require_valid_precision(const char* function, const precision_options& precision) {
  if (!(precision.target_error >= 0))
    throw invalid_argument(
        message(function, ": target_error must be at least 0, got ", precision.target_error));
  precision_options chosen = precision;
  chosen.target_error = 0;
  if (precision.target_error > 0 && chosen != precision_options{})
    throw invalid_argument(message(function, ": target_error, here ", precision.target_error,
                                   ", chooses mode, refinements and parts: none of them may be "
                                   "given with it"));
}

void require_host_precision(const char* function, const precision_options& precision,
                            double expected_error) {
  require_valid_precision(function, precision);
  if (precision.target_error > 0) {
    if (expected_error <= precision.target_error) return;
    throw invalid_argument(message(function, ": target_error must be at least ", expected_error,
                                   ", what the host is expected to reach, got ",
                                   precision.target_error));
  }
  if (precision.mode != precision::native)
    throw invalid_argument(
        message(function, ": the host computes in native precision only, another was asked for"));
}

accelerator* place(const char* function, const operation& what, const execution& on,
                   const host_row& host) {
  const submission one{{{.what = what, .precision = on.precision}},
                       on.where == policy::automatic ? shapes_of(what) : operand_shapes{}};
  return place(function, {&one, 1}, on, host);
}

accelerator* place(const char* function, std::span<const pipeline_step> steps,
                   const operand_shapes& arrays, const execution& on, const host_row& host) {
  const submission one{{steps.begin(), steps.end()}, arrays};
  return place(function, {&one, 1}, on, host);
}

accelerator* place(const char* function, submissions_view all, const execution& on,
                   const host_row& row) {
  if (on.threads < 0)
    throw invalid_argument(message(function, ": threads must be at least 0, got ", on.threads));
  if (!on.backend.empty()) require_known_backend(function, on.backend, row);
  for (const submission& s : all)
    for (const pipeline_step& step : s.steps) {
      require_valid_precision(function, step.precision);
      require_valid(function, step.what);
    }
  if (on.where == policy::automatic) {
    explain_place(function, all, row);
    return place_automatically(function, all, on, row);
  }
  if (on.where == policy::host) {
    const std::string why =
        first_refusal(all, [&](const pipeline_step& s) { return host_refusal(s, on, row); }).why;
    if (!why.empty()) throw invalid_argument(message(function, ": the policy is host: ", why));
    return nullptr;
  }
  if (!on.backend.empty() && !is_device_backend(on.backend))
    throw invalid_argument(
        message(function, ": backend \"", on.backend, "\" runs on the host, the policy is device"));
  accelerator* const device = on.on;
  if (device == nullptr)
    throw device_error(message(function, ": policy::device needs an accelerator, got none"));
  backend_of(function, *device);
  const refused_step refused = first_refusal(
      all, [&](const pipeline_step& s) { return refusal_of(s, on.backend, *device); });
  if (!refused.why.empty())
    throw device_error(message(function, ": the accelerator ", device->name(), " cannot do ",
                               to_string(*refused.what), ": ", refused.why));
  return device;
}

accelerator& place_device_array(const char* function, accelerator& lies_on, const execution& on) {
  if (on.threads < 0)
    throw invalid_argument(message(function, ": threads must be at least 0, got ", on.threads));
  require_valid_precision(function, on.precision);
  if (on.on != nullptr && on.on != &lies_on)
    throw invalid_argument(message(function, ": the operand lies on the accelerator ",
                                   lies_on.name(), ", execution::on names another, ",
                                   on.on->name()));
  if (!on.backend.empty() && on.backend != device_backend_name)
    throw invalid_argument(message(function, ": backend \"", on.backend,
                                   "\" does not run where the operand lies, on ", lies_on.name()));
  return lies_on;
}

}  // namespace papilio
