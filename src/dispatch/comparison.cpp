#include "papilio/dispatch/comparison.hpp"

#include <algorithm>
#include <utility>
#include <vector>

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

// Chooses host or device by the policy, after refusals and a named backend have left out either.
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

namespace {

constexpr const char* function = "explain";

void require_execution(const execution& on, const host_row& row) {
  if (on.threads < 0)
    throw invalid_argument(message(function, ": threads must be at least 0, got ", on.threads));
  if (!on.backend.empty()) require_known_backend(function, on.backend, row);
}

// Sets who runs, and why, from the estimates and refusals of host and device.
void decide(comparison& c, const execution& on) {
  choice now = chosen(c, on.where, on.backend);
  c.runs = std::move(now.runs);
  c.why = std::move(now.why);
  c.automatic = chosen(c, policy::automatic, on.backend).runs;
}

// Sets the names of accelerator and runtime; without an accelerator it is false, and a refusal.
bool has_device(comparison& c, const execution& on) {
  if (on.on == nullptr) {
    c.device_refusal = "no accelerator is named";
    return false;
  }
  c.machine = on.on->name();
  c.runtime = backend_of(function, *on.on).runtime(*on.on);
  return true;
}

}  // namespace

comparison explain(const operation& what, const execution& on, const host_row& row) {
  require_execution(on, row);
  require_valid_precision(function, on.precision);
  require_valid(function, what);
  comparison c{.what = what,
               .name = to_string(what),
               .nominal_flops = nominal_flops(what),
               .where = on.where};
  host_answer host = host_answer_of(what, on, row);
  c.host = std::move(host.estimate);
  c.host_refusal = std::move(host.refusal);
  if (has_device(c, on)) {
    device_answer device = device_answer_of(what, on, *on.on);
    c.device = std::move(device.estimate);
    c.device_refusal = std::move(device.refusal);
  }
  decide(c, on);
  return c;
}

namespace {

void add(host_estimate& all, const host_estimate& one, double times) {
  all.backend = one.backend;
  all.basis = one.basis;
  all.seconds += times * one.seconds;
  all.flops += times * one.flops;
  all.bytes_moved += times * one.bytes_moved;
}

// Adds up the estimates of submissions on host and device; equal steps are estimated once.
class summed_steps {
 public:
  summed_steps(comparison& c, const execution& on, const host_row& row)
      : c_(c), on_(on), row_(row), on_device_(has_device(c, on)) {}

  void add_copies(const operand_shapes& arrays, std::size_t submissions) {
    if (!on_device_) return;
    const device_backend& backend = backend_of(function, *on_.on);
    const auto times = static_cast<double>(submissions);
    device_estimate& all = c_.device;
    all.tensors_in += submissions * arrays.in.size();
    all.tensors_out += submissions * arrays.out.size();
    all.copies_in += arrays.in.empty() ? 0 : submissions;
    all.copies_out += arrays.out.empty() ? 0 : submissions;
    all.bytes_in += times * bytes_of(arrays.in);
    all.bytes_out += times * bytes_of(arrays.out);
    if (!arrays.in.empty())
      all.upload_seconds += times * backend.copy_seconds({arrays.in, {}}, *on_.on);
    if (!arrays.out.empty())
      all.fetch_seconds += times * backend.copy_seconds({{}, arrays.out}, *on_.on);
  }

  // Adds a step. All steps of a submission are one launch, which the first one pays.
  void add_step(const pipeline_step& step, std::size_t submissions, bool is_first) {
    const auto times = static_cast<double>(submissions);
    if (!step.is_device_only) {
      c_.nominal_flops += times * nominal_flops(step.what);
      add_on_host(step, times);
    }
    if (on_device_ && c_.device_refusal.empty()) add_on_device(step, times, is_first);
    c_.operations += submissions;
  }

  void finish() {
    if (!has_host_) c_.host = {};
    if (!c_.device_refusal.empty()) c_.device = {};
  }

 private:
  static double bytes_of(const std::vector<operand_shape>& shapes) {
    double bytes = 0;
    for (const operand_shape& s : shapes)
      bytes += static_cast<double>(s.count()) * (s.is_complex ? 8 : 4);
    return bytes;
  }

  void add_on_host(const pipeline_step& step, double times) {
    execution how = on_;
    how.precision = step.precision;
    const host_answer host = host_answer_of(step.what, how, row_);
    if (c_.host_refusal.empty()) c_.host_refusal = host.refusal;
    has_host_ = has_host_ && host.estimate.seconds > 0;
    if (has_host_) add(c_.host, host.estimate, times);
  }

  void add_on_device(const pipeline_step& step, double times, bool is_first) {
    auto known = std::ranges::find_if(known_, [&](const known_step& k) {
      return k.step.what == step.what && k.step.precision == step.precision;
    });
    const bool is_new = known == known_.end();
    if (is_new) {
      execution how = on_;
      how.precision = step.precision;
      known_.push_back({step, device_answer_of(step.what, how, *on_.on)});
      known = known_.end() - 1;
    }
    if (!known->answer.refusal.empty()) {
      c_.device_refusal = message(to_string(step.what), ": ", known->answer.refusal);
      return;
    }
    device_estimate& all = c_.device;
    const device_estimate& one = known->answer.estimate.with_device_arrays();
    all.device_seconds += times * one.device_seconds;
    all.floor_seconds += times * one.floor_seconds;
    all.memory_bytes = one.memory_bytes;
    if (is_first) {
      all.launches += static_cast<std::size_t>(times);
      all.launch_seconds += times * one.launch_seconds;
    }
    if (!is_new) return;
    all.cold_seconds += one.cold_seconds;
    all.table_bytes += one.table_bytes;
    all.recipe.append(all.recipe.empty() ? "" : "\n").append(to_string(step.what));
  }

  struct known_step {
    pipeline_step step;
    device_answer answer;
  };
  comparison& c_;
  const execution& on_;
  const host_row& row_;
  bool on_device_, has_host_ = true;  // there are estimates of all steps so far
  std::vector<known_step> known_;
};

}  // namespace

comparison explain(std::string name, std::span<const submission> submissions, const execution& on,
                   const host_row& row) {
  require_execution(on, row);
  comparison c{.name = std::move(name), .operations = 0, .is_sum = true, .where = on.where};
  c.device.launches = 0;
  summed_steps sums(c, on, row);
  for (const submission& s : submissions) {
    sums.add_copies(s.arrays, s.times);
    for (const pipeline_step& step : s.steps) {
      require_valid_precision(function, step.precision);
      require_valid(function, step.what);
      if (c.operations == 0) c.what = step.what;
      sums.add_step(step, s.times, &step == s.steps.data());
    }
  }
  sums.finish();
  decide(c, on);
  return c;
}

namespace {

// The call of this thread that is being explained: place() writes its comparison here instead of
// choosing.
struct asked_place {
  const execution* on;
  std::optional<comparison> compared = {};
};
thread_local asked_place* asked_here = nullptr;
// Thrown to leave the call. It is no papilio::error, so that no handler on the way takes it for
// one.
struct place_is_known {};

}  // namespace

bool dispatch_detail::is_explaining() { return asked_here != nullptr; }

void dispatch_detail::explain_place(const char* name, std::span<const submission> submissions,
                                    const host_row& row) {
  asked_place* const here = std::exchange(asked_here, nullptr);
  if (here == nullptr) return;
  const bool is_one = submissions.size() == 1 && is_one_operation(submissions[0]);
  execution on = *here->on;
  if (is_one) on.precision = submissions[0].steps[0].precision;
  here->compared =
      is_one ? explain(submissions[0].steps[0].what, on, row) : explain(name, submissions, on, row);
  throw place_is_known{};
}

std::optional<comparison> explain_call(const execution& on,
                                       function_ref<void(const execution&)> call) {
  asked_place here{&on};
  execution how = on;
  how.where = policy::automatic;
  asked_place* const outer = std::exchange(asked_here, &here);
  try {
    call(how);
  } catch (const place_is_known&) {
  } catch (...) {
    asked_here = outer;
    throw;
  }
  asked_here = outer;
  return std::move(here.compared);
}

}  // namespace papilio
