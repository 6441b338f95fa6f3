#include <fmt/format.h>

#include <algorithm>
#include <complex>
#include <memory>
#include <optional>
#include <vector>

#include "cli/common.hpp"
#include "cli/excerpt.hpp"
#include "cli/sound_flags.hpp"
#include "cli/sound_output.hpp"
#include "cli/sound_report.hpp"
#include "cli/sound_verb.hpp"
#include "cli/stft_flags.hpp"
#include "cli/validators.hpp"
#include "papilio/signal.hpp"

namespace papilio::cli {
namespace {
namespace denoise_parts {

using spectra = view<std::complex<float>, 2>;

struct arguments {
  std::optional<double> noise_start, noise_duration, quantile;
  spectral_gate_options gate;
  excerpt_request part;
  stft_flags segments;
  sound_flags sound;
  sound_output_flags output;
};

/// Every sample must stand in a segment and be covered, whatever the length.
stft_options segments_of(const arguments& args) {
  stft_options o = args.segments.options();
  o.scaling = stft_scaling::none;
  o.pad_end = true;
  try {
    istft_stream<float>{o};
  } catch (const invalid_argument& e) {
    throw usage_error(
        fmt::format("--hop {}, --window {}: {}", o.hop, papilio::to_string(o.window), e.what()));
  }
  return o;
}

// A profile's histogram takes 5 KB a bin.
void require_memory(const std::string& file, std::size_t channels, std::size_t n_fft) {
  constexpr std::size_t most_bins = std::size_t{1} << 17;
  if (channels > most_bins / (n_fft / 2 + 1))
    throw io_error(shown_name(file),
                   fmt::format("--n-fft {} over {} takes too much memory; choose one with "
                               "--channel, or a smaller --n-fft",
                               n_fft, counted(channels, "channel")));
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

/// Mean power of the noise in each bin of each channel.
std::vector<array<float, 1>> measure_noise(const arguments& args, const std::string& file,
                                           const stft_plan<float>& plan, excerpt_reader& reader,
                                           std::uint64_t& segments) {
  const std::size_t channels = reader.channels();
  std::vector<noise_profile<float>> profiles(channels, noise_profile<float>(plan.bins()));
  stft_stream<float> stream(plan, channels);
  const auto add = [&](std::uint64_t, spectra values) {
    for (std::size_t c = 0; c < channels; ++c)
      profiles[c].add(std::span<const std::complex<float>>(&values(c, 0u), values.extent(1)));
  };
  reader.read([&](view<const float, 2> block) { stream.push(block, add); });
  // An excerpt is cut out of sound that goes on: the segments that reach beyond it hold less noise.
  if (!args.noise_duration) stream.finish(add);
  segments = profiles.front().segments();
  if (segments == 0)
    throw io_error(shown_name(file),
                   fmt::format("--noise-duration: {} hold no whole segment "
                               "of {}",
                               counted(reader.part().frames, "frame"), plan.options().n_fft));
  std::vector<array<float, 1>> noise;
  for (const auto& profile : profiles)
    noise.push_back(args.noise_duration ? profile.mean()
                                        : profile.from_quantile(args.quantile.value_or(0.2)));
  return noise;
}

/// Of an excerpt all segments lie within it.
stft_plan<float> noise_plan(const arguments& args, stft_options options) {
  if (args.noise_duration) {
    options.centre = false;
    options.pad_end = false;
  }
  return stft_plan<float>(options);
}

class cleaner {
 public:
  cleaner(const stft_options& options, const spectral_gate_options& gate,
          const std::vector<array<float, 1>>& noise, sound_writer& writer)
      : analysis_(options, noise.size()),
        synthesis_(options, noise.size()),
        opened_({noise.size(), analysis_.plan().bins()}),
        writer_(writer) {
    for (const auto& power : noise) gates_.emplace_back(power.flat(), gate);
  }

  void push(view<const float, 2> block) {
    analysis_.push(block, [&](std::uint64_t, spectra values) { take(values); });
  }

  void finish(std::uint64_t frames) {
    analysis_.finish([&](std::uint64_t, spectra values) { take(values); });
    for (bool more = true; more;) {
      for (std::size_t c = 0; c < gates_.size(); ++c) more = gates_[c].finish(row(c));
      if (more) synthesise();
    }
    synthesis_.finish(frames, [&](view<const float, 2> samples) { writer_.write(samples); });
  }

 private:
  std::span<std::complex<float>> row(std::size_t channel) {
    return {&opened_(channel, 0u), opened_.extent(1)};
  }
  // The gates of all channels are as far as each other.
  void take(spectra values) {
    bool done = false;
    for (std::size_t c = 0; c < gates_.size(); ++c)
      done = gates_[c].push(std::span<const std::complex<float>>(&values(c, 0u), values.extent(1)),
                            row(c));
    if (done) synthesise();
  }
  void synthesise() {
    synthesis_.push(view<const std::complex<float>, 2>(opened_.view()),
                    [&](view<const float, 2> samples) { writer_.write(samples); });
  }

  stft_stream<float> analysis_;
  istft_stream<float> synthesis_;
  std::vector<spectral_gate<float>> gates_;
  array<std::complex<float>, 2> opened_;
  sound_writer& writer_;
};

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
      .add({{"n_fft", o.n_fft},
            {"hop", o.hop},
            {"window", papilio::to_string(o.window)},
            {"threshold_db", args.gate.threshold_db},
            {"reduction_db", args.gate.reduction_db},
            {"noise",
             {{"automatic", !args.noise_duration},
              {"start_seconds", start},
              {"duration_seconds", duration},
              {"segments", noise_segments}}}});
}

report clean(const arguments& args, const stft_options& options, const std::string& file,
             const output& out, const on_progress& progress) {
  excerpt_reader reader(
      {.file = file, .sound = args.sound.options(), .part = args.part, .progress = progress});
  require_memory(file, reader.channels(), options.n_fft);
  std::uint64_t noise_segments = 0;
  if (args.noise_duration) {
    const double start = args.noise_start.value_or(0);
    if (start >= reader.info().duration_seconds())
      throw io_error(shown_name(file),
                     fmt::format("--noise-start {} s is at or beyond its end at {:.3f} s", start,
                                 reader.info().duration_seconds()));
    reader.choose(noise_part(args));
  }
  const std::vector<array<float, 1>> noise =
      measure_noise(args, file, noise_plan(args, options), reader, noise_segments);
  const sound_facts noise_facts = reader.facts();
  if (args.noise_duration) reader.choose(args.part);
  sound_writer_options output = args.output.options(out.kind);
  output.rate_hz = reader.info().rate_hz;
  output.channels = static_cast<int>(reader.channels());
  if (out.to_standard_output()) output.frames = reader.part().frames;
  sound_writer writer(out.name, output);
  cleaner gate(options, args.gate, noise, writer);
  reader.read([&](view<const float, 2> block) { gate.push(block); });
  gate.finish(reader.part().frames);
  writer.commit();
  const sound_facts sound = reader.facts();
  report made = report_of(args, options, sound, noise_facts, noise_segments);
  made.add({{"out", out.name.string()}, {"frames_written", writer.frames()}});
  add_written(made, out, writer);
  return made.warn(sound.warnings);
}

file_task task_of(const arguments& args) {
  if (args.noise_start && !args.noise_duration)
    throw usage_error("--noise-start: takes --noise-duration as well");
  if (args.quantile && args.noise_duration)
    throw usage_error("--quantile: is for noise that is found without --noise-duration");
  return
      [args, options = segments_of(args)](const std::string& file, const std::vector<output>& outs,
                                          const task_context& context) {
        return clean(args, options, file, outs.front(), context.progress);
      };
}

void add_flags(command& verb, arguments& args) {
  verb.add(
      {{"--noise-duration", args.noise_duration,
        "Time that holds nothing but noise [none: it is found in the whole, see below]",
        time_from(1e-9, 1e9)},
       {"--noise-start", args.noise_start, "Where in the file it begins [0]", time_from(0, 1e9)},
       {"--quantile", args.quantile,
        "Of the powers of each bin, from which the noise is found [0.2]",
        number_from(0.001, 0.999)},
       {"--threshold", args.gate.threshold_db, "dB above the noise that are kept",
        number_from(-200, 200)},
       {"--reduction", args.gate.reduction_db, "dB by which the rest is turned down",
        number_from(0, 400)},
       {"--smooth-bins", args.gate.smoothing_bins,
        "Half width, in bins, of the average of what is open", whole_number_from(0, 65536)},
       {"--smooth-segments", args.gate.smoothing_segments, "The same in segments",
        whole_number_from(0, 1024)}});
  args.part.add_to(verb, "all");
  args.segments.add_to(verb, {.centring = false, .scaling = false});
  args.sound.add_to(verb);
  args.output.add_to(verb);
}

}  // namespace denoise_parts
}  // namespace

sound_verb denoise_verb() {
  return {
      .name = "denoise",
      .help = "Remove steady noise from a sound file",
      .outputs = sound_kinds(),
      .out_help = sound_out_help,
      .prepare =
          [](command& verb, const output_flags& outputs) {
            auto args = std::make_shared<denoise_parts::arguments>();
            denoise_parts::add_flags(verb, *args);
            return [args, &outputs] {
              args->output.require_fit(outputs);
              return denoise_parts::task_of(*args);
            };
          },
      .footer =
          "A spectral gate: in the short-time spectrum of each channel, bins that are less than\n"
          "--threshold above the noise are reduced by --reduction; the gain is averaged over\n"
          "--smooth-bins and --smooth-segments to either side. The sound is made again from the\n"
          "spectrum, in its exact length.\n"
          "The noise of a bin is its mean power in the passage that --noise-start and "
          "--noise-duration\n"
          "name. Without it the noise is estimated from the quietest --quantile of the bin's "
          "segments,\n"
          "which is right for noise that is steady and alone in that share of them; this reads the "
          "file\n"
          "twice.\n"
          "Samples beyond full scale are clipped and counted, "
          "except\n"
          "in f32 and f64. Memory does not depend on the sound's length.\n"
          "Exit: 0 done, 1 bad data, 2 bad usage.",
      .examples = {{"papilio denoise talk.wav -o clean.wav", "noise found in the whole file"},
                   {"papilio denoise talk.wav -o clean.wav --noise-duration 1.5",
                    "noise as in the first second and a half"}}};
}

void add_denoise(program& app) { add_sound_verb(app, denoise_verb()); }

}  // namespace papilio::cli
