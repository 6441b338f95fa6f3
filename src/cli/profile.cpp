#include "calibration/kernel_run.hpp"
#include "cli/report.hpp"
#include "papilio/engine.hpp"
#include "papilio/kernels.hpp"

namespace papilio::cli {
namespace profile_verb {
namespace {

struct arguments {
  std::string kernel, machine, runtime, start = "warm", trace;
  std::vector<std::string> settings;
  int threads = 1;
  std::optional<int> cores;
  bool list = false, brief = false, dry_run = false, listing = false, unchecked = false;
  bool uncertainty = false;
  std::optional<double> replaces, rest;

  void add_to(command& verb) {
    verb.add(
        {{"KERNEL", kernel, "Kernel; --list names them"},
         {"SETTING", settings,
          "Sizes and choices, NAME=VALUE; sizes are whole numbers or powers: 2^10"},
         {"--list", list, "List the kernels and their settings"},
         {"--brief", brief, "The verdict first, and nothing that is zero"},
         {"--machine", machine,
          "trainium1, trainium2, or a JSON file [PAPILIO_MACHINE, else trainium1]", not_empty()},
         {"--runtime", runtime,
          "sdk_2_24, sdk_2_29, sdk_2_29_trn2, or a JSON file [PAPILIO_RUNTIME, else sdk_2_24]",
          not_empty()},
         {"--start", start, "Program found warm, cached on disk, or cold",
          one_of({"warm", "cached", "cold"})},
         {"--dry-run", dry_run,
          "Time only: no values are computed and no memory is taken for them"},
         {"--uncertainty", uncertainty,
          "Run dry again where documents leave the machine open: t (low ... high)"},
         {"--cores", cores, "Time on so many cores of a group, and on one: a dry run (fft)",
          whole_number_from(1, engine::link_model::cores_max)},
         {"--trace", trace, "Write a trace for ui.perfetto.dev to this JSON file", not_empty()},
         {"--listing", listing, "Print every instruction with its time"},
         {"--threads", threads, "Number of host threads that compute values",
          whole_number_from(1, 1024)},
         {"--unchecked", unchecked,
          "Do not look for reads of unwritten memory and unfinished outputs"},
         {"--replaces", replaces,
          "Seconds of the step that the kernel replaces: prints Amdahl's report",
          number_from(1e-12, 1e12)},
         {"--rest", rest, "Seconds of the run's other steps, for that report",
          number_from(1e-12, 1e12)}});
  }
};

report list_report() {
  report made;
  json_value all = json_value::array();
  for (const kernels::catalog_entry& entry : kernels::catalog()) {
    made.lines(fmt::format("{}\n  {}\n", entry.name, entry.summary));
    json_value parameters = json_value::array();
    for (const kernels::kernel_parameter& p : entry.parameters) {
      const std::string choices =
          p.choices.empty() ? "" : fmt::format(" ({})", fmt::join(p.choices, "|"));
      made.lines(fmt::format("    {:<24} {}{}\n", p.name + "=" + p.preset, p.help, choices));
      parameters.push_back(
          json_object("name", p.name, "preset", p.preset, "help", p.help, "choices", p.choices));
    }
    all.push_back(
        json_object("name", entry.name, "summary", entry.summary, "parameters", parameters));
  }
  return made.add("kernels", all);
}

engine::program_start start_of(const std::string& name) {
  if (name == "cold") return engine::program_start::cold;
  return name == "cached" ? engine::program_start::cached : engine::program_start::warm;
}

struct part {
  const char* name;
  double seconds;
};

std::vector<part> parts_of(const engine::launch_result& r) {
  return {{"compile", r.compile_seconds}, {"launch", r.launch_seconds},
          {"copy", r.upload.seconds},     {"fetch", r.fetch.seconds},
          {"device", r.device_seconds},   {"total", r.total_seconds()}};
}

std::optional<engine::amdahl_report> amdahl_of(const arguments& args,
                                               const engine::launch_result& r) {
  if (!args.replaces) return std::nullopt;
  std::vector<engine::amdahl_step> steps{{args.kernel, *args.replaces, r.device_seconds}};
  if (args.rest) steps.push_back({"rest", *args.rest, *args.rest});
  return engine::amdahl_report(std::move(steps));
}

/// What was launched, and how far off it was where that was measured.
struct launched_kernel {
  const engine::runtime_spec& runtime;
  const kernels::sized_kernel& sized;
  engine::launch_result result;
  std::optional<kernels::measured_error> measured = std::nullopt;
  std::optional<kernels::time_range> range = std::nullopt;
};

/// The modelled time where documents leave the machine open, which field opens it how far, and the
/// share that the floor has of it: no open field is in the floor.
void add_range(report& made, const kernels::time_range& range, double floor_seconds) {
  table_rows rows;
  for (const kernels::time_range::field& f : range.fields)
    rows.add(f.name, f.low_value, f.high_value, f.low_seconds * 1e6, f.high_seconds * 1e6);
  made.lines(
      fmt::format("modelled {:.2f} us ({:.2f} ... {:.2f}) where documents leave the machine open, "
                  "most by {}:\n",
                  range.seconds * 1e6, range.low_seconds * 1e6, range.high_seconds * 1e6,
                  range.fields.front().name));
  made.table("", "",
             {{"", "{:<30}"},
              {"", " {:>4}"},
              {"", " ... {:<4}"},
              {"", "{:>14.2f}"},
              {"", " ... {:.2f} us"}},
             rows);
  made.lines(fmt::format(
      "the floor is {:.1f} % of it ({:.1f} ... {:.1f})\n\n", 100 * floor_seconds / range.seconds,
      100 * floor_seconds / range.high_seconds, 100 * floor_seconds / range.low_seconds));
}

json_value range_json(const kernels::time_range& range, double floor_seconds) {
  json_value fields = json_value::array();
  for (const kernels::time_range::field& f : range.fields)
    fields.push_back(json_object("field", f.name, "low", f.low_value, "high", f.high_value,
                                 "low_seconds", f.low_seconds, "high_seconds", f.high_seconds));
  return json_object("seconds", range.seconds, "low_seconds", range.low_seconds, "high_seconds",
                     range.high_seconds, "low_floor_fraction", floor_seconds / range.high_seconds,
                     "high_floor_fraction", floor_seconds / range.low_seconds, "fields", fields);
}

void add_dispatch(report& made, const arguments& args, const launched_kernel& of) {
  const engine::launch_result& r = of.result;
  if (of.range) add_range(made, *of.range, r.summary.verdict.floor_seconds);
  made.lines(fmt::format("One dispatch with {}, operands copied in and out (modelled):\n",
                         of.runtime.name));
  for (const part& p : parts_of(r))
    if (!args.brief || p.seconds > 0)
      made.line(fmt::format("  {}", p.name), "{:>14.1f} us", p.seconds * 1e6);
  made.lines(fmt::format("  {} in, {} out; program {}, which compiles in about {:.0f} s\n",
                         counted(r.upload.tensors, "tensor"), counted(r.fetch.tensors, "tensor"),
                         engine::to_string(r.program),
                         of.runtime.compile_seconds_of(double(r.instructions))));
  if (!args.brief)
    made.lines(fmt::format("Emulated in {:.3f} s{}\n", r.wall_seconds,
                           args.dry_run ? " (dry run: no values)" : ""));
}

/// The verdict, the dispatch, and the units that did something.
void add_brief_lines(report& made, const arguments& args, const launched_kernel& of) {
  const engine::profile& profile = of.result.summary;
  made.lines(profile.verdict_text() + "\n");
  add_dispatch(made, args, of);
  made.lines("\nactive\n");
  constexpr std::string_view share = "_active_time_percent";
  for (const char* unit : {"tensor_engine", "vector_engine", "scalar_engine", "gpsimd_engine",
                           "sync_engine", "dma", "cc_op"})
    if (const double active = profile.value(fmt::format("{}{}", unit, share)); active > 0)
      made.lines(fmt::format("  {:<14}{:>10.1f} %\n", unit, 100 * active));
}

void add_lines(report& made, const arguments& args, const launched_kernel& of) {
  const engine::launch_result& r = of.result;
  made.lines((args.listing ? r.events.listing() + "\n" : "") + r.summary.to_text());
  if (const std::string how = of.sized.explain(); !how.empty()) made.lines("\n" + how);
  if (const auto& measured = of.measured)
    made.lines(fmt::format("achieved: {:.3g}, over {} outputs of {}, against sums in double\n",
                           measured->achieved, measured->outputs,
                           counted(std::uint64_t(measured->lines), "line")));
  made.lines("\n");
  add_dispatch(made, args, of);
}

report report_of(const arguments& args, const launched_kernel& of) {
  const engine::launch_result& r = of.result;
  json_value parts;
  for (const part& p : parts_of(r)) parts[std::string(p.name) + "_seconds"] = p.seconds;
  json_value achieved;
  if (const auto& m = of.measured)
    achieved = json_object("error", m->achieved, "lines", m->lines, "outputs", m->outputs);
  report made;
  made.fields("kernel", args.kernel, "machine", r.summary.machine, "settings", args.settings,
              "mode", args.dry_run ? "dry_run" : "execute", "summary",
              *parse_json(r.summary.to_json(), member_order::as_added), "verdict",
              r.summary.verdict_text(), "floor_seconds", r.summary.verdict.floor_seconds,
              "floor_fraction", r.summary.verdict.floor_fraction, "explanation",
              of.sized.recipe() + of.sized.comparison(), "table_bytes", of.sized.table_bytes(),
              "runtime", of.runtime.name, "dispatch", parts, "wall_seconds", r.wall_seconds,
              "compile_seconds", of.runtime.compile_seconds_of(double(r.instructions)),
              "instructions", r.instructions, "range",
              of.range ? range_json(*of.range, r.summary.verdict.floor_seconds) : json_value(),
              "expected_error",
              of.sized.expected_error > 0 ? json_value(of.sized.expected_error) : json_value(),
              "achieved_error", achieved);
  (args.brief ? add_brief_lines : add_lines)(made, args, of);
  const auto amdahl = amdahl_of(args, r);
  if (amdahl) made.lines("\n" + amdahl->to_text());
  return made.add("amdahl",
                  amdahl ? *parse_json(amdahl->to_json(), member_order::as_added) : json_value());
}

json_value json_of(const kernels::group_times& t) {
  return json_object("cores", t.cores, "seconds", t.seconds, "device_seconds", t.device_seconds,
                     "compute_share", t.compute_share, "communication_share", t.communication_share,
                     "link_share", t.link_share);
}

/// What the kernel takes on the cores of a group and on one. usage_error for one that is not split.
report cores_report(const arguments& args, const engine::machine_spec& machine,
                    const engine::runtime_spec& runtime) {
  const auto times = [&](int cores) {
    try {
      return kernels::time_kernel(kernels::find_kernel(args.kernel), args.settings, cores, machine,
                                  runtime, {.start = start_of(args.start)});
    } catch (const invalid_argument& e) {
      throw usage_error("--cores: " + printable(e.what()));
    }
  };
  const kernels::group_times one = times(1), all = times(*args.cores);
  table_rows rows;
  rows.add("cores and links", one.device_seconds * 1e6, all.device_seconds * 1e6,
           all.device_efficiency(one));
  rows.add("with dispatch, copies", one.seconds * 1e6, all.seconds * 1e6, all.efficiency(one));
  report made;
  made.labels(9)
      .add("kernel", args.kernel, "kernel", "{}")
      .add("machine", machine.name, "machine", "{}")
      .line("cores", "{}", *args.cores)
      .lines(fmt::format("\n{}\n", all.explanation))
      .table("", "",
             {{"", "{:<24}", "microseconds"},
              {"", "{:>14.1f}", "1 core"},
              {"", "{:>14.1f}", counted(std::uint64_t(*args.cores), "core")},
              {"", "{:>12.3f}", "efficiency"}},
             rows)
      .lines(fmt::format("\nlinks are {:.1f}% of the first; of the second, compute is {:.1f}% and "
                         "communication {:.1f}%\n({}, operands copied in and out; modelled, a dry "
                         "run)\n",
                         100 * all.link_share, 100 * all.compute_share,
                         100 * all.communication_share, runtime.name));
  return made.fields("settings", args.settings, "mode", "dry_run", "runtime", runtime.name,
                     "one_core", json_of(one), "group", json_of(all), "efficiency",
                     all.efficiency(one), "device_efficiency", all.device_efficiency(one));
}

kernels::sized_kernel sized_by(const arguments& args, const engine::machine_spec& machine) {
  try {
    return kernels::size_kernel(kernels::find_kernel(args.kernel), args.settings, machine);
  } catch (const invalid_argument& e) {
    throw usage_error(printable(e.what()));
  }
}

void require_sense(const arguments& args, const reporter& out) {
  if (args.kernel.empty()) throw usage_error("KERNEL is missing; --list names them");
  if (args.rest && !args.replaces) throw usage_error("--rest: needs --replaces");
  if (args.listing && out.format() != report_format::text)
    throw usage_error("--listing: not with --json");
  if (args.listing && args.brief) throw usage_error("--listing: not with --brief");
  if (args.cores &&
      (args.listing || args.uncertainty || args.unchecked || args.replaces || !args.trace.empty()))
    throw usage_error(
        "--cores: not with --trace, --listing, --unchecked, --uncertainty and --replaces");
}

report profiled(const arguments& args) {
  const std::string on = given_or_environment(args.machine, "PAPILIO_MACHINE", "trainium1"),
                    with = given_or_environment(args.runtime, "PAPILIO_RUNTIME", "sdk_2_24");
  for (const std::string& read : {on, with})
    if (!args.trace.empty()) require_named_output("--trace", args.trace, read);
  const engine::machine_spec machine = engine::load_machine(on);
  const engine::runtime_spec runtime = engine::load_runtime(with);
  const kernels::sized_kernel sized = sized_by(args, machine);
  if (args.cores) return cores_report(args, machine, runtime);
  engine::device device(machine, runtime,
                        {.strict = !args.unchecked,
                         .trace = !args.trace.empty() || args.listing,
                         .threads = args.threads,
                         .start = start_of(args.start)});
  launched_kernel of{runtime, sized, calibration::run_on_made_inputs(device, sized, args.dry_run)};
  if (!args.trace.empty()) of.result.events.save(args.trace);
  if (args.uncertainty) of.range = kernels::modelled_range(sized, machine);
  if (!args.dry_run)
    of.measured =
        kernels::measure_kernel(kernels::find_kernel(args.kernel), args.settings, machine);
  return report_of(args, of);
}

void run(arguments& args, reporter& out) {
  if (args.list) {
    if (!args.kernel.empty()) throw usage_error("--list: takes no kernel");
    return out.print(list_report());
  }
  require_sense(args, out);
  out.print(profiled(args));
}

}  // namespace
}  // namespace profile_verb

void add_profile(program& app) {
  command& verb =
      add_verb(app, "profile",
               "Predict how long a kernel takes on an emulated tensor-engine accelerator, and why",
               profile_verb::run);
  verb.footer(
      R"(Times are modelled from documented instruction costs; emulation computes the true values
and is slower than the host's own code. Inputs are generated, and the same in every run.
Fields are those of the vendor's profiler: seconds, bytes, and fractions of 0 to 1.
Exit 1 where the machine refuses the kernel, with the instruction and the bound.)");
  verb.example("papilio profile --list", "the kernels");
  verb.example("papilio profile fft batch=4096 n=1024 --dry-run",
               "the modelled time, and what bounds it");
}

}  // namespace papilio::cli
