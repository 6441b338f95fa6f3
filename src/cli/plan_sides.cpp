#include "cli/plan_sides.hpp"

#include <map>

#include "cli/presets.hpp"
#include "cli/repeated_calls.hpp"
#include "papilio/engine/device_group.hpp"
#include "papilio/engine/environment.hpp"
#include "papilio/signal/host_signals.hpp"

namespace papilio::cli {
namespace {

const std::map<std::string, precision> precisions{{"bf16", precision::bf16},
                                                  {"bf16_refined", precision::bf16_refined},
                                                  {"compensated", precision::compensated},
                                                  {"mxfp8", precision::mxfp8},
                                                  {"native", precision::native},
                                                  {"split_bf16", precision::split_bf16}};

/// Null where it is of a side that cannot.
template <class Value>
json_value value_if(bool can, const Value& value) {
  return can ? json_value(value) : json_value();
}

json_value host_json(const comparison& c) {
  const host_estimate& e = c.host;
  const auto known = [&](const auto& value) { return value_if(c.host_is_estimated(), value); };
  return json_object("refusal", c.host_refusal, "backend", known(e.backend), "recipe",
                     known(e.recipe), "seconds", known(e.seconds), "flops", known(e.flops),
                     "bytes_moved", known(e.bytes_moved), "relative_error", known(e.relative_error),
                     "basis", known(e.basis));
}

json_value device_json(const comparison& c, const accelerator* on) {
  const device_estimate& e = c.device;
  const auto known = [&](const auto& value) { return value_if(c.device_can(), value); };
  return json_object(
      "machine", c.machine, "runtime", c.runtime, "refusal", c.device_refusal, "recipe",
      known(e.recipe), "launches", known(e.launches), "tensors_in", known(e.tensors_in),
      "tensors_out", known(e.tensors_out), "copies_in", known(e.copies_in), "copies_out",
      known(e.copies_out), "bytes_in", known(e.bytes_in), "bytes_out", known(e.bytes_out),
      "table_bytes", known(e.table_bytes), "upload_seconds", known(e.upload_seconds),
      "launch_seconds", known(e.launch_seconds), "device_seconds", known(e.device_seconds),
      "link_seconds", known(e.link_seconds), "fetch_seconds", known(e.fetch_seconds),
      "floor_seconds", known(e.floor_seconds), "cold_seconds", known(e.cold_seconds), "seconds",
      known(e.seconds()), "device_array_seconds", known(e.device_array_seconds()),
      "asynchronous_seconds", known(kernels::asynchronous_seconds(e, false, on)),
      "asynchronous_device_array_seconds", known(kernels::asynchronous_seconds(e, true, on)),
      "relative_error", known(e.relative_error));
}

json_value situations_json(const comparison& c) {
  json_value all = json_value::array();
  for (const situation s : situations)
    all.push_back(json_object("cold", s.is_cold, "device_arrays", s.has_device_arrays,
                              "host_seconds", value_if(c.host_is_estimated(), c.host.seconds),
                              "device_seconds", value_if(c.device_can(), seconds_in(c.device, s)),
                              "faster", c.faster_in(s)));
  return all;
}

json_value crossover_json(const crossover& c) {
  json_value turns = json_value::array();
  for (std::size_t i = 0; i < situations.size(); ++i)
    turns.push_back(json_object("cold", situations[i].is_cold, "device_arrays",
                                situations[i].has_device_arrays, "device_wins",
                                c.turns[i].device_wins, "host_wins",
                                value_if(c.refusal.empty(), c.turns[i].host_wins)));
  return json_object("parameter", c.parameter, "size", c.size, "refusal", c.refusal, "dry_runs",
                     c.dry_runs, "scaled_from", c.scaled_from, "turns", turns);
}

void add_thresholds(report& made, const std::vector<gemm_threshold>& all) {
  json_value modelled = json_value::array(), published = modelled;
  table_rows rows;
  const auto giga = [](double flops) { return fmt::format("{:.2f}", flops * 1e-9); };
  for (const gemm_threshold& t : all) {
    const std::string label =
        fmt::format("{}, {}", t.host, t.has_device_arrays ? "pinned (device arrays)" : "unpinned");
    if (t.side)
      rows.add(label, *t.side, giga(*t.flops));
    else
      rows.add(label, "never", fmt::format("up to {}", t.looked_at));
    modelled.push_back(json_object("host", t.host, "device_arrays", t.has_device_arrays, "side",
                                   t.side, "flops", t.flops));
  }
  const auto add_limit = [&](const char* what, const char* name, double flops) {
    rows.add(fmt::format("{}, {}", what, name),
             fmt::format("{:.0f}", published_limit::side_of(flops)), giga(flops));
  };
  for (const published_limit& l : published_limits) {
    add_limit("published limit", l.name, l.flops);
    published.push_back(json_object("device_arrays", l.has_device_arrays, "flops", l.flops, "side",
                                    l.side_of(l.flops), "flops_as_applied", l.flops_as_applied(),
                                    "side_as_applied", l.side_of(l.flops_as_applied())));
  }
  for (const published_limit& l : published_limits)
    add_limit("as its code applied it", l.name, l.flops_as_applied());
  made.lines("\n")
      .table("", "",
             {{"", "  {:<44}", "threshold of a square gemm, warm"},
              {"", "{:>8}", "side"},
              {"", "{:>14}", "Gflop"}},
             rows)
      .lines(
          R"(  1 multiplication and addition is 2 flop. The published limits are meant as flop; the
  published code compared m k n with them, half as many. Published host: 512^3 in 481 us,
  1024^3 in 3402 us, 2048^3 in 27.4 ms on the 8 processors of a trn1.2xlarge.
)")
      .add("thresholds", json_object("modelled", modelled, "published", published));
}

}  // namespace

void comparison_flags::add_to(command& verb) {
  std::vector<std::string> names;
  for (const auto& [name, mode] : precisions) names.push_back(name);
  verb.add(
      {{"--machine", machine,
        "Accelerator: " + machine_choices() + "\n[PAPILIO_MACHINE, else trainium1]", not_empty()},
       {"--runtime", runtime, "Its " + runtime_choices() + "\n[PAPILIO_RUNTIME, else sdk_2_24]",
        not_empty()},
       {"--cores", cores,
        "Number of the accelerator's cores that share the work [PAPILIO_CORES, else 1]",
        whole_number_from(1, engine::link_model::cores_max)},
       {"--policy", policy, "Policy: host, device, or the faster one [PAPILIO_POLICY, else host]",
        one_of({"host", "device", "automatic"})},
       {"--precision", precision, "Precision of the accelerator's products", one_of(names)},
       {"--target-error", target_error,
        "Largest relative error to accept; the precision is chosen for it",
        number_from(1e-15, 1)}});
  verb.exclude("--target-error", "--precision");
}

bool comparison_flags::asks_policy() const {
  return !given_or_environment(policy, "PAPILIO_POLICY").empty();
}

compared_sides compare_sides(const planned_operation& planned, const comparison_flags& flags,
                             int threads, const std::string& backend) {
  compared_sides found{.device =
                           make_accelerator(given_or_environment(flags.machine, "PAPILIO_MACHINE"),
                                            given_or_environment(flags.runtime, "PAPILIO_RUNTIME"),
                                            flags.cores ? *flags.cores : cores_from_environment())};
  const execution on{.where = flags.policy.empty() ? execution_from_environment().where
                                                   : policy_of(flags.policy, "--policy"),
                     .on = found.device.get(),
                     .threads = threads,
                     .backend = backend,
                     .precision = {.mode = precisions.at(flags.precision),
                                   .target_error = flags.target_error.value_or(0)}};
  found.sides = sides_of(planned, on);
  const operation& what = found.sides.what;
  if (found.sides.is_sum) {
    found.turns.refusal = "it is a sum of " + counted(found.sides.operations, "operation");
    return found;
  }
  found.turns = crossover_of(what, on, host_signals());
  if (const auto* const gemm = std::get_if<gemm_problem>(&what))
    if (found.turns.refusal.empty()) found.thresholds = thresholds_of(*gemm, on, found.turns);
  return found;
}

report sides_report(const compared_sides& of) {
  const comparison& c = of.sides;
  report made;
  made.fields("operation", c.name, "operations", c.operations, "nominal_flops", c.nominal_flops,
              "policy", to_string(c.where), "automatic", c.automatic, "host", host_json(c),
              "device", device_json(c, of.device.get()), "situations", situations_json(c),
              "crossover", crossover_json(of.turns), "thresholds", nullptr)
      .lines(c.to_text() + repeated_calls_text(c, of.device.get()) + "\n" + of.turns.to_text());
  if (of.thresholds) add_thresholds(made, *of.thresholds);
  return made;
}

}  // namespace papilio::cli
