#include <algorithm>
#include <filesystem>
#include <map>

#include "cli/candidate_answer.hpp"
#include "cli/plan_operation.hpp"
#include "cli/plan_ranks.hpp"
#include "cli/plan_sides.hpp"
#include "dispatch/figure_text.hpp"
#include "papilio/fft.hpp"
#include "papilio/transform/candidate.hpp"

namespace papilio::cli {
namespace plan_verb {
namespace {

/// How the backends of the host are asked about a transform.
struct candidate_flags {
  std::string type = "float", effort = "estimate", backend, wisdom;
  int threads = 1;
};

struct plan_answers {
  planned_transform transform = {};
  std::string runs = {}, why = {};  ///< of the host's backends, if it runs; empty where none can
  std::vector<candidate_answer> answers = {};
};

struct arguments {
  std::vector<std::string> words;
  std::string expression;  ///< the words
  std::string host;        ///< file of its rates
  candidate_flags candidates;
  comparison_flags sides;
  rank_flags ranks;

  void add_to(command& verb) {
    verb.add(
        {{"EXPR", words, "The operation, see below; quotes may be left out", flag_trait::required},
         {"--type", candidates.type, "Type of the numbers",
          one_of({"double", "float", "long-double"})},
         {"--effort", candidates.effort, "Choose by estimates, or by timing the candidates",
          one_of({"estimate", "measure"})},
         {"--wisdom", candidates.wisdom,
          "File of what was found by measuring: read before, where it is there, and written",
          not_empty()},
         {"--threads", candidates.threads, "Threads among which lines are divided",
          whole_number_from(1, 1024)},
         {"--backend", candidates.backend,
          "Backend to use: one of the host's, or device [the host's first that can]", not_empty()},
         {"--host", host,
          "Host to compare with: a JSON file of its rates [this computer's, from CPU features]",
          not_empty()},
         {"--ranks", ranks.ranks,
          "Predict one array's transform on so many ranks of MPI, in place of the comparison",
          whole_number_from(1, 1 << 20)},
         {"--network", ranks.network,
          "Network of --ranks: a JSON file of its rates [Jean Zay's, Omni-Path of 100 Gb/s]",
          not_empty()},
         {"--natural", ranks.natural,
          "With --ranks: the result in the order of the input [as the last step leaves it]"}});
    sides.add_to(verb);
  }
};

/// usage_error if a flag of host or accelerator is given, which a prediction for --ranks would
/// ignore.
void require_ranks_alone(const arguments& args) {
  const candidate_flags& c = args.candidates;
  const comparison_flags &s = args.sides, none;
  const std::pair<const char*, bool> given[] = {{"--effort", c.effort != "estimate"},
                                                {"--wisdom", !c.wisdom.empty()},
                                                {"--threads", c.threads != 1},
                                                {"--backend", !c.backend.empty()},
                                                {"--host", !args.host.empty()},
                                                {"--machine", !s.machine.empty()},
                                                {"--runtime", !s.runtime.empty()},
                                                {"--cores", s.cores.has_value()},
                                                {"--policy", !s.policy.empty()},
                                                {"--precision", s.precision != none.precision},
                                                {"--target-error", s.target_error.has_value()}};
  for (const auto& [flag, is_given] : given)
    if (is_given) throw usage_error("{}: is not for --ranks", flag);
}

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

using dispatch_detail::scaled_text;
using dispatch_detail::seconds_text;

std::string reason(const candidate_flags& flags) {
  if (!flags.backend.empty()) return "the backend that --backend asks for";
  std::string order;
  for (const fft_candidate& candidate : fft_candidates())
    order.append(order.empty() ? "" : ", ").append(candidate.name);
  if (fft_candidates().size() == 1) return "the host's only backend in this build";
  return fmt::format("the first of the host's backends ({}) that can", order);
}

/// Asks every backend of the host. invalid_argument for one that is asked for and cannot.
plan_answers ask_candidates(const planned_transform& transform, const candidate_flags& flags) {
  plan_answers found{.transform = transform};
  planned_transform& t = found.transform;
  t.problem.measured = flags.effort == "measure";
  const execution on{.where = policy::host, .threads = flags.threads, .backend = flags.backend};
  const bool any_can = std::ranges::any_of(fft_candidates(), [&](const fft_candidate& candidate) {
    return candidate.refusal(t.problem).empty();
  });
  // One that is asked for by name and cannot is refused before anything is planned.
  if (any_can || !flags.backend.empty()) {
    found.runs = choose_fft("plan", t.problem, on).name;
    found.why = reason(flags);
  }
  for (const fft_candidate& candidate : fft_candidates())
    found.answers.push_back(ask(candidate, t.problem, t.lines, flags.threads));
  return found;
}

/// "12.3 MiB", "512 bytes".
std::string format_bytes(double bytes) {
  if (bytes < 1024) return counted(static_cast<std::uint64_t>(bytes), "byte");
  const char* const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  std::size_t unit = 0;
  for (bytes /= 1024; bytes >= 1023.95 && unit + 1 < std::size(units); ++unit) bytes /= 1024;
  return fmt::format("{:.1f} {}", bytes, units[unit]);
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

report answer_report(const candidate_answer& a, const plan_answers& of, int threads,
                     const std::string& instead) {
  const bool can = a.refusal.empty(), runs = of.runs == a.candidate->name;
  const fft_estimate& e = a.estimate;
  const auto known = [&](const auto& value) { return can ? json_value(value) : json_value(); };
  const auto built = [&](auto candidate_answer::built::*member) {
    return a.plan ? json_value((*a.plan).*member) : json_value();
  };
  const auto speed = [&](double seconds) {
    return fmt::format("{} on {}, {}flop/s", seconds_text(seconds),
                       counted(static_cast<std::uint64_t>(threads), "thread"),
                       scaled_text(of.transform.nominal_flops / seconds));
  };
  report made;
  made.title(fmt::format("{}: {}", title_of(*a.candidate),
                         !can    ? fmt::format("cannot, {}", a.refusal)
                         : !runs ? fmt::format("can, with --backend {}", a.candidate->name)
                         : instead.empty() ? fmt::format("runs, {}", of.why)
                                           : fmt::format("can, but {}", instead)))
      .fields("name", a.candidate->name, "version", a.candidate->version, "runs",
              runs && instead.empty(), "refusal", a.refusal)
      .add("recipe", known(a.plan ? a.plan->recipe : e.recipe), "recipe", "{}");
  const bool is_other = a.plan && a.plan->recipe != e.recipe;
  made.add("reckoned_recipe", known(e.recipe));
  if (is_other) made.line("estimated", "for {}", e.recipe);
  made.add("passes", known(e.passes), "passes", "{}")
      .add("bytes_moved", known(e.bytes_moved), "moves", format_bytes(e.bytes_moved))
      .add("flops", known(e.flops), "computes", scaled_text(e.flops) + "flop")
      .add("table_bytes", built(&candidate_answer::built::table_bytes))
      .add("scratch_bytes", built(&candidate_answer::built::scratch_bytes));
  if (a.plan) {
    const std::size_t scratch = a.plan->scratch_bytes;
    if (scratch == 0) made.add("scratch_bytes", nullptr);
    made.line("tables", "{}", format_bytes(static_cast<double>(a.plan->table_bytes)))
        .line("scratch", "{}",
              scratch > 0 ? format_bytes(static_cast<double>(scratch)) : "unknown");
  } else if (can) {
    if (e.table_bytes > 0) made.add("table_bytes", e.table_bytes);
    made.line("tables", "{}, not made",
              e.table_bytes > 0 ? format_bytes(e.table_bytes) : "unknown");
  }
  return made
      .add("planning_seconds", built(&candidate_answer::built::planning_seconds), "planning",
           a.plan ? seconds_text(a.plan->planning_seconds) : "")
      .add("seconds", known(a.seconds), "estimate", speed(a.seconds))
      .add("measured_seconds", built(&candidate_answer::built::measured_seconds), "measured",
           speed(a.plan ? a.plan->measured_seconds.value_or(1) : 1))
      .add("relative_error", known(e.relative_error), "error", "{:.2g} (expected, relative)");
}

/// Reports the keys that only transforms have; they are null where `found` is empty. `instead`: who
/// runs in place of the host, such as "the device runs"; else empty.
report candidates_report(const candidate_flags& flags, const std::optional<plan_answers>& found,
                         const std::string& instead) {
  report made;
  for (const char* key : {"transform", "effort", "wisdom", "extents", "lines", "bytes_in",
                          "bytes_out", "rates", "candidates"})
    made.add(key, nullptr);
  if (!found) return made;
  const planned_transform& t = found->transform;
  made.fields("transform", t.name, "effort", flags.effort, "extents", t.problem.extents, "lines",
              t.lines, "bytes_in", t.bytes_in, "bytes_out", t.bytes_out)
      .line("transform", "{} of {}, {}", t.name, sizes_text(t), to_string(t.problem.type))
      .line("work", "{}flop by the {} n log2 n convention", scaled_text(t.nominal_flops),
            t.problem.is_complex() ? "5" : "2.5")
      .line("data", "{} in, {} out", format_bytes(t.bytes_in), format_bytes(t.bytes_out))
      .add("rates", to_string(current_host()), "rates", "{}");
  if (!flags.wisdom.empty()) made.add("wisdom", flags.wisdom, "wisdom", "{}");
  json_value candidates = json_value::array();
  for (const candidate_answer& a : found->answers) {
    const report one = answer_report(a, *found, flags.threads, instead);
    made.lines("\n" + one.text());
    candidates.push_back(one.json());
  }
  return made.add("candidates", candidates).lines("\n");
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
  compared_sides sides = compare_sides(planned, args.sides, flags.threads, flags.backend);
  if (sides.sides.is_sum) sides.sides.name = args.expression;
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

void run(arguments& args, reporter& out) {
  args.expression = fmt::format("{}", fmt::join(args.words, " "));
  if (args.ranks.ranks == 0 && (args.ranks.natural || !args.ranks.network.empty()))
    throw usage_error(
        fmt::format("{}: needs --ranks", args.ranks.natural ? "--natural" : "--network"));
  if (args.ranks.ranks > 0) {
    require_ranks_alone(args);
    out.print(
        ranks_report(parse_operation(args.expression, types.at(args.candidates.type)), args.ranks));
    return;
  }
  if (!args.host.empty()) use_host(load_host(args.host));
  load_wisdom_of(args);
  try {
    compare(args, out);
  } catch (const invalid_argument& e) {
    const std::string what = e.what();  // whose first line says it
    throw usage_error(printable(what.substr(0, what.find('\n'))));
  }
}

}  // namespace
}  // namespace plan_verb

void add_plan(program& app) {
  command& verb = add_verb(
      app, "plan", "Compare host and accelerator for an operation: what runs, where, at what cost",
      plan_verb::run);
  verb.footer(std::string(plan_grammar) + R"(
A function of several operations, as a decomposition, has sums of its steps and no crossover.
Nothing runs on the accelerator: its times are modelled, from one dry run of the kernel, and
emulation takes longer than the host's own code. A crossover is the size from which on the
device is faster: with operands on the host, which are copied, or on the device; warm, or
cold with the program's compilation. The host has native precision alone. Its other figures are of
transforms: passes read and write the data once each; bytes moved, flops and the estimate
follow from a recipe and the host's rates, which come from CPU features or from --host; none is
measured. Plans without an axis of over 2^17 points are built; with --effort measure all of up
to 2^26 points are, and run, on zeros, for about a tenth of a second. Flop/s are of 5 n log2 n,
real ones of half that. Exit 1, with the reason on standard error, where neither side can, and
where a policy or backend that was asked for cannot be had.)");
  verb.example("papilio plan \"fft 128x1024\"", "128 lines of 1024 points");
  verb.example("papilio plan \"einsum ij,jk,kl->il i=512 j=512 k=512 l=8\"", "in the best order");
  verb.example("papilio plan \"trsm m=1024 n=512 side=left\"", "a triangular system");
  verb.example("papilio plan \"gemm 2048x2048x2048\"", "a product of matrices");
  verb.example("papilio plan \"rfftn 4096x4096x4096\" --type double --ranks 512",
               "what 512 processes on 13 nodes would take");
}

}  // namespace papilio::cli
