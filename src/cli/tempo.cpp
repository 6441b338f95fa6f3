#include <algorithm>
#include <cmath>

#include "cli/rhythm.hpp"
#include "cli/sound_verb.hpp"
#include "io/number_table.hpp"

namespace papilio::cli {

namespace {
namespace tempo_parts {

struct arguments {
  std::string preset, aggregate;
  std::optional<std::size_t> n_fft, hop;
  rhythm_settings rhythm;
  bool no_trim = false;
  excerpt_request part;
  sound_flags sound;

  void add_to(command& verb) {
    verb.add(
        {{"--onsets", rhythm.onsets, "Onsets of sounds in the place of beats"},
         {"--bpm", rhythm.bpm, "Tempo that beats are tracked with, beats a minute [the sound's]",
          number_from(1, 1000)},
         {"--start-bpm", rhythm.start_bpm, "Tempo about which tempos are likely, beats a minute",
          number_from(1, 1000)},
         {"--max-bpm", rhythm.max_bpm, "Tempos must be below it, beats a minute",
          number_from(10, 10000)},
         {"--tightness", rhythm.tightness, "How much a beat that is early or late costs",
          number_from(1e-3, 1e6)},
         {"--aggregate", aggregate,
          "Rise of a segment, of those of its bands: mean, or median, which leaves out what fewer\n"
          "than half the bands have [median; --onsets mean]",
          one_of({"mean", "median"})},
         {"--no-trim", no_trim, "Keep weak beats at the two ends"},
         {"--preset", preset,
          "librosa: segments, tempo and beats of librosa.beat.beat_track, which are whole segments",
          one_of({"librosa"})},
         {"--n-fft", n_fft, "Points of each segment [93 ms, librosa 2048]",
          whole_number_from(2, max_n_fft)},
         {"--hop", hop, "Samples from one segment to the next [a quarter of --n-fft]",
          whole_number_from(1, max_n_fft)}});
    verb.exclude("--bpm", "--onsets");
    verb.exclude("--no-trim", "--onsets");
    part.add_to(verb);
    sound.add_to(verb);
  }
};

onset_options segments_of(const arguments& args, double rate_hz) {
  onset_options o = rhythm_segments(rate_hz);
  if (args.preset == "librosa") o.n_fft = 2048;
  o.n_fft = args.n_fft.value_or(o.n_fft);
  o.hop = args.hop.value_or(std::max<std::size_t>(1, o.n_fft / 4));
  const bool is_mean = args.aggregate.empty() ? args.rhythm.onsets : args.aggregate == "mean";
  o.aggregate = is_mean ? onset_aggregate::mean : onset_aggregate::median;
  return o;
}

void write_tables(const std::vector<output>& outs, const rhythm& r,
                  const std::vector<double>& strength) {
  array<double, 2> values({r.segments.size(), 1});
  for (std::size_t i = 0; i < r.segments.size(); ++i) values(i, 0u) = strength[r.segments[i]];
  std::vector<std::unique_ptr<io_detail::number_table>> tables;
  for (const output& out : outs) {
    tables.push_back(io_detail::make_number_table(out.path(), out.kind, true, {"strength"}));
    tables.back()->write_rows(r.seconds, values);
  }
  commit_group together;
  for (const auto& table : tables) table->commit();
  together.finish();
}

report report_of(const arguments& args, const std::vector<output>& outs, const sound_facts& sound,
                 const onset_options& o, std::size_t segments, const rhythm& r) {
  const char* const what = args.rhythm.onsets ? "onset" : "beat";
  report made;
  for (const output& out : outs) made.line("table", "{}", out.name.string());
  made.append(sound_report(sound))
      .line("analysis", "{}, n_fft {}, hop {}, {}", counted(segments, "segment"), o.n_fft, o.hop,
            channels_text(args.part, sound.info))
      .fields("channel", args.part.channel, "segments", segments, "n_fft", o.n_fft, "hop", o.hop);
  if (r.bpm > 0)
    made.add("tempo_bpm", r.bpm, "tempo", "{:.1f} beats a minute");
  else
    made.add("tempo_bpm", nullptr)
        .line("tempo", "none: nothing begins{}",
              o.aggregate == onset_aggregate::median ? " in half of the bands" : "");
  const std::string label = std::string(what) + "s";
  if (r.seconds.empty())
    made.line(label, "none");
  else
    made.line(label, "{}, from {:.3f} s to {:.3f} s", r.seconds.size(), r.seconds.front(),
              r.seconds.back());
  return made.add(label, r.seconds)
      .add("table", outs.empty() ? json_value() : json_value(outs[0].name.string()));
}

report analyse(const arguments& args, const file_request& of) {
  excerpt_reader reader(of.file, args.sound, args.part, of.progress);
  const double rate_hz = reader.info().rate_hz;
  const onset_options o = segments_of(args, rate_hz);
  const double frame_rate_hz = rate_hz / static_cast<double>(o.hop);
  if (std::floor(8 * frame_rate_hz) > 65536)
    throw bad_file(of.file, "--hop {}: 8 s of {} Hz are more than 65536 segments", o.hop, rate_hz);
  const double lags = std::max(0.0, std::floor(8 * frame_rate_hz) - 1);
  if (60 * frame_rate_hz / lags >= args.rhythm.max_bpm)
    throw bad_file(of.file, "--hop {}: at {} Hz no tempo is below --max-bpm {}", o.hop, rate_hz,
                   args.rhythm.max_bpm);
  if (args.rhythm.bpm && *args.rhythm.bpm > 60 * frame_rate_hz)
    throw bad_file(of.file, "--bpm {}: at {} Hz, --hop {} has fewer segments", *args.rhythm.bpm,
                   rate_hz, o.hop);
  const auto memory = begin_work(of.file, reader.work(o.n_fft, o.hop), of.around);
  const std::vector<double> strength = strength_of(reader, o, of.file);
  const sound_facts sound = reader.facts();
  const rhythm r =
      rhythm_of(args.rhythm, strength, frame_rate_hz, sound.part.start_seconds(sound.info));
  write_tables(of.outs, r, strength);
  std::vector<std::string> warnings;
  add_hop_warning(sound, {.n_fft = o.n_fft, .hop = o.hop}, warnings);
  return report_of(args, of.outs, sound, o, strength.size(), r).warn(warnings);
}

file_task task_of(arguments& args, const output_flags&) {
  args.rhythm.refine = args.preset != "librosa";
  args.rhythm.trim = !args.no_trim;
  return [args](const file_request& of) { return analyse(args, of); };
}

}  // namespace tempo_parts
}  // namespace

sound_verb tempo_verb() {
  sound_verb of("tempo", "Estimate the tempo of a sound file, and when its beats are");
  of.outputs.kinds = {"csv", "json", "npy"};
  of.outputs.streamed = {"csv", "json"};
  of.out_help =
      "Table of the beats to write: .csv, .json or .npy, the folder for it, or - for\n"
      "standard output [no table, only the summary]";
  of.prepare = prepared_by(tempo_parts::task_of);
  of.footer =
      R"(Strengths are rises of the levels of 128 mel bands. The tempo is the lag of their mean
autocorrelation over 8 s, beats are where they are high and keep to it, and onsets are their
peaks, as in librosa.
The table has the columns time_seconds, from the file's beginning, and strength, the rise in
dB. Without --preset the tempo and the times lie between segments, and the last beat
is not moved by what follows it. --json lists all times under "beats" or "onsets". Memory does
not depend on the sound's length; long sounds are read twice.)";
  of.examples.emplace_back("papilio tempo song.flac", "its tempo, and how many beats");
  of.examples.emplace_back("papilio tempo *.wav -o beats/", "a table of each file's beats");
  of.examples.emplace_back("papilio tempo song.flac --onsets -o - --format csv",
                           "the times at which sounds begin");
  return of;
}

void add_tempo(program& app) { add_sound_verb(app, tempo_verb()); }

}  // namespace papilio::cli
