#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "cli/common.hpp"
#include "cli/plan_calibration.hpp"
#include "cli/plan_report.hpp"
#include "cli/plan_sides.hpp"
#include "cli/validators.hpp"
#include "papilio/base/error.hpp"
#include "papilio/fft.hpp"

namespace papilio::cli {
namespace plan_verb {
namespace {

struct arguments {
  std::vector<std::string> words;
  std::string expression;  ///< the words
  candidate_flags candidates;
  comparison_flags sides;
  calibration_flags calibration;
};

const std::map<std::string, real_type> types{{"double", real_type::double_precision},
                                             {"float", real_type::single_precision},
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

struct choice {
  std::string runs, why;
  std::string instead;  ///< of the host; empty where it runs
};

// The side, and of the host's backends which.
choice choice_of(const comparison& c, const std::optional<plan_answers>& found) {
  if (c.runs != "host")
    return {c.runs, c.why, c.runs.empty() ? "the policy cannot be met" : "the device runs"};
  if (!found) return {c.runs, c.why, ""};
  return {found->runs, fmt::format("{}; {} is {}", c.why, found->runs, found->why), ""};
}

void compare(const arguments& args, reporter& out) {
  const candidate_flags& flags = args.candidates;
  const planned_operation planned = parse_operation(args.expression, types.at(flags.type));
  if (!planned.transform && flags.effort == "measure")
    throw usage_error("--effort measure: {} is not timed", planned.name);
  const candidate_flags host_flags = of_host(flags);
  std::optional<plan_answers> found;
  if (planned.transform) found = ask_candidates(*planned.transform, host_flags);
  const compared_sides sides =
      compare_sides(planned.what, args.sides, flags.threads, flags.backend);
  if (!flags.wisdom.empty()) save_wisdom(flags.wisdom);
  const choice chosen = choice_of(sides.sides, found);
  report made;
  made.fields("expression", args.expression, "type", flags.type, "threads", flags.threads, "runs",
              chosen.runs, "why", chosen.why)
      .append(candidates_report(host_flags, found, chosen.instead))
      .append(sides_report(sides));
  out.print(made);
  // Nothing that was asked for by name is missing where only the default policy cannot be met.
  const bool is_asked = args.sides.asks_policy() || !flags.backend.empty();
  if (!chosen.runs.empty() || (!is_asked && sides.sides.device_can())) return;
  complain(fmt::format("{}: {}", args.expression, chosen.why));
  out.fail();
}

void run(const arguments& args, reporter& out) {
  if (args.calibration.measures) return out.print(calibrated(args.calibration));
  args.calibration.use_file();
  load_wisdom_of(args);
  try {
    if (args.calibration.checks) return out.print(checked_estimates(args.expression));
    compare(args, out);
  } catch (const invalid_argument& e) {
    throw usage_error(printable(e.what()));
  }
}

}  // namespace
}  // namespace plan_verb

void add_plan(program& app) {
  using namespace plan_verb;
  auto args = std::make_shared<arguments>();
  command& verb = app.add_command(
      "plan",
      "Compare host and accelerator for a transform or a product: what runs, where, at what cost");
  candidate_flags& candidates = args->candidates;
  verb.add(
      {{"EXPR", args->words, "The operation, see below; quotes may be left out"},
       {"--type", candidates.type, "Of the numbers", one_of({"double", "float", "long-double"})},
       {"--effort", candidates.effort, "Plan by reckoning, or by timing the choices",
        one_of({"estimate", "measure"})},
       {"--wisdom", candidates.wisdom,
        "File of what was found by measuring: read before, where it is there, and written",
        not_empty()},
       {"--threads", candidates.threads, "Threads among which lines are divided",
        whole_number_from(1, 1024)},
       {"--backend", candidates.backend,
        "Backend that shall run: the host's, or device [the host's first that can]", not_empty()}});
  args->sides.add_to(verb);
  args->calibration.add_to(verb);
  verb.footer(std::string(plan_grammar) + R"(
Nothing runs on the accelerator: its times are modelled, from one dry run of the kernel, and
emulation takes longer than the host's own code. A crossover is the size from which on the
device is faster: with operands on the host, which are copied, or resident; warm, or cold
with the program's compilation. The host has native precision alone. Its other figures are of
transforms: passes read and write the data once each; bytes moved, flops and the estimate are
reckoned from a recipe and the rates of this computer, measured by --calibrate or supposed
from CPU features. The environment's PAPILIO_CALIBRATION names another file of them, or is
off. Plans without an axis of over 2^17 points are built; with --effort measure all of up to
2^26 points are, and run, on zeros, for about a tenth of a second. Flop/s are of 5 n log2 n,
real ones of half that. Exit 1, with the reason on standard error, where neither side can, and
where a policy or backend that was asked for cannot be had.)");
  verb.example("papilio plan \"fft 128x1024\"", "128 lines of 1024 points");
  verb.example("papilio plan \"gemm 2048x2048x2048\"", "a product of matrices");
  verb.reports([args, &verb](reporter& out) {
    args->calibration.require_sense(verb);
    args->expression = fmt::format("{}", fmt::join(args->words, " "));
    run(*args, out);
  });
}

}  // namespace papilio::cli
