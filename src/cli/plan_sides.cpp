#include "cli/plan_sides.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "cli/common.hpp"
#include "cli/environment.hpp"
#include "cli/validators.hpp"
#include "papilio/engine/environment.hpp"
#include "papilio/signal/host_signals.hpp"

namespace papilio::cli {
namespace {

const std::map<std::string, precision> precisions{{"native", precision::native},
                                                  {"bf16", precision::bf16},
                                                  {"bf16_refined", precision::bf16_refined},
                                                  {"split_bf16", precision::split_bf16},
                                                  {"compensated", precision::compensated}};

std::vector<std::string> precision_names() {
  std::vector<std::string> names;
  for (const auto& [name, mode] : precisions) names.push_back(name);
  return names;
}

/// The same keys where there are no values: null. Those in `stay` keep theirs.
json_value emptied(json_value json, const std::vector<std::string>& stay) {
  for (auto& [key, value] : json.items())
    if (std::ranges::find(stay, key) == stay.end()) value = nullptr;
  return json;
}

json_value host_json(const comparison& c) {
  const host_estimate& e = c.host;
  json_value json{{"refusal", c.host_refusal},
                  {"backend", e.backend},
                  {"recipe", e.recipe},
                  {"seconds", e.seconds},
                  {"flops", e.flops},
                  {"bytes_moved", e.bytes_moved},
                  {"relative_error", e.relative_error},
                  {"basis", e.basis}};
  return c.host_is_estimated() ? json : emptied(std::move(json), {"refusal"});
}

json_value device_json(const comparison& c) {
  const device_estimate& e = c.device;
  json_value json{{"machine", c.machine},
                  {"runtime", c.runtime},
                  {"refusal", c.device_refusal},
                  {"recipe", e.recipe},
                  {"launches", e.launches},
                  {"tensors_in", e.tensors_in},
                  {"tensors_out", e.tensors_out},
                  {"copies_in", e.copies_in},
                  {"copies_out", e.copies_out},
                  {"bytes_in", e.bytes_in},
                  {"bytes_out", e.bytes_out},
                  {"table_bytes", e.table_bytes},
                  {"upload_seconds", e.upload_seconds},
                  {"launch_seconds", e.launch_seconds},
                  {"device_seconds", e.device_seconds},
                  {"fetch_seconds", e.fetch_seconds},
                  {"floor_seconds", e.floor_seconds},
                  {"cold_seconds", e.cold_seconds},
                  {"seconds", e.seconds()},
                  {"resident_seconds", e.resident_seconds()},
                  {"relative_error", e.relative_error}};
  return c.device_can() ? json : emptied(std::move(json), {"machine", "runtime", "refusal"});
}

json_value situations_json(const comparison& c) {
  json_value all = json_value::array();
  for (const situation s : situations)
    all.push_back(
        {{"cold", s.is_cold},
         {"resident", s.is_resident},
         {"host_seconds", c.host_is_estimated() ? json_value(c.host.seconds) : nullptr},
         {"device_seconds", c.device_can() ? json_value(seconds_in(c.device, s)) : nullptr},
         {"faster", c.faster_in(s)}});
  return all;
}

}  // namespace

void comparison_flags::add_to(command& verb) {
  verb.add_option(
          "--machine", machine,
          "Accelerator: trainium1, trainium2, or a JSON file [PAPILIO_MACHINE, else trainium1]")
      .check(not_empty());
  verb.add_option(
          "--runtime", runtime,
          "Its sdk_2_24, sdk_2_29, sdk_2_29_trn2, or a JSON file [PAPILIO_RUNTIME, else sdk_2_24]")
      .check(not_empty());
  verb.add_option("--policy", policy, "Which side shall run [PAPILIO_POLICY, else host]")
      .check(one_of({"host", "device", "automatic"}));
  verb.add_option("--precision", precision, "Of the accelerator's products")
      .check(one_of(precision_names()))
      .show_default();
  verb.add_option("--target-error", target_error,
                  "Largest relative error that is wanted; chooses the precision")
      .check(number_from(1e-15, 1))
      .excludes(verb.named("--precision"));
}

bool comparison_flags::asks_policy() const {
  return !given_or_environment(policy, "PAPILIO_POLICY").empty();
}

std::vector<const char*> comparison_flags::names() {
  return {"--machine", "--runtime", "--policy", "--precision", "--target-error"};
}

side_report compare_sides(const operation& what, const comparison_flags& flags, int threads,
                          const std::string& backend) {
  side_report report{.device = make_device(given_or_environment(flags.machine, "PAPILIO_MACHINE"),
                                           given_or_environment(flags.runtime, "PAPILIO_RUNTIME"))};
  const execution on{
      .where = flags.policy.empty() ? execution_from_environment().where
                                    : policy_of(flags.policy, "--policy"),
      .on = report.device.get(),
      .threads = threads,
      .backend = backend,
      .precision = {.mode = precisions.at(flags.precision), .target_error = flags.target_error}};
  report.sides = explain(what, on, host_signals());
  report.turns = crossover_of(what, on, host_signals());
  if (const auto* const gemm = std::get_if<gemm_problem>(&what))
    if (report.turns.refusal.empty()) report.thresholds = thresholds_of(*gemm, on, report.turns);
  return report;
}

std::string side_text(const side_report& report) {
  return report.sides.to_text() + "\n" + report.turns.to_text() +
         (report.thresholds ? "\n" + to_text(*report.thresholds) : "");
}

void add_side_json(json_value& json, const side_report& report) {
  json["operation"] = to_string(report.sides.what);
  json["nominal_flops"] = nominal_flops(report.sides.what);
  json["policy"] = to_string(report.sides.where);
  json["automatic"] = report.sides.automatic;
  json["host"] = host_json(report.sides);
  json["device"] = device_json(report.sides);
  json["situations"] = situations_json(report.sides);
  json_value turns = json_value::array();
  const bool is_known = report.turns.refusal.empty();
  for (std::size_t i = 0; i < situations.size(); ++i) {
    const crossover::turn& t = report.turns.turns[i];
    turns.push_back({{"cold", situations[i].is_cold},
                     {"resident", situations[i].is_resident},
                     {"device_wins", t.device_wins ? json_value(*t.device_wins) : nullptr},
                     {"host_wins", is_known ? json_value(t.host_wins) : nullptr}});
  }
  json["crossover"] = {
      {"parameter", report.turns.parameter},     {"size", report.turns.size},
      {"refusal", report.turns.refusal},         {"dry_runs", report.turns.dry_runs},
      {"scaled_from", report.turns.scaled_from}, {"turns", turns}};
  json["thresholds"] = report.thresholds ? to_json(*report.thresholds) : json_value();
}

}  // namespace papilio::cli
