#include "cli/side_flags.hpp"

#include <fmt/format.h>

#include "cli/validators.hpp"

namespace papilio::cli {

void add_side_options(command& verb, side_flags& flags) {
  verb.add_option("--threads", flags.threads, "Of the host [one for each core]")
      .check(whole_number_from(1, 1024));
  verb.add_option("--machine", flags.machine,
                  "Accelerator, emulated: trainium1, trainium2, or a JSON file")
      .check(not_empty());
  verb.add_option(
          "--runtime", flags.runtime,
          "Its sdk_2_24, sdk_2_29, sdk_2_29_trn2, or a JSON file [PAPILIO_RUNTIME, else sdk_2_24]")
      .check(not_empty());
  verb.add_option("--policy", flags.policy,
                  "Which side runs it [PAPILIO_POLICY, else device with --machine, else host]")
      .check(one_of({"host", "device", "automatic"}));
}

std::string run_text(const run_record& run, std::size_t column) {
  if (run.machine.empty()) return {};
  std::string text;
  const auto line = [&](const char* name, const std::string& what) {
    text += fmt::format("{:<{}}{}\n", name, column, what);
  };
  line("runs on", fmt::format("device, {}: {} dispatch{}", run.machine, run.launches,
                              run.launches == 1 ? "" : "es"));
  line("modelled",
       fmt::format("{:.9f} s: launch {:.9f}, copies {:.9f}, device {:.9f}", run.seconds(),
                   run.launch_seconds, run.upload_seconds + run.fetch_seconds, run.device_seconds));
  line("emulated", fmt::format("in {:.3f} s of wall time", run.wall_seconds));
  return text;
}

json_value run_json(const run_record& run) {
  json_value json{{"backend", run.backend}, {"machine", nullptr}};
  if (run.machine.empty()) return json;
  json["machine"] = run.machine;
  json["dispatches"] = run.launches;
  json["modelled_seconds"] = run.seconds();
  json["launch_seconds"] = run.launch_seconds;
  json["upload_seconds"] = run.upload_seconds;
  json["device_seconds"] = run.device_seconds;
  json["fetch_seconds"] = run.fetch_seconds;
  json["wall_seconds"] = run.wall_seconds;
  json["steps"] = json_value::array();
  for (const run_step& s : run.steps)
    json["steps"].push_back(
        {{"name", s.name}, {"how", s.recipe}, {"device_seconds", s.device_seconds}});
  return json;
}

}  // namespace papilio::cli
