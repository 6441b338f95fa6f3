#include <algorithm>
#include <cmath>

#include "cli/sound_verb.hpp"
#include "cli/stft_flags.hpp"
#include "papilio/io.hpp"
#include "signal/density_estimator.hpp"

namespace papilio::cli {

namespace {
namespace psd_parts {

struct arguments {
  std::optional<std::size_t> segment_length, overlap, n_fft;
  std::string preset, detrend = "constant", scaling = "density", average = "mean", window = "hann";
  bool per_channel = false;
  excerpt_request part;
  sound_flags sound;
  peak_flags peaks{5};
  full_scale_flag full_scale;
  plot_flags plot;

  void add_to(command& verb) {
    verb.add({{"--preset", preset,
               "scipy: segments of scipy.signal.welch, 256 samples, or all where there are fewer",
               one_of({"scipy"})},
              {"--segment-length", segment_length,
               "Samples of each segment [4096; scipy 256; or all there are]",
               whole_number_from(1, max_n_fft)},
              {"--overlap", overlap, "Samples that neighbours share [half a segment]",
               whole_number_from(0, max_n_fft)},
              {"--detrend", detrend,
               "Trend removed from each segment: none, its mean, or its straight line",
               one_of({"none", "constant", "linear"})},
              {"--scaling|--psd-scaling", scaling, "density, per Hz, or spectrum, per bin",
               one_of({"density", "spectrum"})},
              {"--average", average, "Average of the segments; the median ignores bursts",
               one_of({"mean", "median"})},
              {"--per-channel", per_channel, "One density for each channel, not their mean"},
              {"--n-fft", n_fft, "Points of each transform, zeros after the segment [its length]",
               whole_number_from(1, max_n_fft)},
              {"--window", window, "Weights of a segment, as of papilio stft", window_text()}});
    peaks.add_to(verb);
    full_scale.add_to(verb);
    plot.add_to(verb, "all levels");
    part.add_to(verb);
    sound.add_to(verb);
  }
};

/// Segments of 4096 samples, scipy's of 256, or fewer where the flags say so; whatever the file.
std::size_t wanted_length(const arguments& args) {
  const std::size_t usual = args.preset == "scipy" ? 256 : 4096;
  return args.segment_length.value_or(std::min(usual, args.n_fft.value_or(usual)));
}

void require_fit(const arguments& args) {
  const std::size_t segment = wanted_length(args);
  if (args.n_fft.value_or(segment) < segment)
    throw usage_error("--n-fft: must be at least --segment-length {}, got {}", segment,
                      *args.n_fft);
  if (args.overlap.value_or(0) >= segment)
    throw usage_error("--overlap: must be below --segment-length {}, got {}", segment,
                      *args.overlap);
  require_window(parse_window(args.window), segment);
  require_transform_memory(args.n_fft.value_or(segment), real_type::double_precision);
}

welch_options options_of(const arguments& args, const std::string& file,
                         const excerpt_reader& reader, std::vector<std::string>& warnings) {
  const std::uint64_t frames = reader.part().frames;
  welch_options o{.rate_hz = static_cast<double>(reader.info().rate_hz),
                  .segment_length = wanted_length(args),
                  .window = parse_window(args.window)};
  if (args.detrend == "none") o.detrend = detrending::none;
  if (args.detrend == "linear") o.detrend = detrending::linear;
  if (args.scaling == "spectrum") o.scaling = psd_scaling::spectrum;
  if (args.average == "median") o.average = psd_average::median;
  if (frames < o.segment_length) {
    const bool is_free = !args.segment_length && !args.overlap && !args.n_fft;
    if (!is_free && args.preset != "scipy")
      throw bad_file(file, "{} are fewer than a segment of {}, --segment-length",
                     counted(frames, "frame"), o.segment_length);
    o.segment_length = static_cast<std::size_t>(frames);
    warnings.push_back(fmt::format("{} are all in one segment: there is nothing to average",
                                   counted(frames, "frame")));
  }
  o.overlap = args.overlap.value_or(o.segment_length / 2);
  o.n_fft = args.n_fft.value_or(o.segment_length);
  return o;
}

struct psd_result {
  sound_facts sound;
  welch_options options;
  signal_detail::density found;
  std::vector<spectral_peak> peaks = {};
  std::vector<level_curves::peak> drawn_peaks = {};
  std::vector<std::string> warnings = {};

  double frequency_hz(std::size_t bin) const {
    return static_cast<double>(bin) * (options.rate_hz / static_cast<double>(options.n_fft));
  }
};

/// 10 log10 of a bin's power beside that of full scale.
double level_db(const psd_result& r, std::size_t bin, double power) {
  return power_to_db(power, signal_detail::full_scale_power(r.options, bin));
}

/// Peaks of each curve, at the level that the curve has there: that of the highest bin beside them.
void find_drawn_peaks(const arguments& args, const signal_detail::density_estimator& estimator,
                      psd_result& r) {
  const std::size_t count = args.plot.wanted_peaks();
  const array<double, 2>& power = r.found.power;
  for (std::size_t c = 0; c < power.extent(0); ++c)
    for (const spectral_peak& peak :
         estimator.peaks(r.found, count, args.peaks.range_db,
                         args.per_channel ? std::optional(c) : std::nullopt)) {
      const double place = std::floor(peak.frequency_hz / r.frequency_hz(1));
      std::size_t k = std::min(static_cast<std::size_t>(place), power.extent(1) - 1);
      if (k + 1 < power.extent(1) && power(c, k + 1) > power(c, k)) ++k;
      r.drawn_peaks.push_back({c, peak.frequency_hz, level_db(r, k, power(c, k))});
    }
}

psd_result estimate(const arguments& args, const file_request& of) {
  excerpt_reader reader(of.file, args.sound, args.part, of.progress);
  std::vector<std::string> warnings = {};
  const welch_options o = options_of(args, of.file, reader, warnings);
  segment_work work =
      reader.work(o.n_fft, o.segment_length - *o.overlap, real_type::double_precision);
  work.most_samples = std::size_t{1} << (o.average == psd_average::median ? 18 : 24);
  const auto memory = begin_work(of.file, work, of.around);
  signal_detail::density_estimator estimator(o, reader.channels());
  while (estimator.wants_more()) {
    reader.read([&](view<const float, 2> block) { estimator.push(block); });
    try {
      estimator.end_pass();
    } catch (const invalid_argument&) {
      throw io_error(shown_name(of.file), "it ends within a segment");
    }
  }
  psd_result r{.sound = reader.facts(),
               .options = o,
               .found = estimator.result(o.scaling, args.per_channel)};
  r.peaks = estimator.peaks(r.found, args.peaks.count, args.peaks.range_db);
  if (std::ranges::any_of(of.outs, [](const output& out) { return is_picture(out.kind); }))
    find_drawn_peaks(args, estimator, r);
  r.warnings = std::move(warnings);
  return r;
}

csv_writer written_table(const arguments& args, const output& out, const psd_result& r) {
  const bool per_channel = args.per_channel, has_pressure = !per_channel && args.full_scale.db_spl;
  const bool density = r.options.scaling == psd_scaling::density;
  const std::string quantity = density ? "density_per_hz" : "power";
  std::vector<std::string> columns{"frequency_hz"};
  for (std::size_t c = 0; c < r.found.power.extent(0); ++c)
    columns.push_back(per_channel ? fmt::format("{}_{}", quantity, c + 1) : quantity);
  if (!per_channel) columns.push_back(density ? "level_dbfs_per_hz" : "level_dbfs");
  if (has_pressure) columns.push_back(density ? "level_db_spl_per_hz" : "level_db_spl");
  csv_writer csv(out.path(), columns);
  std::vector<csv_field> row;
  for (std::size_t k = 0; k < r.found.power.extent(1); ++k) {
    row.assign(1, csv_field(r.frequency_hz(k)));
    for (std::size_t c = 0; c < r.found.power.extent(0); ++c) row.emplace_back(r.found.power(c, k));
    const double level = level_db(r, k, r.found.power(0u, k));
    if (!per_channel) row.emplace_back(level);
    if (has_pressure) row.emplace_back(level + args.full_scale.offset_db());
    csv.write_row(row);
  }
  return csv;
}

npy_region_writer<double> written_array(const output& out, const psd_result& r, bool per_channel) {
  std::vector<std::uint64_t> extents{r.found.power.extent(1)};
  if (per_channel) extents.insert(extents.begin(), r.found.power.extent(0));
  npy_region_writer<double> npy(out.path(), std::move(extents));
  npy.write(0, r.found.power.flat());
  return npy;
}

void draw(const arguments& args, const output& out, std::span<const psd_result> results) {
  std::vector<level_curves> curves;
  for (const psd_result& r : results) {
    array<double, 2> levels(r.found.power.extents());
    for (std::size_t c = 0; c < levels.extent(0); ++c)
      for (std::size_t k = 0; k < levels.extent(1); ++k)
        levels(c, k) = level_db(r, k, r.found.power(c, k));
    curves.push_back({.file = r.sound.file,
                      .levels_db = std::move(levels),
                      .step_hz = r.frequency_hz(1),
                      .high_hz = r.options.rate_hz / 2,
                      .peaks = r.drawn_peaks});
  }
  args.plot.draw(out, curves, args.full_scale, args.scaling == "density" ? "/Hz" : "");
}

/// No array and no table appears under its name before all outputs are written.
void write_outputs(const arguments& args, const std::vector<output>& outs, const psd_result& r) {
  commit_group together;
  std::vector<csv_writer> tables;
  std::vector<npy_region_writer<double>> arrays;
  for (const output& out : outs) {
    if (out.kind == "csv") tables.push_back(written_table(args, out, r));
    if (out.kind == "npy") arrays.push_back(written_array(out, r, args.per_channel));
  }
  for (const output& out : outs)
    if (is_picture(out.kind) && !out.is_joint) draw(args, out, std::span(&r, 1));
  for (csv_writer& table : tables) table.commit();
  for (auto& array : arrays) array.commit();
  together.finish();
}

report report_of(const arguments& args, const std::vector<output>& outs, const psd_result& r) {
  const welch_options& o = r.options;
  report made = sound_report(r.sound);
  made.fields("channel", args.part.channel, "segments", r.found.segments, "segment_length",
              o.segment_length, "overlap", *o.overlap, "n_fft", o.n_fft, "bins",
              r.found.power.extent(1), "bin_hz", r.frequency_hz(1), "noise_bandwidth_hz",
              r.found.noise_bandwidth_hz, "window", papilio::to_string(o.window), "detrend",
              args.detrend, "scaling", args.scaling, "average", args.average, "mean_square",
              r.found.mean_square)
      .line("psd", "{} of {} of {}, overlap {}, {} window, {}", args.average,
            counted(r.found.segments, "segment"), counted(o.segment_length, "sample"), *o.overlap,
            papilio::to_string(o.window),
            args.per_channel ? "each channel" : channels_text(args.part, r.sound.info))
      .line("bins", "{}, {:.6g} Hz apart, noise bandwidth {:.6g} Hz", r.found.power.extent(1),
            r.frequency_hz(1), r.found.noise_bandwidth_hz);
  for (const output& out : outs) made.line(out.kind, "{}", out.name.string());
  const bool is_silent = !(r.found.mean_square > 0);
  add_level(made, is_silent ? std::nullopt : std::optional(power_to_db(r.found.mean_square, 0.5)),
            args.full_scale);
  return add_peaks(made, r.peaks, args.full_scale).add("outputs", names_of(outs)).warn(r.warnings);
}

file_task task_of(arguments& args, const output_flags& outputs) {
  args.plot.require_picture(outputs, args.full_scale);
  require_fit(args);
  auto drawn_together = std::make_shared<std::vector<psd_result>>();
  return [args, drawn_together](const file_request& of) {
    if (of.after_all) {
      if (drawn_together->empty()) return report();
      for (const output& out : of.outs) draw(args, out, *drawn_together);
      return report();
    }
    psd_result result = estimate(args, of);
    write_outputs(args, of.outs, result);
    report made = report_of(args, of.outs, result);
    if (std::ranges::any_of(of.outs, &output::is_joint))
      drawn_together->push_back(std::move(result));
    return made;
  };
}

}  // namespace psd_parts
}  // namespace

sound_verb psd_verb() {
  sound_verb of("psd", "Estimate the power spectral density of a sound file by Welch's method");
  of.outputs.kinds = {"csv", "npy", "png", "svg", "pdf"};
  of.outputs.streamed = {"csv", "png", "svg", "pdf"};
  of.outputs.joint = {"png", "svg", "pdf"};
  of.out_help =
      "Table (.csv), NumPy file (.npy) or picture (.png, .svg, .pdf) to write; each with\n"
      "its own -o, or a folder; several files may share a picture";
  of.prepare = prepared_by(psd_parts::task_of);
  of.footer =
      R"(The powers of scipy.signal.welch for samples from -1 to 1, one-sided: density, squares of
full scale per Hz, whose sum times the bins' distance is the mean square; or spectrum, in
which a full-scale sine at a bin's centre reads 1/2. Levels are beside that sine, at 0 Hz and
half the rate beside a full-scale constant, which reads 1: dBFS, or dBFS in 1 Hz, in the list,
the table and the plot. --full-scale gives that sine a sound pressure level: list and plot are
then in dB SPL, and the table has a column more, level_db_spl_per_hz (level_db_spl). The list
leaves out what the removed mean or line shows beside 0 Hz; the plot labels its strongest
peaks with the levels that the curve has there.
Samples after the last whole segment are left out.
CSV: frequency_hz and density_per_hz, level_dbfs_per_hz (spectrum: power, level_dbfs); with
--per-channel density_per_hz_1, density_per_hz_2, ... NPY: double, [bins], with
--per-channel [channels, bins]. Memory does not depend on the sound's length; the median is
found in four passes over it.)";
  of.examples.emplace_back("papilio psd hum.wav -o hum.csv -o hum.png", "as a table and drawn");
  of.examples.emplace_back("papilio psd before.wav after.wav -o both.png", "in one picture");
  of.examples.emplace_back("papilio psd room.wav --full-scale 120dB -o room.png",
                           "in dB SPL, of a sound of which full scale is 120 dB");
  of.examples.emplace_back("papilio psd *.wav -o out/ --format csv,png",
                           "the same of each of several files");
  return of;
}

void add_psd(program& app) { add_sound_verb(app, psd_verb()); }

}  // namespace papilio::cli
