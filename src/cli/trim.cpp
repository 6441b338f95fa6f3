#include <algorithm>
#include <cmath>

#include "cli/sound_verb.hpp"

namespace papilio::cli {
namespace {
namespace trim_parts {

struct arguments {
  std::optional<double> from_seconds, to_seconds, silence_db;
  std::optional<int> channel;
  sound_flags sound;
  sound_output_flags output;

  void add_to(command& verb) {
    verb.add(
        {{"--from", from_seconds, "Time at which the output begins, in seconds or as 1:23.4 [0]",
          time_from(0, 1e9)},
         {"--to", to_seconds, "Time at which it ends, in the same form [the end]",
          time_from(1e-9, 1e9)},
         {"--silence", silence_db,
          "Peak level, as -60dB, up to which sound at the beginning and the end counts as\n"
          "silence and is removed, dBFS [none is]",
          level_from(-300, 0)},
         {"--channel", channel, "One channel, from 1 [all]", whole_number_from(1, most_channels)}});
    sound.add_to(verb);
    output.add_to(verb, kept_encoding_help);
  }
};

excerpt_request part_of(const arguments& args) {
  excerpt_request part{.channel = args.channel,
                       .start_seconds = args.from_seconds.value_or(0),
                       .duration_seconds = {},
                       .start_name = "--from"};
  if (args.to_seconds) part.duration_seconds = *args.to_seconds - part.start_seconds;
  return part;
}

/// Frames of an excerpt: `first` to before `end`.
struct frame_range {
  std::uint64_t first = 0, end = unlimited_frames;
};

/// From the first frame to the last of which one channel is above the level.
frame_range sound_within(const std::string& file, excerpt_reader& reader, double silence_db) {
  const double limit = std::pow(10.0, silence_db / 20);
  frame_range range{unlimited_frames, 0};
  std::uint64_t at = 0;
  double peak = 0;
  reader.read([&](view<const float, 2> block) {
    for (std::size_t i = 0; i < block.extent(0); ++i, ++at) {
      double largest = 0;
      for (std::size_t c = 0; c < block.extent(1); ++c)
        largest = std::max(largest, std::abs(static_cast<double>(block(i, c))));
      peak = std::max(peak, largest);
      if (!(largest > limit)) continue;
      range.first = std::min(range.first, at);
      range.end = at + 1;
    }
  });
  if (range.end == 0)
    throw bad_file(file,
                   "--silence {}: its peak of {:.1f} dBFS is no louder, and nothing would be left",
                   silence_db, amplitude_to_db(peak));
  return range;
}

void write_range(excerpt_reader& reader, const frame_range& range, sound_writer& writer) {
  std::uint64_t at = 0;
  reader.read(
      [&](view<const float, 2> block) {
        const std::uint64_t first =
                                std::clamp<std::uint64_t>(range.first, at, at + block.extent(0)),
                            end = std::clamp<std::uint64_t>(range.end, first, at + block.extent(0));
        if (end > first)
          writer.write(block.slice(0, static_cast<std::size_t>(first - at),
                                   static_cast<std::size_t>(end - first)));
        at += block.extent(0);
      },
      range.end);
}

report trimmed(const arguments& args, const file_request& of) {
  const output& out = of.outs.front();
  excerpt_reader reader(of.file, args.sound, part_of(args), of.progress);
  const auto memory = begin_work(of.file, reader.work(2048, 2048), of.around);
  sound_writer_options output = args.output.options_like(out.kind, reader.info());
  output.channels = static_cast<int>(reader.channels());
  frame_range range{0, reader.part().frames};
  if (args.silence_db) range = sound_within(of.file, reader, *args.silence_db);
  const std::uint64_t asked = reader.part().frames;
  if (out.to_standard_output()) output.frames = range.end - range.first;
  sound_writer writer(out.name, output);
  write_range(reader, range, writer);
  writer.commit();
  sound_facts facts = reader.facts();
  facts.part = {facts.part.first + range.first, writer.frames()};
  report made = sound_report(facts);
  if (args.silence_db)
    made.line("silence", "{} before and {} behind are no louder than {} dBFS",
              counted(range.first, "frame"), counted(asked - range.end, "frame"), *args.silence_db)
        .fields("silence_db", *args.silence_db, "silent_frames_before", range.first,
                "silent_frames_behind", asked - range.end);
  made.fields("out", out.name.string(), "frames_written", writer.frames());
  add_written(made, out, writer);
  return made;
}

file_task task_of(arguments& args, const output_flags& outputs) {
  args.output.require_fit(outputs);
  if (!args.from_seconds && !args.to_seconds && !args.silence_db)
    throw usage_error("trim: takes --from, --to or --silence");
  if (args.to_seconds && *args.to_seconds <= args.from_seconds.value_or(0))
    throw usage_error("--to: must be after --from {}, got {}", args.from_seconds.value_or(0),
                      *args.to_seconds);
  return [args](const file_request& of) { return trimmed(args, of); };
}

}  // namespace trim_parts
}  // namespace

sound_verb trim_verb() {
  sound_verb of("trim", "Cut a sound file to a part of it, or off the silence at its ends");
  of.outputs = sound_kinds("-trimmed");
  of.out_help = sound_out_help("-trimmed");
  of.in_batch = false;
  of.prepare = prepared_by(trim_parts::task_of);
  of.footer =
      R"(The output has the frames from that nearest to --from to before that nearest to --to, or to the
end where the sound ends before. With --silence it begins at the first of these frames and ends with
the last one in which a channel is above the level; this reads the file twice. Samples keep their
encoding where the output's format has it, and their values then, of up to 24 bits and f32. Tags are
not copied. Memory does not depend on the sound's length.)";
  of.examples.emplace_back("papilio trim talk.wav --from 1.5 --to 1:03 -o part.wav",
                           "from 1.5 s to a minute and 3 s");
  of.examples.emplace_back("papilio trim talk.wav --silence -60dB",
                           "writes talk-trimmed.wav without the silence at both ends");
  return of;
}

void add_trim(program& app) { add_sound_verb(app, trim_verb()); }

}  // namespace papilio::cli
