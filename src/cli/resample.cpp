#include <algorithm>

#include "cli/sound_verb.hpp"

namespace papilio::cli {
namespace {
namespace resample_parts {

struct arguments {
  std::optional<std::size_t> rate_hz;
  std::string quality = "high";
  excerpt_request part;
  sound_flags sound;
  sound_output_flags output;

  void add_to(command& verb) {
    verb.add({{"--rate", rate_hz, "Samples per second of the output",
               whole_number_from(1, highest_rate_hz), flag_trait::required},
              {"--resampling-quality", quality,
               "Precision of the low-pass filter: 16 bits with a narrower band, 16, 20 or 28",
               one_of({"low", "medium", "high", "very-high"})}});
    part.add_to(verb, "all");
    sound.rate_name = "--input-rate";
    sound.add_to(verb);
    output.add_to(verb, kept_encoding_help);
  }
};

resampling_quality quality_of(const std::string& word) {
  if (word == "low") return resampling_quality::low;
  if (word == "medium") return resampling_quality::medium;
  if (word == "very-high") return resampling_quality::very_high;
  return resampling_quality::high;
}

resampler resampler_for(const std::string& file, const arguments& args, int from_hz, int to_hz,
                        std::size_t channels) {
  const auto [low, high] = std::minmax(from_hz, to_hz);
  if (high > static_cast<std::int64_t>(low) * largest_rate_ratio)
    throw bad_file(file, "--rate {}: must be within a factor of {} of its own, {} Hz", to_hz,
                   largest_rate_ratio, from_hz);
  return {from_hz, to_hz, static_cast<int>(channels), quality_of(args.quality)};
}

/// Reads the sound once and writes it at the other rate.
void write_resampled(excerpt_reader& reader, resampler& change, sound_writer& writer) {
  constexpr std::size_t block_samples = 32768;
  const std::size_t channels = reader.channels();
  array<float, 2> out({std::max<std::size_t>(64, block_samples / channels), channels});
  std::vector<float> gathered;
  reader.read([&](view<const float, 2> block) {
    // One channel of several has gaps.
    gathered.clear();
    for (std::size_t i = 0; i < block.extent(0); ++i)
      for (std::size_t c = 0; c < channels; ++c) gathered.push_back(block(i, c));
    for (view<const float, 2> rest(gathered.data(), block.extents()); rest.extent(0) > 0;) {
      const auto [taken, given] = change.process(rest, out.view());
      writer.write(out.view().slice(0, 0, given));
      rest = rest.slice(0, taken, rest.extent(0) - taken);
    }
  });
  while (const std::size_t given = change.finish(out.view()))
    writer.write(out.view().slice(0, 0, given));
}

report resampled(const arguments& args, const file_request& of) {
  const output& out = of.outs.front();
  excerpt_reader reader(of.file, args.sound, args.part, of.progress);
  const auto memory = begin_work(of.file, reader.work(2048, 2048), of.around);
  sound_writer_options output = args.output.options_like(out.kind, reader.info());
  output.rate_hz = static_cast<int>(*args.rate_hz);
  output.channels = static_cast<int>(reader.channels());
  const int from_hz = reader.info().rate_hz;
  resampler change = resampler_for(of.file, args, from_hz, output.rate_hz, reader.channels());
  if (out.to_standard_output())
    output.frames = resampled_frames(reader.part().frames, from_hz, output.rate_hz);
  sound_writer writer(out.name, output);
  write_resampled(reader, change, writer);
  writer.commit();
  report made = sound_report(reader.facts());
  made.line("resampled", "{} to {} Hz, quality {}", from_hz, output.rate_hz, args.quality)
      .fields("output_rate_hz", output.rate_hz, "resampling_quality", args.quality, "out",
              out.name.string(), "frames_written", writer.frames());
  add_written(made, out, writer);
  return made;
}

file_task task_of(arguments& args, const output_flags& outputs) {
  args.output.require_fit(outputs);
  return [args](const file_request& of) { return resampled(args, of); };
}

}  // namespace resample_parts
}  // namespace

sound_verb resample_verb() {
  sound_verb of("resample", "Change the sample rate of a sound file");
  of.outputs = sound_kinds("-resampled");
  of.out_help = sound_out_help("-resampled");
  of.in_batch = false;
  of.prepare = prepared_by(resample_parts::task_of);
  of.footer =
      R"(A linear-phase low-pass filter (libsoxr) removes what is above half of the lower rate and
keeps all but the top tenth below it (low: third); nothing is delayed. Of N frames there are
N * new / old, rounded up: those whose time is before the end. Samples keep their encoding where
the output's format has it; those beyond full scale are clipped and counted, except in f32 and
f64. Tags are not copied. Memory does not depend on the sound's length. Arrays (.npy, .npz,
.csv) take --input-rate.)";
  of.examples.emplace_back("papilio resample song.flac --rate 48000 -o song48.flac",
                           "at 48 kHz, in the encoding of song.flac");
  of.examples.emplace_back("papilio resample talk.wav --rate 16000",
                           "writes talk-resampled.wav at 16 kHz");
  return of;
}

void add_resample(program& app) { add_sound_verb(app, resample_verb()); }

}  // namespace papilio::cli
