#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <span>

#include "cli/sound_verb.hpp"
#include "cli/stft_flags.hpp"
#include "papilio/io.hpp"
#include "signal/tonal_spectrum.hpp"

namespace papilio::cli {
namespace {
namespace fft_parts {

struct arguments {
  std::string window = "hann";
  excerpt_request part;
  std::optional<std::size_t> n_fft;
  double separation_hz = 0;
  peak_flags peaks{10};
  full_scale_flag full_scale;
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
               "Least distance of a peak from a stronger one, Hz [the window's main lobe]",
               number_from(0, 1e9)}});
    full_scale.add_to(verb);
    picture.add_to(verb, "120 dB below full scale");
    sound.add_to(verb);
  }
};

struct spectrum : signal_detail::tonal_spectrum {
  sound_facts sound;  ///< what was asked for and is there
};

/// Receives the half spectrum of each of so many channels in turn.
using on_spectrum =
    std::function<void(std::size_t channels, std::span<const std::complex<double>> bins)>;

/// Frames to be read: the excerpt, or as much of it as the transform takes.
std::size_t frames_to_read(const arguments& args, const std::string& file,
                           const excerpt_reader& reader) {
  const std::uint64_t wanted = reader.part().frames;
  if (!args.n_fft && wanted > max_n_fft)
    throw bad_file(file,
                   "{} frames are more than one transform takes, {} ({} here); choose fewer with "
                   "--duration or --n-fft",
                   wanted, max_n_fft,
                   format_duration(static_cast<double>(max_n_fft) / reader.info().rate_hz));
  const auto frames =
      static_cast<std::size_t>(std::min<std::uint64_t>(wanted, args.n_fft.value_or(max_n_fft)));
  constexpr std::size_t most_samples = std::size_t{1} << 26;
  if (reader.channels() > most_samples / frames)
    throw bad_file(file,
                   "{} frames of {} channels at once take too much memory; choose one "
                   "with --channel, or at most {} frames with --duration or --n-fft",
                   frames, reader.channels(), most_samples / reader.channels());
  return frames;
}

/// Reads the excerpt, at most n_fft frames of it, and transforms it.
spectrum transform_file(const arguments& args, const file_request& of,
                        const on_spectrum& each_channel) {
  const bool is_drawn =
      std::ranges::any_of(of.outs, [](const output& out) { return is_picture(out.kind); });
  excerpt_reader reader(of.file, args.sound, args.part, of.progress,
                        args.n_fft ? reading::bounded : reading::again);
  const std::size_t frames = frames_to_read(args, of.file, reader);
  const std::size_t points = args.n_fft.value_or(signal_detail::tonal_n_fft(frames));
  // One channel is transformed after the other.
  const auto memory =
      begin_work(of.file, {1, frames, points, frames, real_type::double_precision}, of.around);
  array<float, 2> samples({reader.channels(), frames});
  std::size_t got = 0;
  reader.read(
      [&](view<const float, 2> block) {
        for (std::size_t c = 0; c < samples.extent(0); ++c)
          for (std::size_t i = 0; i < block.extent(0); ++i) samples(c, got + i) = block(i, c);
        got += block.extent(0);
      },
      frames);
  spectrum s{signal_detail::tonal_spectrum_of(
                 samples.view().slice(1, 0, got), reader.info().rate_hz,
                 args.n_fft.value_or(signal_detail::tonal_n_fft(got)),
                 {.window = parse_window(args.window),
                  .count = std::max(args.peaks.count, is_drawn ? args.picture.wanted_peaks() : 0),
                  .separation_hz = args.separation_hz,
                  .range_db = args.peaks.range_db},
                 [&](std::span<const std::complex<double>> bins) {
                   each_channel(samples.extent(0), bins);
                 }),
             reader.facts()};
  if (!s.sound.info.length_known) s.sound.part.frames = got;
  return s;
}

csv_writer write_csv(const arguments& args, const output& out, const spectrum& s) {
  const bool with_phase = !s.bins.empty(), has_pressure = args.full_scale.db_spl.has_value();
  std::vector<std::string> columns{"frequency_hz", "amplitude", "level_dbfs"};
  if (with_phase) columns.push_back("phase_radians");
  if (has_pressure) columns.push_back("level_db_spl");
  csv_writer csv(out.path(), columns);
  std::vector<csv_field> row;
  for (std::size_t k = 0; k < s.amplitude.size(); ++k) {
    const double level = amplitude_to_db(s.amplitude[k]);
    row.assign({csv_field(s.frequency_hz(k)), csv_field(s.amplitude[k]), csv_field(level)});
    if (with_phase) row.emplace_back(std::arg(s.bins[k]));
    if (has_pressure) row.emplace_back(level + *args.full_scale.db_spl);
    csv.write_row(row);
  }
  return csv;
}

level_curves curves_of(const spectrum& s) {
  array<double, 2> level_db({1, s.amplitude.size()});
  for (std::size_t k = 0; k < s.amplitude.size(); ++k)
    level_db(0u, k) = amplitude_to_db(s.amplitude[k]);
  level_curves made{.file = s.sound.file,
                    .levels_db = std::move(level_db),
                    .step_hz = s.frequency_hz(1),
                    .high_hz = s.sound.info.rate_hz / 2.0};
  for (const signal_detail::tone& t : s.tones)
    made.peaks.push_back({0, t.frequency_hz, amplitude_to_db(t.amplitude)});
  return made;
}

void draw(const arguments& args, const output& out, std::span<const level_curves> files) {
  plot_flags look = args.picture;
  if (!look.min_db) look.min_db = args.full_scale.offset_db() - 120;
  look.draw(out, files, args.full_scale, "");
}

/// Nothing appears under its name before all outputs are written.
spectrum transform_and_write(const arguments& args, const file_request& of) {
  commit_group together;
  std::vector<npy_writer<std::complex<double>>> arrays;
  const auto write_row = [&](std::size_t channels, std::span<const std::complex<double>> bins) {
    if (arrays.empty())
      for (const output& out : of.outs)
        if (out.kind == "npy")
          arrays.emplace_back(
              out.path(), channels == 1 ? std::vector<std::size_t>{} : std::vector{bins.size()});
    for (auto& npy : arrays) npy.write_rows(bins);
  };
  spectrum s = transform_file(args, of, write_row);
  std::vector<csv_writer> tables;
  for (const output& out : of.outs)
    if (out.kind == "csv") tables.push_back(write_csv(args, out, s));
  for (const output& out : of.outs)
    if (is_picture(out.kind) && !out.is_joint) {
      const level_curves curves = curves_of(s);
      draw(args, out, {&curves, 1});
    }
  for (csv_writer& table : tables) table.commit();
  for (auto& npy : arrays) npy.commit();
  together.finish();
  return s;
}

/// Decimals that show a thousandth of a bin.
int frequency_decimals(const spectrum& s) {
  return std::clamp(static_cast<int>(std::ceil(3 - std::log10(s.frequency_hz(1)))), 1, 6);
}

void add_tones(report& made, const arguments& args, const spectrum& s) {
  table_rows rows;
  const std::optional<double> full_scale = args.full_scale.db_spl;
  for (const signal_detail::tone& t :
       std::span(s.tones).first(std::min(args.peaks.count, s.tones.size()))) {
    const auto phase = [&](double scale) {
      return t.phase_radians ? json_value(*t.phase_radians * scale) : json_value();
    };
    const double level = amplitude_to_db(t.amplitude);
    rows.add(t.frequency_hz, t.amplitude, level);
    if (full_scale) rows.more(level + *full_scale);
    rows.more(phase(1), phase(180 / std::numbers::pi));
  }
  const int decimals = frequency_decimals(s);
  const std::string frequency = fmt::format("{{:>{}.{}f}} Hz", 7 + decimals, decimals);
  std::vector<report::column> columns{{"frequency_hz", frequency},
                                      {"amplitude", "  amplitude {:.6f}"},
                                      {"level_dbfs", full_scale ? "" : " {:>7.1f} dBFS"}};
  if (full_scale) columns.push_back({"level_db_spl", " {:>7.1f} dB SPL"});
  columns.push_back({"phase_radians", ""});
  columns.push_back({"", "  phase {:>6.1f} deg"});
  made.table("peaks", "peaks", columns, rows);
}

report report_of(const arguments& args, const std::vector<output>& outs, const spectrum& s) {
  report made = sound_report(s.sound);
  made.fields("channel", args.part.channel, "n_fft", s.n_fft, "bins", s.amplitude.size(), "bin_hz",
              s.frequency_hz(1), "window", args.window, "window_length", s.window_length, "scale",
              s.scale, "recipe", s.recipe, "csv", nullptr, "npy", nullptr, "plot", nullptr)
      .line("spectrum", "{} of {}, {:.6g} Hz apart, {} window of {}, {}",
            counted(s.amplitude.size(), "bin"), counted(s.n_fft, "point"), s.frequency_hz(1),
            args.window, counted(s.window_length, "sample"),
            channels_text(args.part, s.sound.info));
  for (const output& out : outs)
    made.add(is_picture(out.kind) ? "plot" : out.kind, out.name.string(),
             is_picture(out.kind) ? "plot" : out.kind, "{}");
  if (args.peaks.count > 0 && s.tones.empty()) made.line("peaks", "none: digital silence");
  if (args.full_scale.db_spl) made.add("full_scale_db", *args.full_scale.db_spl);
  add_tones(made, args, s);
  std::vector<std::string> warnings;
  if (s.window_length < s.sound.part.frames)
    warnings.push_back(fmt::format("--n-fft {}: only the first {} of {} are looked at", s.n_fft,
                                   s.window_length, counted(s.sound.part.frames, "frame")));
  return made.add("outputs", names_of(outs)).warn(warnings);
}

/// Bins of one picture of several files: 128 MiB of levels.
constexpr std::size_t most_joint_bins = std::size_t{1} << 24;

file_task task_of(arguments& args, const output_flags& outputs) {
  args.picture.require_picture(outputs, args.full_scale);
  if (args.n_fft) require_transform_memory(*args.n_fft, real_type::double_precision);
  auto drawn_together = std::make_shared<std::vector<level_curves>>();
  auto bins = std::make_shared<std::size_t>(0);
  return [args, drawn_together, bins](const file_request& of) {
    if (of.after_all) {
      if (drawn_together->empty()) return report();
      for (const output& out : of.outs) draw(args, out, *drawn_together);
      return report();
    }
    const spectrum s = transform_and_write(args, of);
    if (std::ranges::any_of(of.outs, &output::is_joint)) {
      if (s.amplitude.size() > most_joint_bins - *bins)
        throw bad_file(
            of.file,
            "its {} and the {} of the files before are more bins than one picture takes, "
            "{}; choose fewer with --duration or --n-fft",
            s.amplitude.size(), *bins, most_joint_bins);
      *bins += s.amplitude.size();
      drawn_together->push_back(curves_of(s));
    }
    return report_of(args, of.outs, s);
  };
}

}  // namespace fft_parts
}  // namespace

sound_verb fft_verb() {
  sound_verb of(
      "fft",
      "Transform a sound file in one piece: its strongest tones, its spectrum as plot or data");
  of.outputs.kinds = {"csv", "npy", "png", "svg", "pdf"};
  of.outputs.streamed = {"csv", "png", "svg", "pdf"};
  of.outputs.joint = {"png", "svg", "pdf"};
  of.outputs.former_flags = {
      {"--csv", {"csv"}}, {"--npy", {"npy"}}, {"--plot", {"png", "svg", "pdf"}}};
  of.out_help =
      "Table of frequency, amplitude, level and phase (.csv), NumPy file of the complex half\n"
      "spectrum (.npy) or picture (.png, .svg, .pdf) to write; each with its own -o, or a\n"
      "folder; several files may share a picture";
  of.prepare = prepared_by(fft_parts::task_of);
  of.footer =
      R"(The excerpt is weighted by the window and transformed in double, whatever its length, up to
2^24 points; one of more than 2^20 samples is padded with zeros to the next even number of
points without a prime factor over 7, unless --n-fft says otherwise. Amplitudes are those of
sines, a full-scale one being 1, or 0 dBFS. A peak's frequency lies between bins; its phase
is that of a cosine at the excerpt's first sample. Without --channel, amplitudes are the root
of the channels' mean power, and there is no phase. A picture labels the strongest peaks as
the list has them.
CSV: frequency_hz, amplitude, level_dbfs, phase_radians of each bin, 0 Hz first, and with
--full-scale level_db_spl. NPY: bins of
numpy.fft.rfft(window * samples, n_fft), unscaled, [bins], or [channels, bins] of several;
amplitude = abs(bin) * scale, which --json tells (half of it at 0 Hz and at half the sample
rate). What --out names is replaced.)";
  of.examples.emplace_back("papilio fft song.flac --start 10 --duration 1",
                           "the strongest tones of one second");
  of.examples.emplace_back("papilio fft song.flac -o spectrum.svg -o spectrum.csv",
                           "the whole spectrum, drawn and as a table");
  of.examples.emplace_back("papilio fft before.wav after.wav -o both.png", "in one picture");
  return of;
}

void add_fft(program& app) { add_sound_verb(app, fft_verb()); }

}  // namespace papilio::cli
