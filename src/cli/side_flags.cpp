#include "cli/side_flags.hpp"

#include "cli/presets.hpp"

namespace papilio::cli {
namespace {

// As engine::link_model::cores_max: this is also of programs without accelerators.
constexpr int most_cores = 4096;

}  // namespace

void side_flags::add_to(command& verb) {
  verb.add(
      {{"--threads", threads, "Number of host threads [one for each core]",
        whole_number_from(1, 1024)},
       {"--machine", machine, "Accelerator, emulated: " + machine_choices(), not_empty()},
       {"--runtime", runtime, "Its " + runtime_choices() + "\n[PAPILIO_RUNTIME, else sdk_2_24]",
        not_empty()},
       {"--policy", policy,
        "Policy: host, device, or the faster one [PAPILIO_POLICY, else device with --machine,\n"
        "else host]",
        one_of({"host", "device", "automatic"})}});
}

void side_flags::add_cores_to(command& verb) {
  verb.add({{"--cores", cores,
             "Number of the accelerator's cores that share the work [PAPILIO_CORES, else 1]",
             whole_number_from(1, most_cores)}});
}

report& add_run(report& made, const run_record& run) {
  json_value json = json_object("backend", run.backend, "machine", nullptr);
  if (run.machine.empty()) return made.add("run", json);
  json_value steps = json_value::array();
  for (const run_step& s : run.steps)
    steps.push_back(
        json_object("name", s.name, "how", s.recipe, "device_seconds", s.device_seconds));
  json.add("machine", run.machine, "dispatches", run.launches, "modelled_seconds", run.seconds(),
           "launch_seconds", run.launch_seconds, "upload_seconds", run.upload_seconds,
           "device_seconds", run.device_seconds, "link_seconds", run.link_seconds, "fetch_seconds",
           run.fetch_seconds, "wall_seconds", run.wall_seconds, "recipe", run.recipe, "steps",
           steps);
  return made.add("run", json)
      .line("runs on", "device, {}: {} dispatch{}", run.machine, run.launches,
            run.launches == 1 ? "" : "es")
      .line("modelled", "{:.9f} s: launch {:.9f}, copies {:.9f}, device {:.9f}{}", run.seconds(),
            run.launch_seconds, run.upload_seconds + run.fetch_seconds, run.device_seconds,
            run.link_seconds > 0 ? fmt::format(", links {:.9f}", run.link_seconds) : "")
      .line("emulated", "in {:.3f} s of wall time", run.wall_seconds)
      .line("recipe", "{}", run.recipe.substr(0, run.recipe.find('\n')));
}

}  // namespace papilio::cli
