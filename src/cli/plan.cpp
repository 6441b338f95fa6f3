#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <vector>

#include "cli/common.hpp"
#include "cli/json_value.hpp"
#include "cli/plan_calibration.hpp"
#include "cli/plan_report.hpp"
#include "cli/plan_sides.hpp"
#include "cli/validators.hpp"
#include "papilio/base/error.hpp"
#include "papilio/fft.hpp"
#include "papilio/transform/candidate.hpp"

namespace papilio::cli {
namespace plan_verb {
namespace {

struct arguments {
  std::vector<std::string> words;
  std::string expression;  ///< the words
  candidate_flags candidates;
  comparison_flags sides;
  bool json = false;
  calibration_flags calibration;
};

const std::map<std::string, real_type> types{{"float", real_type::single_precision},
                                             {"double", real_type::double_precision},
                                             {"long-double", real_type::extended_precision}};

/// A file that is not there yet is a beginning; one that is damaged or foreign is refused.
void load_wisdom_of(const arguments& args) {
  if (args.candidates.wisdom.empty()) return;
  if (args.candidates.effort != "measure") throw usage_error("--wisdom: needs --effort measure");
  if (std::filesystem::exists(args.candidates.wisdom)) load_wisdom(args.candidates.wisdom);
}

bool is_of_host(const std::string& backend) {
  return std::ranges::any_of(fft_candidates(),
                             [&](const fft_candidate& c) { return c.name == backend; });
}

/// The flags as the host's backends see them: another side's backend is none of theirs.
candidate_flags of_host(candidate_flags flags) {
  if (!flags.backend.empty()) require_known_backend("--backend", flags.backend, host_transforms());
  if (!is_of_host(flags.backend)) flags.backend.clear();
  return flags;
}

void require_transform_flags(const planned_operation& planned, const candidate_flags& flags) {
  if (!planned.transform && flags.effort == "measure")
    throw usage_error(fmt::format("--effort measure: {} is not timed", planned.name));
}

struct choice {
  std::string runs, why;
  std::string instead;  ///< of the host; empty where it runs
};

// The side, and of the host's backends which.
choice choice_of(const comparison& c, const plan_report* report) {
  if (c.runs != "host")
    return {c.runs, c.why, c.runs.empty() ? "the policy cannot be met" : "the device runs"};
  if (report == nullptr) return {c.runs, c.why, ""};
  return {report->runs, fmt::format("{}; {} is {}", c.why, report->runs, report->why), ""};
}

// Nothing that was asked for by name is missing where only the default policy cannot be met.
int code_of(const arguments& args, const comparison& c) {
  const bool is_asked = args.sides.asks_policy() || !args.candidates.backend.empty();
  return !c.runs.empty() || (!is_asked && c.device_can()) ? exit_done : exit_bad_data;
}

int run_comparison(const arguments& args) {
  const candidate_flags& flags = args.candidates;
  const planned_operation planned = parse_operation(args.expression, types.at(flags.type));
  require_transform_flags(planned, flags);
  const candidate_flags host_flags = of_host(flags);
  std::optional<plan_report> report;
  if (planned.transform) report = ask_candidates(*planned.transform, host_flags);
  const side_report sides = compare_sides(planned.what, args.sides, flags.threads, flags.backend);
  if (!flags.wisdom.empty()) save_wisdom(flags.wisdom);
  const choice chosen = choice_of(sides.sides, report ? &*report : nullptr);
  if (args.json) {
    json_value json{{"expression", args.expression},
                    {"type", flags.type},
                    {"threads", flags.threads},
                    {"runs", chosen.runs},
                    {"why", chosen.why}};
    add_side_json(json, sides);
    add_candidates_json(json, host_flags, report ? &*report : nullptr, chosen.instead.empty());
    print(json_text(json));
  } else {
    print((report ? candidates_text(host_flags, *report, chosen.instead) + "\n" : "") +
          side_text(sides));
  }
  const int code = code_of(args, sides.sides);
  if (code != exit_done) complain(fmt::format("{}: {}", args.expression, chosen.why));
  return code;
}

int run(const arguments& args) {
  if (args.calibration.measures) return run_calibration(args.calibration, args.json);
  args.calibration.use_file();
  load_wisdom_of(args);
  try {
    if (args.calibration.checks) return run_estimate_check(args.expression, args.json);
    return run_comparison(args);
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
}  // namespace plan_verb

void add_plan(program& app) {
  using namespace plan_verb;
  auto args = std::make_shared<arguments>();
  command& verb = app.add_command(
      "plan",
      "Compare host and accelerator for a transform or a product: what runs, where, at what cost");
  verb.add_option("EXPR", args->words, "The operation, see below; quotes may be left out")
      .any_number();
  verb.add_option("--type", args->candidates.type, "Of the numbers")
      .check(one_of(keys(types)))
      .show_default();
  verb.add_option("--effort", args->candidates.effort,
                  "Plan by reckoning, or by timing the choices")
      .check(one_of({"estimate", "measure"}))
      .show_default();
  verb.add_option("--wisdom", args->candidates.wisdom,
                  "File of what was found by measuring: read before, where it is there, and "
                  "written")
      .check(not_empty());
  verb.add_option("--threads", args->candidates.threads, "Threads among which lines are divided")
      .check(whole_number_from(1, 1024))
      .show_default();
  verb.add_option("--backend", args->candidates.backend,
                  "Backend that shall run: the host's, or device [the host's first that can]")
      .check(not_empty());
  args->sides.add_to(verb);
  args->calibration.add_to(verb);
  verb.add_flag("--json", args->json, "Print JSON");
  verb.footer(
      std::string(plan_grammar) +
      "\nNothing runs on the accelerator: its times are modelled, from one dry run of the kernel, "
      "and\n"
      "emulation takes longer than the host's own code. A crossover is the size from which on the\n"
      "device is faster: with operands on the host, which are copied, or resident; warm, or cold\n"
      "with the program's compilation. The host's other figures are of transforms:\n\n"
      "Passes read and write the data once each; bytes moved, flops and the estimate are "
      "reckoned\nfrom a recipe and the rates of this computer: those that --calibrate "
      "measured, else\nsupposed from CPU features. The environment's PAPILIO_CALIBRATION names "
      "another file of\nthem, or is off. Plans without an axis of over 2^17 points are built: the "
      "scratch of one\nthread and the planning time are what they are. With --effort measure all "
      "of "
      "up to 2^26\npoints are, and each is also run, on zeros, for about a tenth of a second; "
      "where "
      "measuring\nchose another recipe, the figures are still for the one reckoned. Flop/s are of "
      "5 n log2 n,\nreal ones of half that. The host has native precision alone: that is what "
      "--precision compares\nthe accelerator's with. Exit 1, with the reason on standard error, "
      "where "
      "neither side can, and\nwhere a policy or backend that was asked for cannot be had.");
  verb.example("papilio plan \"fft 128x1024\"", "128 lines of 1024 points");
  verb.example("papilio plan \"gemm 2048x2048x2048\"", "a product of matrices");
  verb.run([args, &verb] {
    args->calibration.require_sense(verb);
    for (const std::string& word : args->words)
      args->expression.append(&word == args->words.data() ? "" : " ").append(word);
    return run(*args);
  });
}

}  // namespace papilio::cli
