#include "cli/sound_verb.hpp"
#include "cli/stft_flags.hpp"
#include "signal/noise_reduction.hpp"

namespace papilio::cli {
namespace {
namespace denoise_parts {

struct arguments {
  std::optional<double> noise_start, noise_duration, quantile;
  spectral_gate_options gate;
  excerpt_request part;
  stft_flags segments;
  sound_flags sound;
  sound_output_flags output;

  void add_to(command& verb) {
    verb.add(
        {{"--noise-duration", noise_duration,
          "Time that holds nothing but noise [none: it is found in the whole, see below]",
          time_from(1e-9, 1e9)},
         {"--noise-start", noise_start, "Time at which that noise begins [0]", time_from(0, 1e9)},
         {"--quantile", quantile, "Share of a bin's quietest segments that count as noise [0.2]",
          number_from(0.001, 0.999)},
         {"--threshold", gate.threshold_db, "Level above the noise from which a bin is kept, dB",
          number_from(-200, 200)},
         {"--reduction", gate.reduction_db, "Attenuation of all other bins, dB",
          number_from(0, 400)},
         {"--smooth-bins", gate.smoothing_bins,
          "Half width, in bins, of the average of what is open", whole_number_from(0, 65536)},
         {"--smooth-segments", gate.smoothing_segments, "The same in segments",
          whole_number_from(0, 1024)}});
    part.add_to(verb, "all");
    segments.add_to(verb, {.centring = false, .scaling = false});
    sound.add_to(verb);
    output.add_to(verb);
  }
};

/// Every sample must stand in a segment and be covered, whatever the length.
stft_options segments_of(const arguments& args) {
  stft_options o = args.segments.options();
  o.scaling = stft_scaling::none;
  o.pad_end = true;
  require_inverse(o);
  return o;
}

// A profile's histogram takes 5 KB a bin.
void require_memory(const std::string& file, std::size_t channels, std::size_t n_fft) {
  constexpr std::size_t most_bins = std::size_t{1} << 17;
  if (channels > most_bins / (n_fft / 2 + 1))
    throw bad_file(file,
                   "--n-fft {} over {} takes too much memory; choose "
                   "one with --channel, or a smaller --n-fft",
                   n_fft, counted(channels, "channel"));
}

/// Where the noise is looked for: in its own excerpt, or in all that is cleaned.
excerpt_request noise_part(const arguments& args) {
  excerpt_request part = args.part;
  if (args.noise_duration) {
    part.start_seconds = args.noise_start.value_or(0);
    part.duration_seconds = args.noise_duration;
  }
  return part;
}

report report_of(const arguments& args, const stft_options& o, const sound_facts& sound,
                 const sound_facts& noise, std::uint64_t noise_segments) {
  const double start = noise.part.start_seconds(noise.info),
               duration = noise.part.duration_seconds(noise.info);
  return sound_report(sound)
      .line("noise", "{}, {}",
            args.noise_duration
                ? fmt::format("{} from {}", format_duration(duration), format_duration(start))
                : fmt::format("quantile {} of each bin", args.quantile.value_or(0.2)),
            counted(noise_segments, "segment"))
      .line("gate", "{} dB above it, closed -{} dB, n_fft {}, hop {}, {} window",
            args.gate.threshold_db, args.gate.reduction_db, o.n_fft, o.hop,
            papilio::to_string(o.window))
      .fields("n_fft", o.n_fft, "hop", o.hop, "window", papilio::to_string(o.window),
              "threshold_db", args.gate.threshold_db, "reduction_db", args.gate.reduction_db,
              "noise",
              json_object("automatic", !args.noise_duration, "start_seconds", start,
                          "duration_seconds", duration, "segments", noise_segments));
}

report clean(const arguments& args, const stft_options& options, const file_request& of) {
  const std::string& file = of.file;
  const output& out = of.outs.front();
  excerpt_reader reader(file, args.sound, args.part, of.progress);
  require_memory(file, reader.channels(), options.n_fft);
  const auto memory = begin_work(file, reader.work(options.n_fft, options.hop), of.around);
  if (args.noise_duration) {
    const double start = args.noise_start.value_or(0);
    const sound_info& info = reader.info();
    if (info.length_known && nearest_frame(start, info.rate_hz) >= info.frames)
      throw bad_file(file, "--noise-start {} s is at or beyond its end at {:.3f} s", start,
                     info.duration_seconds());
    reader.choose(noise_part(args));
  }
  signal_detail::noise_meter meter(options, reader.channels(), args.noise_duration.has_value());
  reader.read([&](view<const float, 2> block) { meter.push(block); });
  const std::uint64_t noise_segments = meter.finish();
  if (noise_segments == 0)
    throw bad_file(file, "--noise-duration: {} hold no whole segment of {}",
                   counted(reader.part().frames, "frame"), options.n_fft);
  const sound_facts noise_facts = reader.facts();
  if (args.noise_duration) reader.choose(args.part);
  sound_writer_options output = args.output.options(out.kind);
  output.rate_hz = reader.info().rate_hz;
  output.channels = static_cast<int>(reader.channels());
  if (out.to_standard_output()) output.frames = reader.part().frames;
  sound_writer writer(out.name, output);
  signal_detail::noise_reducer gate(options, args.gate, meter.powers(args.quantile.value_or(0.2)));
  const auto write = [&](view<const float, 2> samples) { writer.write(samples); };
  reader.read([&](view<const float, 2> block) { gate.push(block, write); });
  gate.finish(reader.part().frames, write);
  writer.commit();
  const sound_facts sound = reader.facts();
  report made = report_of(args, options, sound, noise_facts, noise_segments);
  made.fields("out", out.name.string(), "frames_written", writer.frames());
  add_written(made, out, writer);
  return made;
}

file_task task_of(arguments& args, const output_flags& outputs) {
  args.output.require_fit(outputs);
  if (args.noise_start && !args.noise_duration)
    throw usage_error("--noise-start: takes --noise-duration as well");
  if (args.quantile && args.noise_duration)
    throw usage_error("--quantile: is for noise that is found without --noise-duration");
  return [args, options = segments_of(args)](const file_request& of) {
    return clean(args, options, of);
  };
}

}  // namespace denoise_parts
}  // namespace

sound_verb denoise_verb() {
  sound_verb of("denoise", "Remove steady noise from a sound file");
  of.outputs = sound_kinds("-denoised");
  of.out_help = sound_out_help("-denoised");
  of.prepare = prepared_by(denoise_parts::task_of);
  of.footer =
      R"(A spectral gate: in the short-time spectrum of each channel, bins that are less than
--threshold above the noise are reduced by --reduction; the gain is averaged over
--smooth-bins and --smooth-segments to either side. The sound is made again from the
spectrum, in its exact length.
The noise of a bin is its mean power in the passage that --noise-start and --noise-duration
name. Without it the noise is estimated from the quietest --quantile of the bin's segments,
which is right for noise that is steady and alone in that share of them; this reads the file
twice.
Samples beyond full scale are clipped and counted, except
in f32 and f64. Memory does not depend on the sound's length.)";
  of.examples.emplace_back("papilio denoise talk.wav",
                           "writes talk-denoised.wav; noise found in the whole file");
  of.examples.emplace_back("papilio denoise talk.wav -o clean.wav --noise-duration 1.5",
                           "noise as in the first second and a half");
  return of;
}

void add_denoise(program& app) { add_sound_verb(app, denoise_verb()); }

}  // namespace papilio::cli
