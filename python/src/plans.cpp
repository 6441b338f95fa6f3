// papilio.plan: host and accelerator compared, as the program's `papilio plan` does.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <optional>
#include <string>

#include "accelerated.hpp"
#include "cli/common.hpp"
#include "cli/plan_operation.hpp"
#include "cli/repeated_calls.hpp"
#include "module.hpp"
#include "papilio/base/error.hpp"
#include "papilio/dispatch.hpp"
#include "papilio/kernels/catalog.hpp"
#include "papilio/signal/host_signals.hpp"

namespace papilio::python {
namespace {

real_type type_of(const std::string& type) {
  if (type == "float32") return real_type::single_precision;
  if (type == "float64") return real_type::double_precision;
  if (type == "longdouble") return real_type::extended_precision;
  throw invalid_argument(
      base_detail::message("plan: type must be float32, float64 or longdouble, got ", type));
}

/// The operation of the program's language; faults have the program's words.
cli::planned_operation operation_of(const std::string& expression, const std::string& type) {
  try {
    return cli::parse_operation(expression, type_of(type));
  } catch (const cli::usage_error& e) {
    std::string words = e.what();
    for (const char* const flag : {"EXPR: ", "--type: "})
      if (words.starts_with(flag)) words.erase(0, std::string(flag).size());
    throw invalid_argument("plan: " + words);
  }
}

template <class Value>
nb::object value_if(bool is_known, const Value& value) {
  return is_known ? nb::cast(value) : nb::none();
}

nb::dict host_of(const comparison& c) {
  const host_estimate& e = c.host;
  const bool known = c.host_is_estimated();
  nb::dict d;
  d["refusal"] = c.host_refusal;
  d["backend"] = value_if(known, e.backend);
  d["recipe"] = value_if(known, e.recipe);
  d["seconds"] = value_if(known, e.seconds);
  d["flops"] = value_if(known, e.flops);
  d["bytes_moved"] = value_if(known, e.bytes_moved);
  d["relative_error"] = value_if(known, e.relative_error);
  d["basis"] = value_if(known, e.basis);
  return d;
}

nb::dict device_of(const comparison& c, const accelerator* on) {
  const device_estimate& e = c.device;
  const bool known = c.device_can();
  nb::dict d;
  d["machine"] = c.machine;
  d["runtime"] = c.runtime;
  d["refusal"] = c.device_refusal;
  d["recipe"] = value_if(known, e.recipe);
  d["launches"] = value_if(known, e.launches);
  d["bytes_in"] = value_if(known, e.bytes_in);
  d["bytes_out"] = value_if(known, e.bytes_out);
  d["table_bytes"] = value_if(known, e.table_bytes);
  d["upload_seconds"] = value_if(known, e.upload_seconds);
  d["launch_seconds"] = value_if(known, e.launch_seconds);
  d["device_seconds"] = value_if(known, e.device_seconds);
  d["link_seconds"] = value_if(known, e.link_seconds);
  d["fetch_seconds"] = value_if(known, e.fetch_seconds);
  d["floor_seconds"] = value_if(known, e.floor_seconds);
  d["cold_seconds"] = value_if(known, e.cold_seconds);
  d["seconds"] = value_if(known, e.seconds());
  d["device_array_seconds"] = value_if(known, e.device_array_seconds());
  const auto each = [&](bool device_arrays) {
    const auto seconds = kernels::asynchronous_seconds(e, device_arrays, on);
    return value_if(known && seconds, seconds.value_or(0));
  };
  d["asynchronous_seconds"] = each(false);
  d["asynchronous_device_array_seconds"] = each(true);
  d["relative_error"] = value_if(known, e.relative_error);
  return d;
}

nb::list situations_of(const comparison& c) {
  nb::list all;
  for (const situation s : situations) {
    nb::dict d;
    d["cold"] = s.is_cold;
    d["device_arrays"] = s.has_device_arrays;
    d["host_seconds"] = value_if(c.host_is_estimated(), c.host.seconds);
    d["device_seconds"] = value_if(c.device_can(), seconds_in(c.device, s));
    d["faster"] = c.faster_in(s);
    all.append(d);
  }
  return all;
}

nb::dict crossover_dict(const crossover& c) {
  nb::list turns;
  for (std::size_t i = 0; i < situations.size(); ++i) {
    nb::dict d;
    d["cold"] = situations[i].is_cold;
    d["device_arrays"] = situations[i].has_device_arrays;
    d["device_wins"] = c.turns[i].device_wins ? nb::cast(*c.turns[i].device_wins) : nb::none();
    d["host_wins"] = value_if(c.refusal.empty(), c.turns[i].host_wins);
    turns.append(d);
  }
  nb::dict d;
  d["parameter"] = c.parameter;
  d["size"] = c.size;
  d["refusal"] = c.refusal;
  d["dry_runs"] = c.dry_runs;
  d["turns"] = turns;
  return d;
}

/// The fields of papilio.device.Plan.
nb::dict planned(const std::string& expression, const std::string& type, std::optional<int> workers,
                 nb::handle device) {
  call_place place("plan", workers, device);
  execution on = place.on();
  on.where = policy::automatic;
  comparison sides;
  crossover turns;
  {
    const without_gil released;
    const cli::planned_operation what = operation_of(expression, type);
    sides = cli::sides_of(what, on);
    if (sides.is_sum) {
      sides.name = expression;
      turns.refusal = "it is a sum of " + cli::counted(sides.operations, "operation");
    } else {
      turns = crossover_of(sides.what, on, host_signals());
    }
  }
  nb::dict d;
  d["expression"] = expression;
  d["operation"] = sides.name;
  d["choice"] = sides.automatic;
  d["host"] = host_of(sides);
  d["device"] = device_of(sides, on.on);
  d["situations"] = situations_of(sides);
  d["crossover"] = crossover_dict(turns);
  d["text"] = sides.to_text() + cli::repeated_calls_text(sides, on.on) + "\n" + turns.to_text();
  return d;
}

}  // namespace

void define_plans(nb::module_& m) {
  m.def("plan", &planned, nb::arg("expression"), nb::arg("type"), nb::arg("workers").none(),
        nb::arg("device"));
}

}  // namespace papilio::python
