#pragma once

#include "cli/report.hpp"
#include "papilio/engine.hpp"
#include "papilio/kernels.hpp"

// The parts of papilio profile.
namespace papilio::cli::profile_verb {

struct arguments {
  std::string kernel, machine, runtime, start = "warm", trace, timeline, roofline, against, plot;
  std::vector<std::string> settings;
  int threads = 1;
  std::optional<int> cores;
  bool list = false, brief = false, all = false, dry_run = false, listing = false,
       unchecked = false, uncertainty = false;
  std::optional<double> replaces, rest;

  void add_to(command& verb);
};

/// The machine and the runtime that flags or the environment name.
struct target {
  engine::machine_spec machine;
  engine::runtime_spec runtime;

  explicit target(const arguments& args);
};

engine::program_start start_of(const std::string& name);

/// The kernel at these settings; usage_error where they do not fit it.
kernels::sized_kernel sized_by(const kernels::catalog_entry& entry,
                               const std::vector<std::string>& settings,
                               const engine::machine_spec& machine);

/// A kernel that was launched, with its result, and its error where that was measured.
struct launched_kernel {
  const engine::runtime_spec& runtime;
  const kernels::sized_kernel& sized;
  engine::launch_result result;
  std::optional<kernels::measured_error> measured = std::nullopt;
  std::optional<kernels::time_range> range = std::nullopt;
};

/// The verdict, the dispatch, and the numbers, as --brief, --all and the others say.
report report_of(const arguments& args, const launched_kernel& of);

/// Sizes that one setting takes in turn: "m=512..4096" doubles, "m=512..4096:512" adds.
struct size_sweep {
  std::string name;
  std::vector<std::string> values;
  bool doubles = true;

  /// A setting at each of them.
  std::string setting(std::size_t i) const { return name + "=" + values[i]; }
};

/// The setting that is a sweep, if there is one. usage_error for two, and for ends that do not rise.
std::optional<size_sweep> sweep_in(const std::vector<std::string>& settings);

/// Dry runs at all sizes: a row each, and a plot where that is wanted. A size that the machine
/// refuses has its reason in place of numbers; `failed` says that there is one.
report sweep_report(const arguments& args, const kernels::catalog_entry& entry, const target& on,
                    const size_sweep& sweep, bool& failed);

/// Reads the JSON of a run that --json printed; io_error where a file holds none.
json_value saved_run(const std::string& path);

/// Reports the change from one run to the other: time, bound, bytes, instructions.
report difference_report(const json_value& before, const json_value& after, bool all);

/// io_error where the file is no shared object, or is cut short: the loader's reasons are hard to
/// read, and it maps what is not there, which ends the program.
void require_shared_object(const std::string& path);

/// The kernels of a shared object that PAPILIO_KERNEL_OBJECT made. io_error, with the reason, where
/// it is none, or of another version.
const std::vector<kernels::catalog_entry>& kernels_of_object(const std::string& path);

/// Draws what engines and DMA did over time, from the events of a trace, and the run under the roofs
/// of the machine; SVG, PNG, PDF or HTML by the name's ending.
void write_timeline(const std::string& path, const engine::launch_result& run);
void write_roofline(const std::string& path, const engine::launch_result& run,
                    const engine::machine_spec& machine);
/// Draws the times and floors of a sweep.
struct sweep_point {
  double size, seconds, floor_seconds;
};
void write_sweep(const std::string& path, const std::string& kernel, const size_sweep& sweep,
                 const std::vector<sweep_point>& points);
/// usage_error, naming the flag, for a name whose ending is none that this build can draw.
void require_drawable(const char* flag, const std::string& path, bool html);

}  // namespace papilio::cli::profile_verb
