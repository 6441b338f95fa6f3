#include <fmt/format.h>

#include "cli/common.hpp"
#include "cli/json_value.hpp"
#include "cli/sound_flags.hpp"

namespace papilio::cli {
namespace info_verb {
namespace {

struct arguments {
  std::vector<std::string> files;
  sound_flags sound;
  bool json = false;
};

json_value to_json(const std::string& file, const sound_reader& reader) {
  const sound_info& info = reader.info();
  return {{"file", file},
          {"container", info.container},
          {"encoding", info.encoding},
          {"bits", info.bits},
          {"decoded_by", info.decoded_by},
          {"rate_hz", info.rate_hz},
          {"channels", info.channels},
          {"frames", info.frames},
          {"promised_frames", info.promised_frames},
          {"duration_seconds", info.duration_seconds()},
          {"tags", info.tags},
          {"warnings", reader.warnings()}};
}

std::string to_text(const std::string& file, const sound_info& info) {
  std::string text = fmt::format(
      "{}\n  format    {}\n  duration  {} ({})\n", printable(shown_name(file)), format_line(info),
      format_duration(info.duration_seconds()), counted(info.frames, "frame"));
  for (const auto& [name, value] : info.tags)
    if (!value.empty()) text += fmt::format("  {:<9} {}\n", name, printable(value));
  return text;
}

int run(const arguments& args) {
  require_one_standard_input(args.files);
  json_value all = json_value::array();
  const int code = for_each_file(
      args.files,
      [&](const std::string& file) {
        const sound_reader reader(file, args.sound.options());
        for (const std::string& warning : reader.warnings())
          warn(shown_name(file) + ": " + warning);
        if (args.json) {
          all.push_back(to_json(file, reader));
        } else {
          print(to_text(file, reader.info()));
        }
      },
      [&](const std::string& file, const std::string& message) {
        all.push_back({{"file", file}, {"error", message}});
      });
  if (args.json) print(json_text(all));
  return code;
}

}  // namespace
}  // namespace info_verb

void add_info(program& app) {
  using namespace info_verb;
  auto args = std::make_shared<arguments>();
  command& verb =
      app.add_command("info", "Print a sound file's format, rate, channels, length and tags");
  verb.add_option("FILE", args->files, sound_files_help).required();
  args->sound.add_raw_to(verb);
  verb.add_flag("--json", args->json, "Print JSON");
  verb.example("papilio info song.flac", "format, rate, channels, duration, tags");
  verb.example("papilio info *.mp3 --json", "the same of several files, for programs");
  verb.run([args] { return run(*args); });
}

}  // namespace papilio::cli
