#include <fmt/format.h>

#include <cstring>
#include <limits>
#include <optional>
#include <vector>

#include "cli/common.hpp"
#include "cli/environment.hpp"
#include "cli/json_value.hpp"
#include "cli/profile_cores.hpp"
#include "cli/validators.hpp"
#include "papilio/base/error.hpp"
#include "papilio/engine.hpp"
#include "papilio/kernels.hpp"

namespace papilio::cli {
namespace profile_verb {
namespace {

struct arguments {
  std::string kernel, machine, runtime, start = "warm", trace;
  std::vector<std::string> settings;
  int threads = 1;
  int cores = 0;  // 0: not asked
  bool list = false, dry_run = false, listing = false, unchecked = false, json = false;
  bool uncertainty = false;
  std::optional<double> replaces, rest;
};

std::string list_text() {
  std::string text;
  for (const kernels::catalog_entry& entry : kernels::catalog()) {
    text += fmt::format("{}\n  {}\n", entry.name, entry.summary);
    for (const kernels::kernel_parameter& p : entry.parameters) {
      std::string choices;
      for (const std::string& c : p.choices) choices += (choices.empty() ? "" : "|") + c;
      text += fmt::format("    {:<24} {}{}\n", p.name + "=" + p.preset, p.help,
                          choices.empty() ? "" : " (" + choices + ")");
    }
  }
  return text;
}

json_value list_json() {
  json_value all = json_value::array();
  for (const kernels::catalog_entry& entry : kernels::catalog()) {
    json_value parameters = json_value::array();
    for (const kernels::kernel_parameter& p : entry.parameters)
      parameters.push_back(
          {{"name", p.name}, {"preset", p.preset}, {"help", p.help}, {"choices", p.choices}});
    all.push_back({{"name", entry.name}, {"summary", entry.summary}, {"parameters", parameters}});
  }
  return {{"kernels", all}};
}

engine::program_start start_of(const std::string& name) {
  if (name == "cold") return engine::program_start::cold;
  return name == "cached" ? engine::program_start::cached : engine::program_start::warm;
}

// Evenly spread values, the same in every run.
array<std::byte, 1> made_input(const engine::tensor_shape& shape,
                               const kernels::input_range& range) {
  array<std::byte, 1> bytes(static_cast<std::size_t>(shape.bytes()), uninitialized);
  const auto count = static_cast<std::size_t>(shape.elements());
  const std::size_t size = engine::size_bytes(shape.type);
  std::vector<float> row(4096);
  std::uint64_t state = 1;
  for (std::size_t first = 0; first < count; first += row.size()) {
    const std::size_t take = std::min(row.size(), count - first);
    for (std::size_t i = 0; i < take; ++i) {
      state = state * 6364136223846793005u + 1442695040888963407u;  // Knuth's MMIX generator
      const auto unit = static_cast<float>(state >> 40) * 0x1p-24f;
      row[i] = range.low + (range.high - range.low) * unit;
    }
    engine::store_row(shape.type, row.data(), take, bytes.data() + first * size, 1);
  }
  return bytes;
}

// What the device would refuse anyway, before the host's memory is taken for it.
void require_room(const engine::device& device, const kernels::sized_kernel& sized) {
  std::int64_t bytes = 0;
  const auto add = [&](const engine::tensor_shape& shape) {
    if (shape.bytes() > device.free_bytes() - bytes)
      throw device_error(fmt::format("{}: a tensor of {} bytes ({}), {} are free of the {} of {}",
                                     sized.program.name, shape.bytes(), shape.describe(),
                                     device.free_bytes() - bytes,
                                     device.machine().hbm.usable_bytes_per_core, device.name()));
    bytes += shape.bytes();
  };
  for (const engine::tensor_shape& shape : sized.inputs) add(shape);
  for (const engine::tensor_shape& shape : sized.outputs) add(shape);
  for (const kernels::constant_table& table : sized.tables) add(table.shape);
}

engine::launch_result launched(engine::device& device, const kernels::sized_kernel& sized,
                               bool dry_run) {
  require_room(device, sized);
  std::vector<array<std::byte, 1>> memory;
  std::vector<engine::launch_input> inputs;
  std::vector<engine::launch_output> outputs;
  for (std::size_t i = 0; i < sized.inputs.size(); ++i) {
    if (dry_run) {
      inputs.emplace_back(sized.inputs[i]);
      continue;
    }
    memory.push_back(made_input(
        sized.inputs[i], i < sized.ranges.size() ? sized.ranges[i] : kernels::input_range{}));
    inputs.emplace_back(std::span<const std::byte>(memory.back().data(), memory.back().size()),
                        sized.inputs[i]);
  }
  for (const engine::tensor_shape& shape : sized.outputs) {
    if (dry_run) {
      outputs.emplace_back(shape);
      continue;
    }
    memory.emplace_back(static_cast<std::size_t>(shape.bytes()), uninitialized);
    outputs.emplace_back(std::span<std::byte>(memory.back().data(), memory.back().size()), shape);
  }
  // What is resident was copied before: the dispatch that is reported does not pay for it.
  const kernels::prepared_kernel prepared(
      device, sized, dry_run ? engine::run_mode::dry_run : engine::run_mode::execute);
  return prepared.launch(inputs, outputs);
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

std::string range_text(const kernels::time_range& range) {
  std::string text = fmt::format(
      "\nmodelled {:.2f} us ({:.2f} ... {:.2f}) where documents leave the machine open:\n",
      range.seconds * 1e6, range.low_seconds * 1e6, range.high_seconds * 1e6);
  for (const kernels::time_range::field& f : range.fields)
    text += fmt::format("  {:<30} {:>4} ... {:<4} {:>12.2f} ... {:.2f} us\n", f.name, f.low_value,
                        f.high_value, f.low_seconds * 1e6, f.high_seconds * 1e6);
  return text;
}

json_value range_json(const kernels::time_range& range) {
  json_value fields = json_value::array();
  for (const kernels::time_range::field& f : range.fields)
    fields.push_back({{"field", f.name},
                      {"low", f.low_value},
                      {"high", f.high_value},
                      {"low_seconds", f.low_seconds},
                      {"high_seconds", f.high_seconds}});
  return {{"seconds", range.seconds},
          {"low_seconds", range.low_seconds},
          {"high_seconds", range.high_seconds},
          {"fields", fields}};
}

std::string report_text(const arguments& args, const engine::runtime_spec& runtime,
                        const kernels::sized_kernel& sized, const engine::launch_result& r,
                        const std::optional<kernels::measured_error>& measured,
                        const std::optional<kernels::time_range>& range) {
  std::string text = r.summary.to_text();
  if (const std::string how = sized.explain(); !how.empty()) text += "\n" + how;
  if (measured)
    text += fmt::format("achieved: {:.3g}, over {} outputs of {}, against sums in double\n",
                        measured->achieved, measured->outputs,
                        counted(std::uint64_t(measured->lines), "line"));
  if (range) text += range_text(*range);
  text +=
      fmt::format("\nOne dispatch with {}, operands copied in and out (modelled):\n", runtime.name);
  for (const part& p : parts_of(r))
    text += fmt::format("  {:<8}{:>14.1f} us\n", p.name, p.seconds * 1e6);
  text +=
      fmt::format("  {} in, {} out; program {}, which compiles in about {:.0f} s\n",
                  counted(r.upload.tensors, "tensor"), counted(r.fetch.tensors, "tensor"),
                  engine::to_string(r.program), runtime.compile_seconds_of(double(r.instructions)));
  text += fmt::format("Emulated in {:.3f} s{}\n", r.wall_seconds,
                      args.dry_run ? " (dry run: no values)" : "");
  if (const auto amdahl = amdahl_of(args, r)) text += "\n" + amdahl->to_text();
  return text;
}

json_value report_json(const arguments& args, const engine::runtime_spec& runtime,
                       const kernels::sized_kernel& sized, const engine::launch_result& r,
                       const std::optional<kernels::measured_error>& measured,
                       const std::optional<kernels::time_range>& range) {
  json_value parts;
  for (const part& p : parts_of(r)) parts[std::string(p.name) + "_seconds"] = p.seconds;
  json_value json{{"kernel", args.kernel},
                  {"machine", r.summary.machine},
                  {"settings", args.settings},
                  {"mode", args.dry_run ? "dry_run" : "execute"},
                  {"summary", *parse_json(r.summary.to_json(), member_order::as_added)},
                  {"verdict", r.summary.verdict_text()},
                  {"floor_seconds", r.summary.verdict.floor_seconds},
                  {"floor_fraction", r.summary.verdict.floor_fraction},
                  {"explanation", sized.explanation},
                  {"table_bytes", sized.table_bytes()},
                  {"runtime", runtime.name},
                  {"dispatch", parts},
                  {"wall_seconds", r.wall_seconds}};
  json["expected_error"] = sized.expected_error > 0 ? json_value(sized.expected_error) : nullptr;
  json["achieved_error"] = nullptr;
  if (measured)
    json["achieved_error"] = {
        {"error", measured->achieved}, {"lines", measured->lines}, {"outputs", measured->outputs}};
  json["compile_seconds"] = runtime.compile_seconds_of(double(r.instructions));
  json["instructions"] = r.instructions;
  json["range"] = range ? range_json(*range) : json_value();
  const auto amdahl = amdahl_of(args, r);
  json["amdahl"] = amdahl ? *parse_json(amdahl->to_json(), member_order::as_added) : nullptr;
  return json;
}

int run_listed(const arguments& args) {
  if (!args.kernel.empty()) throw usage_error("--list: takes no kernel");
  print(args.json ? json_text(list_json(), member_order::as_added) : list_text());
  return exit_done;
}

kernels::sized_kernel sized_by(const arguments& args, const engine::machine_spec& machine) {
  try {
    return kernels::size_kernel(kernels::find_kernel(args.kernel), args.settings, machine);
  } catch (const invalid_argument& e) {
    throw usage_error(printable(e.what()));
  }
}

std::string or_else(std::string name, const char* preset) {
  return name.empty() ? preset : std::move(name);
}

int run(const arguments& args) {
  if (args.list) return run_listed(args);
  if (args.kernel.empty()) throw usage_error("KERNEL is missing; --list names them");
  if (args.rest && !args.replaces) throw usage_error("--rest: needs --replaces");
  if (args.listing && args.json) throw usage_error("--listing: not with --json");
  if (args.cores > 0 &&
      (args.listing || args.uncertainty || args.unchecked || args.replaces || !args.trace.empty()))
    throw usage_error(
        "--cores: not with --trace, --listing, --unchecked, --uncertainty and --replaces");
  const std::string on =
                        or_else(given_or_environment(args.machine, "PAPILIO_MACHINE"), "trainium1"),
                    with =
                        or_else(given_or_environment(args.runtime, "PAPILIO_RUNTIME"), "sdk_2_24");
  for (const std::string& read : {on, with})
    if (!args.trace.empty()) require_named_output("--trace", args.trace, read);
  const engine::machine_spec machine = engine::load_machine(on);
  const engine::runtime_spec runtime = engine::load_runtime(with);
  const kernels::sized_kernel sized = sized_by(args, machine);
  if (args.cores > 0)
    return run_on_cores({.kernel = args.kernel,
                         .settings = args.settings,
                         .cores = args.cores,
                         .start = start_of(args.start),
                         .json = args.json},
                        machine, runtime);
  engine::device device(machine, runtime,
                        {.strict = !args.unchecked,
                         .trace = !args.trace.empty() || args.listing,
                         .threads = args.threads,
                         .start = start_of(args.start)});
  const engine::launch_result result = launched(device, sized, args.dry_run);
  if (!args.trace.empty()) result.events.save(args.trace);
  std::optional<kernels::time_range> range;
  if (args.uncertainty) range = kernels::modelled_range(sized, machine);
  std::optional<kernels::measured_error> measured;
  if (!args.dry_run)
    measured = kernels::measure_kernel(kernels::find_kernel(args.kernel), args.settings, machine);
  if (args.json)
    print(json_text(report_json(args, runtime, sized, result, measured, range),
                    member_order::as_added));
  else
    print((args.listing ? result.events.listing() + "\n" : "") +
          report_text(args, runtime, sized, result, measured, range));
  return exit_done;
}

}  // namespace
}  // namespace profile_verb

void add_profile(program& app) {
  using namespace profile_verb;
  auto args = std::make_shared<arguments>();
  command& verb = app.add_command(
      "profile",
      "Predict how long a kernel takes on an emulated tensor-engine accelerator, and why");
  verb.add_option("KERNEL", args->kernel, "Kernel; --list names them");
  verb.add_option("SETTING", args->settings,
                  "Sizes and choices, NAME=VALUE; sizes are whole numbers or powers: 2^10")
      .any_number();
  verb.add_flag("--list", args->list, "List the kernels and their settings");
  verb.add_option("--machine", args->machine,
                  "trainium1, trainium2, or a JSON file [PAPILIO_MACHINE, else trainium1]")
      .check(not_empty());
  verb.add_option(
          "--runtime", args->runtime,
          "sdk_2_24, sdk_2_29, sdk_2_29_trn2, or a JSON file [PAPILIO_RUNTIME, else sdk_2_24]")
      .check(not_empty());
  verb.add_option("--start", args->start, "Program found warm, cached on disk, or cold")
      .check(one_of({"warm", "cached", "cold"}))
      .show_default();
  verb.add_flag("--dry-run", args->dry_run,
                "Time only: no values are computed and no memory is taken for them");
  verb.add_flag("--uncertainty", args->uncertainty,
                "Run dry again where documents leave the machine open: t (low ... high)");
  verb.add_option("--cores", args->cores,
                  "Time on so many cores of a group, and on one: a dry run (fft)")
      .check(whole_number_from(1, engine::link_model::cores_max));
  verb.add_option("--trace", args->trace, "Write a trace for ui.perfetto.dev to this JSON file")
      .check(not_empty());
  verb.add_flag("--listing", args->listing, "Print every instruction with its time");
  verb.add_option("--threads", args->threads, "Of the host, for computing values")
      .check(whole_number_from(1, 1024))
      .show_default();
  verb.add_flag("--unchecked", args->unchecked,
                "Do not look for reads of unwritten memory and unfinished outputs");
  verb.add_option("--replaces", args->replaces,
                  "Seconds of the step that the kernel replaces: prints Amdahl's report")
      .check(number_from(1e-12, 1e12));
  verb.add_option("--rest", args->rest, "Seconds of the run's other steps, for that report")
      .check(number_from(1e-12, 1e12));
  verb.add_flag("--json", args->json, "Print JSON");
  verb.footer(
      "Times are modelled from documented instruction costs; emulation computes the true values\n"
      "and is slower than the host's own code. Inputs are generated, and the same in every run.\n"
      "Fields are those of the vendor's profiler: seconds, bytes, and fractions of 0 to 1.\n"
      "Exit 1 where the machine refuses the kernel, with the instruction and the bound.");
  verb.example("papilio profile --list", "the kernels");
  verb.example("papilio profile fft batch=4096 n=1024 --dry-run",
               "the modelled time, and what bounds it");
  verb.run([args] { return run(*args); });
}

}  // namespace papilio::cli
