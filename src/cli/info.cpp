#include "cli/common.hpp"
#include "cli/report.hpp"
#include "cli/sound_flags.hpp"

namespace papilio::cli {
namespace info_verb {
namespace {

struct arguments {
  std::vector<std::string> files;
  sound_flags sound;
};

report report_of(const std::string& file, const sound_reader& reader) {
  report r;
  r.title(shown_name(file));
  add_sound(r, file, reader.info());
  for (const auto& [name, value] : reader.info().tags)
    if (!value.empty()) r.line(name, "{}", value);
  return r.warn(reader.warnings());
}

}  // namespace
}  // namespace info_verb

void add_info(program& app) {
  using namespace info_verb;
  auto args = std::make_shared<arguments>();
  command& verb =
      app.add_command("info", "Print a sound file's format, rate, channels, length and tags");
  verb.add({{"FILE", args->files, sound_files_help, flag_trait::required}});
  args->sound.add_raw_to(verb);
  verb.example("papilio info song.flac", "format, rate, channels, duration, tags");
  verb.example("papilio info *.mp3 --json", "the same of several files, for programs");
  verb.example("papilio info *.mp3 --report csv", "a table of the files");
  verb.reports([args](reporter& out) {
    const auto look = [&](const std::string& file) {
      return report_of(file, sound_reader(file, args->sound.options()));
    };
    out.each(args->files, look, true);
  });
}

}  // namespace papilio::cli
