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
  const sound_info& info = reader.info();
  report r;
  r.title(shown_name(file))
      .line("format", "{}", format_line(info))
      .line("duration", "{} ({})", format_duration(info.duration_seconds()),
            counted(info.frames, "frame"));
  for (const auto& [name, value] : info.tags)
    if (!value.empty()) r.line(name, "{}", value);
  // One by one: where memory ends inside nested initializers, what GCC 12 makes of them crashes.
  return r.add("file", file)
      .add("container", info.container)
      .add("encoding", info.encoding)
      .add("bits", info.bits)
      .add("decoded_by", info.decoded_by)
      .add("rate_hz", info.rate_hz)
      .add("channels", info.channels)
      .add("frames", info.frames)
      .add("promised_frames", info.promised_frames)
      .add("duration_seconds", info.duration_seconds())
      .add("tags", info.tags)
      .warn(reader.warnings());
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
