#include "dispatch/sides.hpp"

#include <algorithm>
#include <cmath>

#include "papilio/base/error.hpp"

namespace papilio::dispatch_detail {

namespace {

using base_detail::message;

}  // namespace

bool is_one_operation(const submission& s) {
  return s.steps.size() == 1 && s.arrays == shapes_of(s.steps[0].what);
}

bool is_device_backend(const std::string& name) { return name == device_backend_name; }

host_answer host_answer_of(const operation& what, const execution& on, const host_row& row) {
  constexpr const char* host = "host";
  execution of_host = on;
  if (is_device_backend(on.backend)) of_host.backend.clear();
  host_answer answer;
  try {
    answer.estimate = estimate_on_host(what, of_host, row);
    if (on.precision != precision_options{})
      require_host_precision(host, on.precision, answer.estimate.relative_error);
  } catch (const error& e) {
    answer.refusal = e.what();
    // A report names the host itself, so that the prefix would say it twice.
    if (const std::string named = message(host, ": "); answer.refusal.starts_with(named))
      answer.refusal.erase(0, named.size());
  }
  return answer;
}

std::string device_refusal(const operation& what, const execution& how, const accelerator& on) {
  try {
    return backend_of("place", on).refusal(what, how.precision, on);
  } catch (const resource_error& e) {
    return e.what();
  }
}

device_answer device_answer_of(const operation& what, const execution& how, const accelerator& on) {
  device_answer answer{.refusal = device_refusal(what, how, on)};
  if (!answer.refusal.empty()) return answer;
  try {
    answer.estimate = backend_of("place", on).estimate(what, how.precision, on);
  } catch (const error& e) {
    answer.refusal = e.what();
  }
  return answer;
}

}  // namespace papilio::dispatch_detail
