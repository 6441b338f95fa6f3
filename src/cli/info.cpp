#include "cli/sound_flags.hpp"

namespace papilio::cli {
namespace info_verb {
namespace {

struct arguments {
  std::vector<std::string> files;
  sound_flags sound;

  void add_to(command& verb) {
    verb.add({{"FILE", files, sound_files_help, flag_trait::required}});
    sound.add_raw_to(verb);
  }
};

report report_of(const std::string& file, const sound_reader& reader) {
  report r;
  r.title(shown_name(file));
  add_sound(r, file, reader.info());
  for (const auto& [name, value] : reader.info().tags)
    if (!value.empty()) r.line(name, "{}", value);
  return r.warn(reader.warnings());
}

void run(arguments& args, reporter& out) {
  const auto look = [&](const std::string& file) {
    std::error_code none;
    if (file != "-" && std::filesystem::is_directory(file, none))
      throw bad_file(file, "is a directory; papilio report {} makes a page of its files", file);
    return report_of(file, sound_reader(file, args.sound.options(file)));
  };
  out.each(args.files, look, true);
}

}  // namespace
}  // namespace info_verb

void add_info(program& app) {
  command& verb = add_verb(
      app, "info", "Print a sound file's format, rate, channels, length and tags", info_verb::run);
  verb.example("papilio info song.flac", "format, rate, channels, duration, tags");
  verb.example("papilio info *.mp3 --json", "the same of several files, for programs");
  verb.example("papilio info *.mp3 --report csv", "a table of the files");
}

}  // namespace papilio::cli
