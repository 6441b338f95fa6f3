#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <map>
#include <new>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "cli/common.hpp"
#include "cli/plan_timing.hpp"
#include "cli/validators.hpp"
#include "papilio/base/error.hpp"
#include "papilio/fft.hpp"

namespace papilio::cli {
namespace {

struct arguments {
  std::string expression, type = "double", effort = "estimate", backend, wisdom;
  int threads = 1;
  bool json = false;
};

const std::map<std::string, real_type> types{{"float", real_type::single_precision},
                                             {"double", real_type::double_precision},
                                             {"long-double", real_type::extended_precision}};

/// Tables of larger transforms are not made just to be reported.
constexpr double most_built_points = 1 << 26;

/// One candidate's answer.
struct answer {
  const fft_candidate* candidate;
  std::string refusal;  ///< empty: it can do the problem, and the rest holds
  fft_estimate estimate;
  struct built {
    std::string recipe;
    std::size_t table_bytes, scratch_bytes;
    double planning_seconds;
    std::optional<double> measured_seconds;
  };
  std::optional<built> plan;
};

struct plan_report {
  planned_transform transform;
  double thread_share;    ///< of the work that the busiest thread has
  std::string runs, why;  ///< empty where none can
  std::vector<answer> answers;
};

// ---- Asking ----

double points_of(const fft_problem& problem) {
  double points = 1;
  for (const std::size_t n : problem.extents) points *= static_cast<double>(n);
  return points;
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

answer ask(const fft_candidate& candidate, const planned_transform& t, int threads) {
  answer a{&candidate, candidate.refusal(t.problem), {}, std::nullopt};
  if (!a.refusal.empty()) return a;
  try {
    a.estimate = candidate.estimate(t.problem, t.lines);
    if (points_of(t.problem) <= most_built_points) plan_and_time(a, t, threads);
  } catch (const resource_error& e) {
    a.refusal = e.what();
  } catch (const std::bad_alloc&) {
    a.refusal = "out of memory";
  }
  return a;
}

std::string reason(const arguments& args) {
  if (!args.backend.empty()) return "as --backend asks";
  std::string order;
  for (const std::string& name : backend_names()) order += (order.empty() ? "" : ", ") + name;
  if (backend_names().size() == 1) return "the only backend in this build";
  return fmt::format("the first of {} that can", order);
}

plan_report make_report(const arguments& args) {
  plan_report report{.transform = parse_plan_expression(args.expression, types.at(args.type)),
                     .thread_share = 1,
                     .runs = {},
                     .why = {},
                     .answers = {}};
  planned_transform& t = report.transform;
  t.problem.measured = args.effort == "measure";
  report.thread_share = busiest_share(t, args.threads);
  const execution on{.threads = args.threads, .backend = args.backend};
  const bool any_can = std::ranges::any_of(fft_candidates(), [&](const fft_candidate& candidate) {
    return candidate.refusal(t.problem).empty();
  });
  // One that is asked for by name and cannot is refused before anything is planned.
  if (any_can || !args.backend.empty()) {
    report.runs = choose_fft("plan", t.problem, on, t.lines).name;
    report.why = reason(args);
  }
  for (const fft_candidate& candidate : fft_candidates())
    report.answers.push_back(ask(candidate, t, args.threads));
  return report;
}

// ---- Text ----

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

std::string answer_text(const answer& a, const plan_report& report, int threads) {
  const bool runs = report.runs == a.candidate->name;
  std::string text = fmt::format("\n{}: {}\n", title_of(*a.candidate),
                                 !a.refusal.empty() ? "cannot, " + a.refusal
                                 : runs             ? "runs, " + report.why
                                                    : "can, and runs where --backend says so");
  if (!a.refusal.empty()) return text;
  const fft_estimate& e = a.estimate;
  text += fmt::format("  recipe    {}\n", a.plan ? a.plan->recipe : e.recipe);
  if (a.plan && a.plan->recipe != e.recipe) text += fmt::format("  reckoned  for {}\n", e.recipe);
  text += fmt::format("  passes    {}\n  moves     {}\n  computes  {}flop\n", e.passes,
                      format_bytes(e.bytes_moved), format_scaled(e.flops));
  text += a.plan ? plan_text(*a.plan)
                 : fmt::format("  tables    not made: more than {} points\n",
                               static_cast<std::uint64_t>(most_built_points));
  const auto line = [&](const char* name, double seconds) {
    return fmt::format("  {:<9} {} on {}, {}flop/s\n", name, format_seconds(seconds),
                       counted(static_cast<std::uint64_t>(threads), "thread"),
                       format_scaled(report.transform.nominal_flops / seconds));
  };
  text += line("estimate", e.seconds * report.thread_share);
  if (a.plan && a.plan->measured_seconds) text += line("measured", *a.plan->measured_seconds);
  return text + fmt::format("  error     {:.2g} (expected, relative)\n", e.relative_error);
}

std::string report_text(const arguments& args, const plan_report& report) {
  const planned_transform& t = report.transform;
  std::string text = fmt::format(
      "transform {} of {}, {}\nwork      {}flop by the {} n log2 n convention\n"
      "data      {} in, {} out\n",
      t.name, sizes_text(t), to_string(t.problem.type), format_scaled(t.nominal_flops),
      t.problem.kind <= fft_kind::complex_inverse ? "5" : "2.5", format_bytes(t.bytes_in),
      format_bytes(t.bytes_out));
  if (!args.wisdom.empty()) text += fmt::format("wisdom    {}\n", printable(args.wisdom));
  for (const answer& a : report.answers) text += answer_text(a, report, args.threads);
  return text;
}

// ---- JSON ----

nlohmann::json answer_json(const answer& a, const plan_report& report) {
  nlohmann::json json{{"name", a.candidate->name},
                      {"version", a.candidate->version},
                      {"runs", report.runs == a.candidate->name},
                      {"refusal", a.refusal}};
  if (!a.refusal.empty()) return json;
  const fft_estimate& e = a.estimate;
  json["recipe"] = a.plan ? a.plan->recipe : e.recipe;
  json["reckoned_recipe"] = e.recipe;
  json["passes"] = e.passes;
  json["bytes_moved"] = e.bytes_moved;
  json["flops"] = e.flops;
  json["seconds"] = e.seconds * report.thread_share;
  json["relative_error"] = e.relative_error;
  json["table_bytes"] = a.plan ? nlohmann::json(a.plan->table_bytes) : nlohmann::json();
  json["scratch_bytes"] = a.plan && a.plan->scratch_bytes > 0
                              ? nlohmann::json(a.plan->scratch_bytes)
                              : nlohmann::json();
  json["measured_seconds"] = a.plan && a.plan->measured_seconds
                                 ? nlohmann::json(*a.plan->measured_seconds)
                                 : nlohmann::json();
  json["planning_seconds"] = a.plan ? nlohmann::json(a.plan->planning_seconds) : nlohmann::json();
  return json;
}

nlohmann::json report_json(const arguments& args, const plan_report& report) {
  const planned_transform& t = report.transform;
  nlohmann::json candidates = nlohmann::json::array();
  for (const answer& a : report.answers) candidates.push_back(answer_json(a, report));
  return {{"expression", args.expression},
          {"transform", t.name},
          {"type", args.type},
          {"effort", args.effort},
          {"threads", args.threads},
          {"wisdom", args.wisdom.empty() ? nlohmann::json() : nlohmann::json(args.wisdom)},
          {"extents", t.problem.extents},
          {"lines", t.lines},
          {"bytes_in", t.bytes_in},
          {"bytes_out", t.bytes_out},
          {"nominal_flops", t.nominal_flops},
          {"runs", report.runs},
          {"why", report.why},
          {"candidates", candidates}};
}

/// A file that is not there yet is a beginning; one that is damaged or foreign is refused.
void load_wisdom_of(const arguments& args) {
  if (args.wisdom.empty()) return;
  if (args.effort != "measure") throw usage_error("--wisdom: needs --effort measure");
  if (std::filesystem::exists(args.wisdom)) load_wisdom(args.wisdom);
}

int run(const arguments& args) {
  load_wisdom_of(args);
  try {
    const plan_report report = make_report(args);
    if (!args.wisdom.empty()) save_wisdom(args.wisdom);
    if (args.json)
      print(
          report_json(args, report).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) +
          "\n");
    else
      print(report_text(args, report));
    return report.runs.empty() ? exit_bad_data : exit_done;
  } catch (const invalid_argument& e) {
    throw usage_error(printable(e.what()));
  }
}

std::vector<std::string> keys(const std::map<std::string, real_type>& map) {
  std::vector<std::string> names;
  for (const auto& [name, type] : map) names.push_back(name);
  return names;
}

}  // namespace

void add_plan(CLI::App& app, int& code) {
  auto args = std::make_shared<arguments>();
  CLI::App* const verb = app.add_subcommand(
      "plan", "How a transform would be computed, by which backend, and what it costs");
  verb->group("Verbs");
  verb->add_option("EXPR", args->expression, "The transform, in quotes; see below")->required();
  verb->add_option("--type", args->type, "Of the numbers")
      ->transform(CLI::IsMember(keys(types), CLI::ignore_case))
      ->capture_default_str();
  verb->add_option("--effort", args->effort, "Plan by reckoning, or by timing the choices")
      ->transform(CLI::IsMember(std::vector<std::string>{"estimate", "measure"}, CLI::ignore_case))
      ->capture_default_str();
  verb->add_option("--wisdom", args->wisdom,
                   "File of what was found by measuring: read before, where it is there, and "
                   "written")
      ->check(not_empty());
  verb->add_option("--threads", args->threads, "Threads among which lines are divided")
      ->transform(whole_number_from(1, 1024))
      ->capture_default_str();
  verb->add_option("--backend", args->backend, "Backend that shall run [the first that can]")
      ->check(not_empty());
  verb->add_flag("--json", args->json, "Print JSON");
  verb->footer(
      std::string(plan_grammar) +
      "\nPasses read and write the data once each; bytes moved, flops and the estimate are "
      "reckoned\nfrom a recipe and round figures for the processor. Plans of up to 2^26 "
      "points are built:\ntables, the scratch of one thread and the planning time are what "
      "they are. With --effort\nmeasure each is also run, on zeros, for about a tenth of a "
      "second; where measuring chose\nanother recipe, the figures are still for the one "
      "reckoned. Flop/s are of 5 n log2 n, real\nones of half that. Exit 1 where no backend "
      "can do it.");
  verb->callback([args, &code] { code = run(*args); });
}

}  // namespace papilio::cli
