#include "cli/plan_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <new>
#include <string_view>

#include "cli/common.hpp"
#include "cli/plan_operation.hpp"
#include "cli/plan_timing.hpp"
#include "papilio/base/error.hpp"
#include "papilio/transform/candidate.hpp"

namespace papilio::cli {
namespace {

/// What is larger is not measured, and what has a longer axis is built for measuring alone: the
/// tables of a convolution take minutes and gigabytes.
constexpr double most_measured_points = 1 << 26;
constexpr std::size_t longest_built = std::size_t{1} << 17;

double points_of(const fft_problem& problem) {
  double points = 1;
  for (const std::size_t n : problem.extents) points *= static_cast<double>(n);
  return points;
}

bool is_built(const fft_problem& problem) {
  return points_of(problem) <= most_measured_points &&
         (problem.measured || std::ranges::max(problem.extents) <= longest_built);
}

/// Lines are divided among threads, whole ones.
double busiest_share(const planned_transform& t, int threads) {
  const std::vector<std::size_t>& extents = t.problem.extents;
  const double longest = static_cast<double>(*std::ranges::max_element(extents));
  const double lines = static_cast<double>(t.lines) * points_of(t.problem) / longest;
  return std::ceil(lines / threads) / lines;
}

void plan_and_time(answer& a, const planned_transform& t, int threads) {
  const auto start = std::chrono::steady_clock::now();
  const auto executor = a.candidate->build(t.problem);
  const std::chrono::duration<double> planning = std::chrono::steady_clock::now() - start;
  a.plan = {executor->recipe(), executor->table_bytes(), executor->scratch_bytes(),
            planning.count(), std::nullopt};
  if (t.problem.measured) a.plan->measured_seconds = measured_seconds(*executor, t, threads);
}

// What compares with an accelerator is the same number.
bool is_own(const fft_candidate& candidate) { return std::string_view(candidate.name) == "host"; }
execution own_on(int threads) { return {.where = policy::host, .threads = threads}; }

answer ask(const fft_candidate& candidate, const planned_transform& t, int threads) {
  answer a{&candidate, candidate.refusal(t.problem), {}, 0, std::nullopt};
  if (!a.refusal.empty()) return a;
  try {
    a.estimate = candidate.estimate(t.problem, t.lines);
    a.seconds = is_own(candidate)
                    ? estimate_on_host(array_of(t), own_on(threads), host_transforms()).seconds
                    : a.estimate.seconds * busiest_share(t, threads);
    if (is_built(t.problem)) plan_and_time(a, t, threads);
  } catch (const resource_error& e) {
    a.refusal = e.what();
  } catch (const std::bad_alloc&) {
    a.refusal = "out of memory";
  }
  return a;
}

std::string reason(const candidate_flags& flags) {
  if (!flags.backend.empty()) return "the backend that --backend asks for";
  std::string order;
  for (const fft_candidate& candidate : fft_candidates())
    order.append(order.empty() ? "" : ", ").append(candidate.name);
  if (fft_candidates().size() == 1) return "the host's only backend in this build";
  return fmt::format("the first of the host's backends ({}) that can", order);
}

}  // namespace

plan_report ask_candidates(const planned_transform& transform, const candidate_flags& flags) {
  plan_report report{.transform = transform,
                     .rates = to_string(current_host()),
                     .runs = {},
                     .why = {},
                     .answers = {}};
  planned_transform& t = report.transform;
  t.problem.measured = flags.effort == "measure";
  const execution on{.where = policy::host, .threads = flags.threads, .backend = flags.backend};
  const bool any_can = std::ranges::any_of(fft_candidates(), [&](const fft_candidate& candidate) {
    return candidate.refusal(t.problem).empty();
  });
  // One that is asked for by name and cannot is refused before anything is planned.
  if (any_can || !flags.backend.empty()) {
    report.runs = choose_fft("plan", t.problem, on).name;
    report.why = reason(flags);
  }
  for (const fft_candidate& candidate : fft_candidates())
    report.answers.push_back(ask(candidate, t, flags.threads));
  return report;
}

namespace {

/// "12.3 MiB", "512 bytes".
std::string format_bytes(double bytes) {
  if (bytes < 1024) return counted(static_cast<std::uint64_t>(bytes), "byte");
  const char* const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  std::size_t unit = 0;
  for (bytes /= 1024; bytes >= 1023.95 && unit + 1 < std::size(units); ++unit) bytes /= 1024;
  return fmt::format("{:.1f} {}", bytes, units[unit]);
}

/// "6.55 M" before a unit.
std::string format_scaled(double value) {
  const char* const prefixes[] = {"", "k", "M", "G", "T", "P", "E"};
  std::size_t prefix = 0;
  for (; value >= 999.5 && prefix + 1 < std::size(prefixes); ++prefix) value /= 1000;
  return fmt::format("{:.3g} {}", value, prefixes[prefix]);
}

std::string format_seconds(double seconds) {
  if (seconds >= 0.9995) return fmt::format("{:.3g} s", seconds);
  if (seconds >= 0.9995e-3) return fmt::format("{:.3g} ms", seconds * 1e3);
  if (seconds >= 0.9995e-6) return fmt::format("{:.3g} us", seconds * 1e6);
  return fmt::format("{:.3g} ns", seconds * 1e9);
}

std::string sizes_text(const planned_transform& t) {
  std::string text;
  for (const std::size_t n : t.problem.extents)
    text += (text.empty() ? "" : " x ") + std::to_string(n);
  if (t.lines > 1)
    text += fmt::format(", {}", counted(t.lines, t.problem.is_line() ? "line" : "array"));
  return text;
}

std::string title_of(const fft_candidate& candidate) {
  return candidate.version.empty() ? candidate.name
                                   : fmt::format("{} {}", candidate.name, candidate.version);
}

std::string plan_text(const answer::built& plan) {
  return fmt::format(
      "  tables    {}\n  scratch   {}\n  planning  {}\n",
      format_bytes(static_cast<double>(plan.table_bytes)),
      plan.scratch_bytes > 0 ? format_bytes(static_cast<double>(plan.scratch_bytes)) : "not told",
      format_seconds(plan.planning_seconds));
}

std::string answer_text(const answer& a, const plan_report& report, int threads,
                        const std::string& instead) {
  const bool runs = report.runs == a.candidate->name;
  std::string text = fmt::format("\n{}: {}\n", title_of(*a.candidate),
                                 !a.refusal.empty() ? fmt::format("cannot, {}", a.refusal)
                                 : !runs ? fmt::format("can, with --backend {}", a.candidate->name)
                                 : instead.empty() ? fmt::format("runs, {}", report.why)
                                                   : fmt::format("can, but {}", instead));
  if (!a.refusal.empty()) return text;
  const fft_estimate& e = a.estimate;
  text += fmt::format("  recipe    {}\n", a.plan ? a.plan->recipe : e.recipe);
  if (a.plan && a.plan->recipe != e.recipe) text += fmt::format("  reckoned  for {}\n", e.recipe);
  text += fmt::format("  passes    {}\n  moves     {}\n  computes  {}flop\n", e.passes,
                      format_bytes(e.bytes_moved), format_scaled(e.flops));
  text += a.plan ? plan_text(*a.plan)
                 : fmt::format("  tables    {}, not made\n",
                               e.table_bytes > 0 ? format_bytes(e.table_bytes) : "not told");
  const auto line = [&](const char* name, double seconds) {
    return fmt::format("  {:<9} {} on {}, {}flop/s\n", name, format_seconds(seconds),
                       counted(static_cast<std::uint64_t>(threads), "thread"),
                       format_scaled(report.transform.nominal_flops / seconds));
  };
  text += line("estimate", a.seconds);
  if (a.plan && a.plan->measured_seconds) text += line("measured", *a.plan->measured_seconds);
  return text + fmt::format("  error     {:.2g} (expected, relative)\n", e.relative_error);
}

}  // namespace

std::string candidates_text(const candidate_flags& flags, const plan_report& report,
                            const std::string& instead) {
  const planned_transform& t = report.transform;
  std::string text = fmt::format(
      "transform {} of {}, {}\nwork      {}flop by the {} n log2 n convention\n"
      "data      {} in, {} out\nrates     {}\n",
      t.name, sizes_text(t), to_string(t.problem.type), format_scaled(t.nominal_flops),
      t.problem.is_complex() ? "5" : "2.5", format_bytes(t.bytes_in), format_bytes(t.bytes_out),
      report.rates);
  if (!flags.wisdom.empty()) text += fmt::format("wisdom    {}\n", printable(flags.wisdom));
  for (const answer& a : report.answers) text += answer_text(a, report, flags.threads, instead);
  return text;
}

namespace {

json_value answer_json(const answer& a, const plan_report& report, bool host_runs) {
  json_value json{{"name", a.candidate->name},
                  {"version", a.candidate->version},
                  {"runs", host_runs && report.runs == a.candidate->name},
                  {"refusal", a.refusal}};
  if (!a.refusal.empty()) {
    for (const char* key :
         {"recipe", "reckoned_recipe", "passes", "bytes_moved", "flops", "seconds",
          "relative_error", "table_bytes", "scratch_bytes", "measured_seconds", "planning_seconds"})
      json[key] = nullptr;
    return json;
  }
  const fft_estimate& e = a.estimate;
  json["recipe"] = a.plan ? a.plan->recipe : e.recipe;
  json["reckoned_recipe"] = e.recipe;
  json["passes"] = e.passes;
  json["bytes_moved"] = e.bytes_moved;
  json["flops"] = e.flops;
  json["seconds"] = a.seconds;
  json["relative_error"] = e.relative_error;
  json["table_bytes"] = a.plan              ? json_value(a.plan->table_bytes)
                        : e.table_bytes > 0 ? json_value(e.table_bytes)
                                            : json_value();
  json["scratch_bytes"] =
      a.plan && a.plan->scratch_bytes > 0 ? json_value(a.plan->scratch_bytes) : json_value();
  json["measured_seconds"] =
      a.plan && a.plan->measured_seconds ? json_value(*a.plan->measured_seconds) : json_value();
  json["planning_seconds"] = a.plan ? json_value(a.plan->planning_seconds) : json_value();
  return json;
}

}  // namespace

void add_candidates_json(json_value& json, const candidate_flags& flags, const plan_report* report,
                         bool host_runs) {
  for (const char* key : {"transform", "effort", "wisdom", "extents", "lines", "bytes_in",
                          "bytes_out", "rates", "candidates"})
    json[key] = nullptr;
  if (report == nullptr) return;
  const planned_transform& t = report->transform;
  json_value candidates = json_value::array();
  for (const answer& a : report->answers) candidates.push_back(answer_json(a, *report, host_runs));
  json.update({{"transform", t.name},
               {"effort", flags.effort},
               {"wisdom", flags.wisdom.empty() ? json_value() : json_value(flags.wisdom)},
               {"extents", t.problem.extents},
               {"lines", t.lines},
               {"bytes_in", t.bytes_in},
               {"bytes_out", t.bytes_out},
               {"rates", report->rates},
               {"candidates", candidates}});
}

}  // namespace papilio::cli
