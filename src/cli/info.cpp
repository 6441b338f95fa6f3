#include "cli/loudness.hpp"
#include "cli/sound_flags.hpp"

namespace papilio::cli {
namespace info_verb {
namespace {

struct arguments {
  std::vector<std::string> files;
  sound_flags sound;
  loudness_flags loudness;

  void add_to(command& verb) {
    verb.add({{"FILE", files, sound_files_help, flag_trait::required}});
    loudness.add_to(verb);
    sound.add_raw_to(verb);
  }
};

report report_of(const std::string& file, const sound_info& info,
                 const std::vector<std::string>& warnings,
                 const std::optional<loudness_summary>& loudness) {
  report r;
  r.title(shown_name(file));
  add_sound(r, file, info);
  if (loudness) add_loudness(r, *loudness);
  for (const auto& [name, value] : info.tags)
    if (!value.empty()) r.line(name, "{}", value);
  return r.warn(warnings);
}

report measured(const std::string& file, const arguments& args) {
  excerpt_reader reader(file, args.sound, {}, {}, reading::once);
  const sound_info& info = reader.info();
  if (!has_loudness_rate(info.rate_hz)) refuse_loudness_rate(file, info.rate_hz);
  loudness_meter meter(info.rate_hz, reader.channels(), args.loudness.options(file, info.channels));
  reader.read([&](view<const float, 2> block) { meter.push(block); });
  meter.finish();
  const sound_facts facts = reader.facts();
  return report_of(file, facts.info, facts.warnings, meter.summary());
}

void run(arguments& args, reporter& out) {
  args.loudness.require_use();
  const auto look = [&](const std::string& file) {
    std::error_code none;
    if (file != "-" && std::filesystem::is_directory(file, none))
      throw bad_file(file, "is a directory; papilio report {} makes a page of its files", file);
    if (args.loudness.is_wanted) return measured(file, args);
    const sound_reader reader(file, args.sound.options(file));
    return report_of(file, reader.info(), reader.warnings(), {});
  };
  out.each(args.files, look, true);
}

}  // namespace
}  // namespace info_verb

void add_info(program& app) {
  command& verb = add_verb(
      app, "info", "Print a sound file's format, rate, channels, length and tags", info_verb::run);
  verb.example("papilio info song.flac", "format, rate, channels, duration, tags");
  verb.example("papilio info song.flac --loudness", "its loudness and true peak too");
  verb.example("papilio info *.mp3 --json", "the same of several files, for programs");
  verb.example("papilio info *.mp3 --report csv", "a table of the files");
}

}  // namespace papilio::cli
