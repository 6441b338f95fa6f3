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

host_side host_side_of(const operation& what, const execution& on, const host_row& row) {
  constexpr const char* host = "host";
  execution of_host = on;
  if (is_device_backend(on.backend)) of_host.backend.clear();
  host_side side;
  try {
    side.estimate = estimate_on_host(what, of_host, row);
    if (on.precision != precision_options{})
      require_host_precision(host, on.precision, side.estimate.relative_error);
  } catch (const error& e) {
    side.refusal = e.what();
    // A report names the host itself, so that the prefix would say it twice.
    if (const std::string named = message(host, ": "); side.refusal.starts_with(named))
      side.refusal.erase(0, named.size());
  }
  return side;
}

std::string device_refusal(const operation& what, const execution& how, const accelerator& on) {
  try {
    return backend_of("place", on).refusal(what, how.precision, on);
  } catch (const resource_error& e) {
    return e.what();
  }
}

device_side device_side_of(const operation& what, const execution& how, const accelerator& on) {
  device_side side{.refusal = device_refusal(what, how, on)};
  if (!side.refusal.empty()) return side;
  try {
    side.estimate = backend_of("place", on).estimate(what, how.precision, on);
  } catch (const error& e) {
    side.refusal = e.what();
  }
  return side;
}

}  // namespace papilio::dispatch_detail
