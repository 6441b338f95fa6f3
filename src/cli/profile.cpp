#include <set>

#include "cli/kernel_run.hpp"
#include "cli/presets.hpp"
#include "cli/profile_run.hpp"
#include "kernels/published/catalog.hpp"

namespace papilio::cli {
namespace profile_verb {

void arguments::add_to(command& verb) {
  verb.add(
      {{"KERNEL", kernel,
        "Kernel, of those that --list names; or FILE.so, an object with your own"},
       {"SETTING", settings,
        "Sizes and choices, NAME=VALUE; sizes are whole numbers or powers: 2^10.\n"
        "m=512..4096 runs for 512, 1024, 2048 and 4096, m=512..4096:512 every 512.\n"
        "After FILE.so, the name of its kernel comes first"},
       {"--list", list, "List the kernels and their settings"},
       {"--brief", brief, "The verdict and the dispatch alone"},
       {"--all", all, "Numbers that are zero, too"},
       {"--machine", machine,
        machine_choices() + "\n[PAPILIO_MACHINE, else trainium1]; list: what these are",
        not_empty()},
       {"--runtime", runtime, runtime_choices() + "\n[PAPILIO_RUNTIME, else sdk_2_24]",
        not_empty()},
       {"--start", start, "Program found warm, cached on disk, or cold",
        one_of({"warm", "cached", "cold"})},
       {"--dry-run", dry_run, "Time only: no values are computed and no memory is taken for them"},
       {"--uncertainty", uncertainty,
        "Run dry again where documents leave the machine open, and list by how much; without it\n"
        "only the range of the time is given, for programs of up to 20000 instructions"},
       {"--cores", cores, "Time on so many cores of a group, and on one: a dry run (fft)",
        whole_number_from(1, engine::link_model::cores_max)},
       {"--against", against,
        "Compare with another run, whose --json was saved in this file; KERNEL may be one too",
        not_empty()}});
  verb.add({{"--timeline", timeline, "Draw what each engine did when: .svg, .png, .pdf or .html",
             not_empty()},
            {"--roofline", roofline,
             "Draw the run under the machine's roofs: .svg, .png, .pdf or .html", not_empty()},
            {"--plot", plot, "Draw the times of a range of sizes: .svg, .png or .pdf", not_empty()},
            {"--trace", trace, "Write a trace for ui.perfetto.dev to this JSON file", not_empty()},
            {"--listing", listing, "Print every instruction with its time"}},
           "Pictures and traces");
  verb.add({{"--threads", threads, "Number of host threads that compute values",
             whole_number_from(1, 1024)},
            {"--unchecked", unchecked,
             "Do not look for reads of unwritten memory and unfinished outputs"},
            {"--replaces", replaces,
             "Seconds of the step that the kernel replaces: prints Amdahl's report",
             number_from(1e-12, 1e12)},
            {"--rest", rest, "Seconds of the run's other steps, for that report",
             number_from(1e-12, 1e12)}});
}

target::target(const arguments& args)
    : machine(
          engine::load_machine(given_or_environment(args.machine, "PAPILIO_MACHINE", "trainium1"))),
      runtime(
          engine::load_runtime(given_or_environment(args.runtime, "PAPILIO_RUNTIME", "sdk_2_24"))) {
}

engine::program_start start_of(const std::string& name) {
  if (name == "cold") return engine::program_start::cold;
  return name == "cached" ? engine::program_start::cached : engine::program_start::warm;
}

kernels::sized_kernel sized_by(const kernels::catalog_entry& entry,
                               const std::vector<std::string>& settings,
                               const engine::machine_spec& machine) {
  try {
    return kernels::size_kernel(entry, settings, machine);
  } catch (const invalid_argument& e) {
    throw usage_error(printable(e.what()));
  }
}

namespace {

constexpr std::uint64_t most_ranged_instructions = 20000;

report list_report(std::span<const kernels::catalog_entry> kernels) {
  report made;
  json_value all = json_value::array();
  for (const kernels::catalog_entry& entry : kernels) {
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

report machines_report() {
  table_rows rows;
  for (const engine::machine_preset& preset : engine::machine_presets) {
    const engine::machine_spec m = engine::load_machine(preset.name);
    rows.add(m.name, preset.short_name, m.core, m.cores_per_chip, m.sbuf.bytes() >> 20,
             m.hbm.bytes_per_chip >> 30, m.dma.core_bytes_per_ns(), m.tensor.peak_flops() * 1e-12);
  }
  return report()
      .table("machines", "",
             {{"name", "{:<}", "machine"},
              {"short_name", "  {:<}", "short"},
              {"core", "  {:<}", "core"},
              {"cores_per_chip", "  {}", "cores"},
              {"sbuf_mib", "  {}", "SBUF, MiB"},
              {"hbm_gib_per_chip", "  {}", "HBM, GiB"},
              {"dma_gb_per_s", "  {:.0f}", "DMA, GB/s"},
              {"bf16_tflops", "  {:.1f}", "bf16, TFLOP/s"}},
             rows)
      .lines("Cores and HBM are of a chip, the rest of a core.\n");
}

json_value json_of(const kernels::group_times& t) {
  return json_object("cores", t.cores, "seconds", t.seconds, "device_seconds", t.device_seconds,
                     "compute_share", t.compute_share, "communication_share", t.communication_share,
                     "link_share", t.link_share);
}

/// Compares the kernel's time on a group of cores with one core. usage_error where it is not split.
report cores_report(const arguments& args, const kernels::catalog_entry& entry, const target& on) {
  const auto times = [&](int cores) {
    try {
      return kernels::time_kernel(entry, args.settings, cores, on.machine, on.runtime,
                                  {.start = start_of(args.start)});
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
      .add("machine", on.machine.name, "machine", "{}")
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
                         100 * all.communication_share, on.runtime.name));
  return made.fields("settings", args.settings, "mode", "dry_run", "runtime", on.runtime.name,
                     "one_core", json_of(one), "group", json_of(all), "efficiency",
                     all.efficiency(one), "device_efficiency", all.device_efficiency(one));
}

bool is_file_of(const std::string& name, const char* ending) {
  return name.ends_with(ending) && name.find('=') == std::string::npos;
}

/// The kernel, of the catalog or of an object that is named first; the settings are then its own.
/// usage_error where there is no such kernel.
const kernels::catalog_entry& chosen_kernel(arguments& args) {
  if (!is_file_of(args.kernel, ".so")) {
    try {
      return kernels::published::find_any(args.kernel);
    } catch (const invalid_argument& e) {
      throw usage_error(printable(e.what()));
    }
  }
  const std::vector<kernels::catalog_entry>& own = kernels_of_object(args.kernel);
  std::vector<std::string> names;
  for (const kernels::catalog_entry& entry : own) names.push_back(entry.name);
  const bool named = !args.settings.empty() && args.settings[0].find('=') == std::string::npos;
  if (!named && own.size() > 1)
    throw usage_error("SETTING: {} has the kernels {}: name one", args.kernel,
                      fmt::join(names, ", "));
  const auto at =
      named ? std::ranges::find(own, args.settings[0], &kernels::catalog_entry::name) : own.begin();
  if (at == own.end())
    throw usage_error("SETTING: {} has no kernel \"{}\", but {}", args.kernel, args.settings[0],
                      fmt::join(names, ", "));
  if (named) args.settings.erase(args.settings.begin());
  args.kernel = at->name;
  return *at;
}

using named_flag = std::pair<const char*, bool>;

/// usage_error where a flag that is given meets one of the others.
void refuse_together(const named_flag& flag, std::initializer_list<named_flag> others) {
  for (const auto& [name, given] : others)
    if (flag.second && given) throw usage_error("{}: not with {}", flag.first, name);
}

void require_sense(const arguments& args, const reporter& out) {
  if (args.kernel.empty()) throw usage_error("KERNEL is missing; --list names them");
  if (args.rest && !args.replaces) throw usage_error("--rest: needs --replaces");
  if (args.listing && out.format() != report_format::text)
    throw usage_error("--listing: not with --json");
  const bool sweeps = sweep_in(args.settings).has_value();
  const named_flag brief{"--brief", args.brief}, cores{"--cores", args.cores.has_value()},
      range{"a range of sizes", sweeps}, against{"--against", !args.against.empty()};
  refuse_together(brief, {{"--listing", args.listing}, {"--all", args.all}});
  for (const named_flag& flag : {cores, range})
    refuse_together(flag, {{"--trace", !args.trace.empty()},
                           {"--listing", args.listing},
                           {"--unchecked", args.unchecked},
                           {"--uncertainty", args.uncertainty},
                           {"--replaces", args.replaces.has_value()},
                           {"--timeline", !args.timeline.empty()},
                           {"--roofline", !args.roofline.empty()},
                           brief,
                           {"--all", args.all},
                           against});
  refuse_together(range, {cores, {"--threads", args.threads != 1}});
  // Comparing two saved runs launches nothing, so settings of a launch are refused.
  refuse_together({args.kernel.c_str(), is_file_of(args.kernel, ".json")},
                  {{"SETTING", !args.settings.empty()},
                   {"--machine", !args.machine.empty()},
                   {"--runtime", !args.runtime.empty()},
                   {"--start", args.start != "warm"},
                   {"--dry-run", args.dry_run},
                   {"--uncertainty", args.uncertainty},
                   cores,
                   {"--timeline", !args.timeline.empty()},
                   {"--roofline", !args.roofline.empty()},
                   {"--trace", !args.trace.empty()},
                   {"--threads", args.threads != 1},
                   {"--unchecked", args.unchecked},
                   {"--replaces", args.replaces.has_value()}});
  refuse_together(against, {{"--listing", args.listing}, brief});
  if (!sweeps && !args.plot.empty()) throw usage_error("--plot: needs a range of sizes");
  require_drawable("--timeline", args.timeline, true);
  require_drawable("--roofline", args.roofline, true);
  require_drawable("--plot", args.plot, false);
}

/// The outputs must not replace what is read, nor each other.
void require_other_outputs(const arguments& args) {
  const std::pair<const char*, const std::string&> outputs[] = {{"--trace", args.trace},
                                                                {"--timeline", args.timeline},
                                                                {"--roofline", args.roofline},
                                                                {"--plot", args.plot}};
  std::set<std::string> seen;
  for (const auto& [flag, name] : outputs) {
    if (name.empty()) continue;
    for (const std::string& read :
         {given_or_environment(args.machine, "PAPILIO_MACHINE"),
          given_or_environment(args.runtime, "PAPILIO_RUNTIME"), args.against, args.kernel})
      require_named_output(flag, name, read);
    if (!seen.insert(name).second)
      throw usage_error("{}: \"{}\" is another output too", flag, name);
  }
}

report profiled(const arguments& args, const kernels::catalog_entry& entry, const target& on) {
  const kernels::sized_kernel sized = sized_by(entry, args.settings, on.machine);
  const bool traced = !args.trace.empty() || args.listing || !args.timeline.empty();
  engine::device device(on.machine, on.runtime,
                        {.strict = !args.unchecked,
                         .trace = traced,
                         .threads = args.threads,
                         .start = start_of(args.start)});
  launched_kernel of{on.runtime, sized, run_on_made_inputs(device, sized, args.dry_run)};
  if (!args.trace.empty()) of.result.events.save(args.trace);
  if (!args.timeline.empty()) write_timeline(args.timeline, of.result);
  if (!args.roofline.empty()) write_roofline(args.roofline, of.result, on.machine);
  if (args.uncertainty || of.result.summary.verdict.instructions <= most_ranged_instructions)
    of.range = kernels::modelled_range(sized, on.machine);
  if (!args.dry_run) of.measured = kernels::measure_kernel(entry, args.settings, on.machine);
  return report_of(args, of);
}

void list_kernels(arguments& args, reporter& out) {
  const bool is_object = is_file_of(args.kernel, ".so");
  if (!args.settings.empty() || !(args.kernel.empty() || is_object))
    throw usage_error("--list: takes no kernel");
  out.attempt([&] {
    return is_object ? list_report(kernels_of_object(args.kernel))
                     : list_report(kernels::published::whole_catalog());
  });
}

void run(arguments& args, reporter& out) {
  if (args.list) return list_kernels(args, out);
  if (args.machine == "list") return out.print(machines_report());
  require_sense(args, out);
  require_other_outputs(args);
  if (is_file_of(args.kernel, ".json")) {
    if (args.against.empty())
      throw usage_error("--against: must name what {} is compared with", args.kernel);
    return out.print(difference_report(saved_run(args.against), saved_run(args.kernel), args.all));
  }
  const kernels::catalog_entry& entry = chosen_kernel(args);
  const target on(args);
  if (args.cores) return out.print(cores_report(args, entry, on));
  if (const auto sweep = sweep_in(args.settings)) {
    bool failed = false;
    out.print(sweep_report(args, entry, on, *sweep, failed));
    if (failed) out.fail();
    return;
  }
  if (args.against.empty()) return out.print(profiled(args, entry, on));
  const json_value before = saved_run(args.against);
  out.print(difference_report(before, profiled(args, entry, on).json(), args.all));
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
docs/writing_a_kernel.md shows how to make a FILE.so.
Exit 1 where the machine refuses the kernel, with the instruction and the bound.)");
  verb.example("papilio profile --list", "the kernels");
  verb.example("papilio profile gemm m=512..4096 --plot gemm.svg",
               "a row for each size, and a plot");
  verb.example("papilio profile fft n=1024 --timeline fft.html --roofline fft.svg",
               "what each engine did when, and the run under the roofs");
  verb.example("papilio profile fft batch=4096 n=1024 --dry-run",
               "the modelled time, and what bounds it");
}

}  // namespace papilio::cli
