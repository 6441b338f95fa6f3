#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <memory>
#include <numbers>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "cli/common.hpp"
#include "cli/plot_flags.hpp"
#include "cli/sound_flags.hpp"
#include "cli/sound_report.hpp"
#include "cli/sound_verb.hpp"
#include "cli/stft_flags.hpp"
#include "cli/validators.hpp"
#include "papilio/io.hpp"

namespace papilio::cli {
namespace {
namespace fft_parts {

struct arguments {
  std::string window = "hann";
  excerpt_request part;
  std::optional<std::size_t> n_fft;
  double separation_hz = 0;
  peak_flags peaks{10};
  plot_flags picture;
  sound_flags sound;

  void add_to(command& verb) {
    verb.add({{"--n-fft", n_fft,
               "Points: the excerpt's first samples, or all and zeros [the excerpt's length]",
               whole_number_from(1, max_n_fft)},
              {"--window", window, "Weights of the excerpt, as of papilio stft", window_text()}});
    part.add_to(verb);
    peaks.add_to(verb);
    verb.add({{"--separation", separation_hz,
               "Hz around a stronger peak in which none is listed [the window's main lobe]",
               number_from(0, 1e9)}});
    picture.add_to(verb, "-120 dBFS");
    sound.add_to(verb);
  }
};

struct tone {
  double frequency_hz, amplitude;
  std::optional<double> phase_radians;  ///< of a cosine, at the excerpt's first sample
};

struct spectrum {
  sound_facts sound;          ///< what was asked for and is there
  std::size_t window_length;  ///< samples that were transformed
  std::size_t n_fft;
  double scale = 0;  ///< amplitude of a sine per |X|; half of it at 0 Hz and at half the rate
  std::string recipe = {};
  array<std::complex<double>, 1> bins =
      {};                           ///< X of the one channel; empty where there are several
  array<double, 1> amplitude = {};  ///< of every bin; root of the mean square over the channels
  std::vector<tone> peaks = {};

  double frequency_hz(std::size_t bin) const {
    return static_cast<double>(bin) * (sound.info.rate_hz / static_cast<double>(n_fft));
  }
};

/// Receives X = sum_j w[j] x[j] exp(-2 pi i j k / n_fft), k = 0 ... n_fft/2, of each of `channels`
/// channels in turn.
using on_spectrum =
    std::function<void(std::size_t channels, std::span<const std::complex<double>> bins)>;

bool has_small_factors(std::size_t n) {
  for (const std::size_t factor : {2, 3, 5, 7})
    while (n % factor == 0) n /= factor;
  return n == 1;
}

/// Points for an excerpt of at most max_n_fft frames: its length, up to 2^20; beyond, the next even
/// length without a prime factor over 7, because the transform of one with a large prime factor
/// takes six times the memory and ten times the time.
std::size_t default_n_fft(std::size_t frames) {
  if (frames <= std::size_t{1} << 20) return frames;
  std::size_t n = frames + frames % 2;
  while (!has_small_factors(n)) n += 2;
  return n;
}

/// Frames to be read: the excerpt, or as much of it as the transform takes.
std::size_t frames_to_read(const arguments& args, const std::string& file,
                           const excerpt_reader& reader) {
  const std::uint64_t wanted = reader.part().frames;
  if (!args.n_fft && wanted > max_n_fft)
    throw io_error(
        shown_name(file),
        fmt::format("{} frames are more than one transform takes, {} ({} here); choose fewer with "
                    "--duration or --n-fft",
                    wanted, max_n_fft,
                    format_duration(static_cast<double>(max_n_fft) / reader.info().rate_hz)));
  const auto frames =
      static_cast<std::size_t>(std::min<std::uint64_t>(wanted, args.n_fft.value_or(max_n_fft)));
  constexpr std::size_t most_samples = std::size_t{1} << 26;
  if (reader.channels() > most_samples / frames)
    throw io_error(shown_name(file),
                   fmt::format("{} frames of {} channels at once take too much memory; choose one "
                               "with --channel, or at most {} frames with --duration or --n-fft",
                               frames, reader.channels(), most_samples / reader.channels()));
  return frames;
}

/// Windowed samples of one channel to its half spectrum, in place: the reals lie where the bins
/// will.
void transform(const rfft_plan<double>& plan, std::span<const float> samples,
               std::span<const double> window, std::span<std::complex<double>> bins) {
  const std::span<double> line(reinterpret_cast<double*>(bins.data()), plan.size());
  for (std::size_t i = 0; i < window.size(); ++i)
    line[i] = window[i] * static_cast<double>(samples[i]);
  std::fill(line.begin() + static_cast<std::ptrdiff_t>(window.size()), line.end(), 0.0);
  plan.forward(line, bins);
}

/// The phase of a tone that stands between bins, from the bin next to it: a window that is
/// symmetric about sample c turns the phase by 2 pi c / n_fft for each bin of distance.
double phase_of(const spectrum& s, const window_spec& window, double frequency_hz) {
  const double position = frequency_hz / s.frequency_hz(1);
  const double bin = std::min(std::round(position), static_cast<double>(s.bins.size() - 1));
  const double centre = 0.5 * static_cast<double>(window == window_spec(window_kind::rectangular)
                                                      ? s.window_length - 1
                                                      : s.window_length);
  const double turn = 2 * std::numbers::pi * centre / static_cast<double>(s.n_fft);
  return std::remainder(std::arg(s.bins[static_cast<std::size_t>(bin)]) - turn * (position - bin),
                        2 * std::numbers::pi);
}

/// The tones of a half spectrum of powers.
void find_tones(const arguments& args, std::span<const double> power, spectrum& s) {
  const window_spec window = parse_window(args.window);
  const stft_options options{
      .n_fft = s.n_fft, .hop = 1, .window_length = s.window_length, .window = window};
  for (const spectral_peak& peak :
       find_peaks(power, options, s.sound.info.rate_hz, args.peaks.count, args.separation_hz,
                  args.peaks.range_db)) {
    tone t{peak.frequency_hz, std::sqrt(peak.power), std::nullopt};
    if (!s.bins.empty()) t.phase_radians = phase_of(s, window, peak.frequency_hz);
    s.peaks.push_back(t);
  }
}

void transform_channels(const arguments& args, view<const float, 2> samples, spectrum& s,
                        const on_spectrum& each_channel) {
  const rfft_plan<double> plan(s.n_fft);
  s.recipe = to_string(plan.design());
  const array<double, 1> window = make_window<double>(parse_window(args.window), s.window_length);
  s.scale = 2 / window_sum<double>(window.flat());
  array<std::complex<double>, 1> bins(plan.bins());
  array<double, 1> power(plan.bins());
  const std::size_t channels = samples.extent(0);
  const double factor = s.scale * s.scale / static_cast<double>(channels);
  for (std::size_t c = 0; c < channels; ++c) {
    transform(plan, {&samples(c, 0u), s.window_length}, window.flat(), bins.flat());
    for (std::size_t k = 0; k < bins.size(); ++k) power[k] += factor * std::norm(bins[k]);
    if (each_channel) each_channel(channels, bins.flat());
  }
  if (channels == 1) s.bins = std::move(bins);
  find_tones(args, power.flat(), s);
  for (double& p : power) p = std::sqrt(p);
  power[0] /= 2;
  if (s.n_fft % 2 == 0) power[s.n_fft / 2] /= 2;
  s.amplitude = std::move(power);
}

/// Reads the excerpt, at most n_fft frames of it, and transforms it, in double. Memory: 4 bytes a
/// sample and about 70 a point, up to 400 for an n_fft with large prime factors.
spectrum transform_file(const arguments& args, const std::string& file, const task_context& context,
                        const on_spectrum& each_channel) {
  excerpt_reader reader({.file = file,
                         .sound = args.sound.options(),
                         .part = args.part,
                         .progress = context.progress,
                         .bounded = args.n_fft.has_value()});
  const std::size_t frames = frames_to_read(args, file, reader);
  array<float, 2> samples({reader.channels(), frames});
  std::size_t got = 0;
  reader.read(
      [&](view<const float, 2> block) {
        for (std::size_t c = 0; c < samples.extent(0); ++c)
          for (std::size_t i = 0; i < block.extent(0); ++i) samples(c, got + i) = block(i, c);
        got += block.extent(0);
      },
      frames);
  spectrum s{.sound = reader.facts(),
             .window_length = got,
             .n_fft = args.n_fft.value_or(default_n_fft(got))};
  if (!s.sound.info.length_known) s.sound.part.frames = got;
  transform_channels(args, samples.view(), s, each_channel);
  return s;
}

csv_writer write_csv(const output& out, const spectrum& s) {
  const bool with_phase = !s.bins.empty();
  std::vector<std::string> columns{"frequency_hz", "amplitude", "level_dbfs"};
  if (with_phase) columns.push_back("phase_radians");
  csv_writer csv(out.path(), columns);
  for (std::size_t k = 0; k < s.amplitude.size(); ++k) {
    const double frequency = s.frequency_hz(k), level = amplitude_to_db(s.amplitude[k]);
    if (with_phase)
      csv.row(frequency, s.amplitude[k], level, std::arg(s.bins[k]));
    else
      csv.row(frequency, s.amplitude[k], level);
  }
  return csv;
}

void draw(const arguments& args, const output& out, const spectrum& s) {
  array<double, 2> level_db({1, s.amplitude.size()});
  for (std::size_t k = 0; k < s.amplitude.size(); ++k)
    level_db(0u, k) = amplitude_to_db(s.amplitude[k]);
  plot_flags look = args.picture;
  if (!look.min_db) look.min_db = -120;
  look.draw(out, s.sound.file,
            {.levels_db = level_db.view(),
             .step_hz = s.frequency_hz(1),
             .high_hz = s.sound.info.rate_hz / 2.0,
             .unit = "dBFS"});
}

/// Nothing appears under its name before all outputs are written.
spectrum transform_and_write(const arguments& args, const std::string& file,
                             const std::vector<output>& outs, const task_context& context) {
  std::vector<npy_writer<std::complex<double>>> arrays;
  const auto write_row = [&](std::size_t channels, std::span<const std::complex<double>> bins) {
    if (arrays.empty())
      for (const output& out : outs)
        if (out.kind == "npy")
          arrays.emplace_back(
              out.path(), channels == 1 ? std::vector<std::size_t>{} : std::vector{bins.size()});
    for (auto& npy : arrays) npy.write_rows(bins);
  };
  spectrum s = transform_file(args, file, context, write_row);
  std::vector<csv_writer> tables;
  for (const output& out : outs)
    if (out.kind == "csv") tables.push_back(write_csv(out, s));
  for (const output& out : outs)
    if (is_picture(out.kind)) draw(args, out, s);
  for (csv_writer& table : tables) table.commit();
  for (auto& npy : arrays) npy.commit();
  return s;
}

/// Decimals that show a thousandth of a bin.
int frequency_decimals(const spectrum& s) {
  return std::clamp(static_cast<int>(std::ceil(3 - std::log10(s.frequency_hz(1)))), 1, 6);
}

void add_tones(report& made, const spectrum& s) {
  std::vector<std::vector<json_value>> rows;
  for (const tone& t : s.peaks) {
    const auto phase = [&](double scale) {
      return t.phase_radians ? json_value(*t.phase_radians * scale) : json_value();
    };
    rows.push_back({t.frequency_hz, t.amplitude, amplitude_to_db(t.amplitude), phase(1),
                    phase(180 / std::numbers::pi)});
  }
  const int decimals = frequency_decimals(s);
  made.table("peaks", "peaks",
             {{"frequency_hz", fmt::format("{{:>{}.{}f}} Hz", 7 + decimals, decimals)},
              {"amplitude", "  amplitude {:.6f}"},
              {"level_dbfs", " {:>7.1f} dBFS"},
              {"phase_radians", ""},
              {"", "  phase {:>6.1f} deg"}},
             std::move(rows));
}

report report_of(const arguments& args, const std::vector<output>& outs, const spectrum& s) {
  report made = sound_report(s.sound);
  made.add({{"channel", args.part.channel ? json_value(*args.part.channel) : json_value()},
            {"n_fft", s.n_fft},
            {"bins", s.amplitude.size()},
            {"bin_hz", s.frequency_hz(1)},
            {"window", args.window},
            {"window_length", s.window_length},
            {"scale", s.scale},
            {"recipe", s.recipe},
            {"csv", nullptr},
            {"npy", nullptr},
            {"plot", nullptr}})
      .line("spectrum", "{} of {}, {:.6g} Hz apart, {} window of {}, {}",
            counted(s.amplitude.size(), "bin"), counted(s.n_fft, "point"), s.frequency_hz(1),
            args.window, counted(s.window_length, "sample"),
            channels_text(args.part, s.sound.info));
  for (const output& out : outs)
    made.add(is_picture(out.kind) ? "plot" : out.kind, out.name.string(),
             is_picture(out.kind) ? "plot" : out.kind, "{}");
  if (args.peaks.count > 0 && s.peaks.empty()) made.line("peaks", "none: digital silence");
  add_tones(made, s);
  std::vector<std::string> warnings = s.sound.warnings;
  if (s.window_length < s.sound.part.frames)
    warnings.push_back(fmt::format("--n-fft {}: only the first {} of {} are looked at", s.n_fft,
                                   s.window_length, counted(s.sound.part.frames, "frame")));
  return made.add("outputs", names_of(outs)).warn(std::move(warnings));
}

file_task task_of(const arguments& args) {
  if (args.n_fft) require_transform_memory(*args.n_fft, real_type::double_precision);
  return [args](const std::string& file, const std::vector<output>& outs,
                const task_context& context) {
    return report_of(args, outs, transform_and_write(args, file, outs, context));
  };
}

}  // namespace fft_parts
}  // namespace

sound_verb fft_verb() {
  return {
      .name = "fft",
      .help =
          "Transform a sound file in one piece: its strongest tones, its spectrum as plot or data",
      .outputs = {.kinds = {"csv", "npy", "png", "svg", "pdf"},
                  .streamed = {"csv", "png", "svg", "pdf"},
                  .former_flags = "--csv,--npy,--plot"},
      .out_help =
          "Table of frequency, amplitude, level and phase (.csv), NumPy file of the complex half\n"
          "spectrum (.npy) or picture (.png, .svg, .pdf) to write; each with its own -o",
      .prepare =
          [](command& verb, const output_flags& outputs) {
            auto args = std::make_shared<fft_parts::arguments>();
            args->add_to(verb);
            return [args, &outputs] {
              args->picture.require_picture(outputs);
              return fft_parts::task_of(*args);
            };
          },
      .footer =
          "The excerpt is weighted by the window and transformed in double, whatever its length, "
          "up "
          "to\n"
          "2^24 points; one of more than 2^20 samples is padded with zeros to the next even number "
          "of\n"
          "points without a prime factor over 7, unless --n-fft says otherwise. Amplitudes are "
          "those "
          "of\n"
          "sines, a full-scale one being 1, or 0 dBFS. A peak's frequency lies between bins; its "
          "phase\n"
          "is that of a cosine at the excerpt's first sample. Without --channel, amplitudes are "
          "the "
          "root\n"
          "of the channels' mean power, and there is no phase.\n"
          "CSV: frequency_hz, amplitude, level_dbfs, phase_radians of each bin, 0 Hz first. NPY: "
          "bins "
          "of\n"
          "numpy.fft.rfft(window * samples, n_fft), unscaled, [bins], or [channels, bins] of "
          "several;\n"
          "amplitude = abs(bin) * scale, which --json tells (half of it at 0 Hz and at half the "
          "sample\n"
          "rate). What --out names is replaced.",
      .examples = {
          {"papilio fft song.flac --start 10 --duration 1", "the strongest tones of one second"},
          {"papilio fft song.flac -o spectrum.svg -o spectrum.csv",
           "the whole spectrum, drawn and as a table"}}};
}

void add_fft(program& app) { add_sound_verb(app, fft_verb()); }

}  // namespace papilio::cli
