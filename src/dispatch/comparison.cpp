#include "papilio/dispatch/comparison.hpp"

#include "dispatch/sides.hpp"
#include "papilio/base/error.hpp"

namespace papilio {

using base_detail::message;
using namespace dispatch_detail;

std::string to_string(situation s) {
  return message(s.is_cold ? "cold" : "warm",
                 s.has_device_arrays ? ", operands on the device" : ", operands on the host");
}

double seconds_in(const device_estimate& e, situation s) {
  return s.has_device_arrays
             ? e.device_array_seconds() + (s.is_cold ? e.with_device_arrays().cold_seconds : 0)
             : e.seconds() + (s.is_cold ? e.cold_seconds : 0);
}

std::string comparison::faster_in(situation s) const {
  if (!host_is_estimated()) return device_can() ? "device" : "";
  return device_can() && seconds_in(device, s) < host.seconds ? "device" : "host";
}

namespace {

struct choice {
  std::string runs, why;
};

// What a backend that is named leaves of the two sides.
choice chosen(const comparison& c, policy where, const std::string& backend) {
  const std::string not_host =
      is_device_backend(backend)
          ? message("backend \"", backend, "\" was asked for and is a device's")
          : c.host_refusal;
  const std::string not_device =
      !backend.empty() && !is_device_backend(backend)
          ? message("backend \"", backend, "\" was asked for and is the host's")
          : c.device_refusal;
  const bool host = not_host.empty(), device = not_device.empty();
  if (where == policy::host)
    return host ? choice{"host", "the policy is host"}
                : choice{"", message("the policy is host, and ", not_host)};
  if (where == policy::device)
    return device ? choice{"device", "the policy is device"}
                  : choice{"", message("the policy is device, and ", not_device)};
  if (host && device)
    return c.faster_in({}) == "device"
               ? choice{"device", "estimated to be faster, warm, operands on the host"}
               : choice{"host",
                        "estimated to be faster than the device, warm, operands on the host"};
  if (host) return {"host", message("the device does not run: ", not_device)};
  if (device) return {"device", message("the host does not run: ", not_host)};
  return {"", message("neither side can: the host: ", not_host, "; the device: ", not_device)};
}

}  // namespace

comparison explain(const operation& what, const execution& on, const host_row& row) {
  constexpr const char* function = "explain";
  if (on.threads < 0)
    throw invalid_argument(message(function, ": threads must be at least 0, got ", on.threads));
  if (!on.backend.empty()) require_known_backend(function, on.backend, row);
  require_valid(function, what);
  comparison c{.what = what, .where = on.where};
  host_side host = host_side_of(what, on, row);
  c.host = std::move(host.estimate);
  c.host_refusal = std::move(host.refusal);
  if (const accelerator* const accelerator = on.on; accelerator == nullptr) {
    c.device_refusal = "no accelerator is named";
  } else {
    device_side device = device_side_of(what, on, *accelerator);
    c.machine = accelerator->name();
    c.runtime = backend_of(function, *accelerator).runtime(*accelerator);
    c.device = std::move(device.estimate);
    c.device_refusal = std::move(device.refusal);
  }
  choice now = chosen(c, on.where, on.backend);
  c.runs = std::move(now.runs);
  c.why = std::move(now.why);
  c.automatic = chosen(c, policy::automatic, on.backend).runs;
  return c;
}

}  // namespace papilio
