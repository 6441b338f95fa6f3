#include "cli/transfer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "cli/sound_verb.hpp"
#include "cli/stft_flags.hpp"
#include "papilio/io.hpp"

namespace papilio::cli {
namespace {
namespace transfer_verb_parts {

output_kinds kinds_of_transfer() {
  output_kinds can;
  can.kinds = {"csv", "npy", "png", "svg", "pdf"};
  can.streamed = {"csv", "png", "svg", "pdf"};
  return can;
}

struct arguments {
  std::vector<std::string> files;
  output_flags outputs{kinds_of_transfer()};
  std::vector<std::size_t> channels;
  std::optional<std::size_t> segment_length, overlap;
  std::string window = "hann", sweep, impulse, frequency_axis = "log", title;
  bool h1 = false, h2 = false, hv = false, align = false, phat = false, shortest = false;
  std::optional<std::size_t> width, height;
  excerpt_request part;
  look_flags look;
  sound_flags sound;

  void add_to(command& verb) {
    verb.add(
        {{"FILE", files, "Reference and measured sound, or one file with both; - is standard input",
          flag_trait::required}});
    outputs.add_to(
        verb,
        "Table (.csv), NumPy file (.npy) or picture (.png, .svg, .pdf) to write; each with\n"
        "its own -o, or a folder");
    verb.add(
        {{"--channels", channels,
          "Channels of reference and measured sound, from 1 [1,2 of one file, 1,1 of two]",
          whole_number_from(1, most_channels)},
         {"--h1", h1, "Estimate Sxy / Sxx, which noise in MEASURED does not bias [the default]"},
         {"--h2", h2, "Estimate Syy / Syx, which noise in REF does not bias"},
         {"--hv", hv, "Estimate the geometric mean of both"},
         {"--align", align, "Remove the delay before the spectra are compared"},
         {"--phat", phat, "Find the delay with equal weights of all frequencies (GCC-PHAT)"},
         {"--shortest", shortest, "Take what both files have where lengths differ"},
         {"--segment-length", segment_length,
          "Samples of each segment [4096; with --sweep 16384; or all there are]",
          whole_number_from(2, max_n_fft)},
         {"--overlap", overlap, "Samples that neighbours share [half a segment]",
          whole_number_from(0, max_n_fft)},
         {"--window", window, "Weights of a segment, as of papilio stft", window_text()},
         {"--sweep", sweep,
          "Frequencies of the exponential sweep that REF is, Hz: its impulse response is found",
          not_empty().called("LOW:HIGH")},
         {"--impulse", impulse, "Impulse response to write, a WAV of floats; with --sweep",
          not_empty().called("OUT.wav")},
         {"--start", part.start_seconds, "Time to skip, in seconds or as 1:23.4",
          time_from(0, 1e9)},
         {"--duration", part.duration_seconds, "Time to analyse, in the same form [to the end]",
          time_from(1e-9, 1e9)},
         {"--frequency-axis", frequency_axis, "Frequency axis of the picture",
          one_of({"linear", "log"})},
         {"--title", title, "Title of the picture [the files' names]"},
         {"--width", width, "Width of the picture in pixels [1280]",
          whole_number_from(minimum_picture_width, maximum_picture_side)},
         {"--height", height, "Height of the picture in pixels [960]",
          whole_number_from(3 * minimum_picture_height, maximum_picture_side)}});
    look.add_to(verb);
    sound.add_to(verb);
    verb.separate_by_commas("--channels", 2);
    verb.exclude("--h1", "--h2");
    verb.exclude("--h1", "--hv");
    verb.exclude("--h2", "--hv");
    verb.footer(
        R"(H = Y / X from averages over segments (Welch's method), as scipy.signal.csd: X is REF, Y is
MEASURED. The delay is where the cross-correlation is largest, to fractions of a sample; delays
below 2^17 samples are found. One segment always has coherence 1. With --sweep both sounds are
held in memory: the response is the spectrum of the impulse response about its largest sample,
which is the delay; harmonics stand so much before it as the list says, and --impulse has what
follows time 0. CSV: frequency_hz, magnitude_db, phase_degrees, group_delay_seconds, and but for
--sweep coherence. NPY: complex, [bins]. Memory does not depend on the sounds' length, but for
--sweep.)");
    verb.example("papilio transfer ref.wav mic.wav -o page.png",
                 "magnitude, phase and coherence on one page");
    verb.example("papilio transfer both.wav --channels 1,2 --align -o numbers.csv",
                 "two channels of one file, without the delay");
    verb.example("papilio transfer sweep.wav mic.wav --sweep 20:20000 --impulse room.wav",
                 "the impulse response of a recorded sweep");
  }
};

struct sweep_band {
  double low_hz, high_hz;
};

std::optional<sweep_band> band_of(const std::string& text) {
  if (text.empty()) return std::nullopt;
  const std::vector<std::string> edges = split_words(text, ':');
  const auto low = read_number<double>(edges[0]);
  const auto high = edges.size() == 2 ? read_number<double>(edges[1]) : std::nullopt;
  if (!low || !high || !(*low > 0 && *low < *high && *high <= 1e9))
    throw usage_error("--sweep: must be LOW:HIGH in Hz with 0 < LOW < HIGH, got {}", text);
  return sweep_band{*low, *high};
}

void require_fit(const arguments& args) {
  if (args.files.size() > 2)
    throw usage_error("transfer: takes one file or two, got {}", args.files.size());
  if (args.files.size() == 2 && args.files[0] == "-" && args.files[1] == "-")
    throw usage_error("transfer: standard input (-) can be read only once");
  if (args.channels.size() == 1)
    throw usage_error("--channels: must be two, REF,MEASURED, got {}", args.channels[0]);
  if (!args.outputs.may_be({"png", "svg", "pdf"}) &&
      (!args.title.empty() || args.width || args.height || args.look.are_given()))
    throw usage_error(
        "--title, --width, --height, --theme, --dpi: are for pictures, and --out "
        "names none");
  if (!args.impulse.empty() && args.sweep.empty())
    throw usage_error("--impulse: takes --sweep as well");
  if (!args.impulse.empty() &&
      lower_case(std::filesystem::path(args.impulse).extension().string()) != ".wav")
    throw usage_error("--impulse: must end in .wav, got \"{}\"", args.impulse);
  for (const std::string& file : args.files)
    if (!args.impulse.empty()) require_named_output("--impulse", args.impulse, file);
  if (!args.sweep.empty() &&
      (args.h1 || args.h2 || args.hv || args.phat || args.overlap || args.shortest))
    throw usage_error("--h1, --h2, --hv, --phat, --overlap, --shortest: are not for --sweep");
  const std::size_t usual = args.sweep.empty() ? 4096 : 16384;
  const std::size_t segment = args.segment_length.value_or(usual);
  if (args.overlap.value_or(0) >= segment)
    throw usage_error("--overlap: must be below --segment-length {}, got {}", segment,
                      *args.overlap);
  require_window(parse_window(args.window), segment);
  require_transform_memory(segment, real_type::double_precision);
}

transfer_request request_of(const arguments& args, const sound_pair& pair,
                            std::vector<std::string>& warnings) {
  const bool is_sweep = !args.sweep.empty();
  transfer_request r{
      .segments = {.rate_hz = static_cast<double>(pair.rate_hz()),
                   .segment_length = args.segment_length.value_or(is_sweep ? 16384 : 4096),
                   .window = parse_window(args.window)},
      .estimator = args.h2   ? transfer_estimator::h2
                   : args.hv ? transfer_estimator::hv
                             : transfer_estimator::h1,
      .weighting = args.phat ? delay_weighting::phat : delay_weighting::none,
      .align = args.align};
  const std::uint64_t frames = std::min(pair.frames(0), pair.frames(1));
  std::size_t& length = r.segments.segment_length;
  if (!is_sweep && frames < length) {
    if (args.segment_length || args.overlap)
      throw bad_file(pair.side(0).file, "{} are fewer than a segment of {}, --segment-length",
                     counted(frames, "frame"), length);
    length = static_cast<std::size_t>(frames);
    warnings.push_back(fmt::format("{} are all in one segment: coherence is 1 whatever is there",
                                   counted(frames, "frame")));
  }
  r.segments.overlap = args.overlap.value_or(length / 2);
  return r;
}

double phase_degrees(std::complex<double> h) { return std::arg(h) * 180 / std::numbers::pi; }

csv_writer written_table(const output& out, const transfer_result& r) {
  std::vector<std::string> columns{"frequency_hz", "magnitude_db", "phase_degrees",
                                   "group_delay_seconds"};
  if (!r.coherence.empty()) columns.emplace_back("coherence");
  csv_writer csv(out.path(), columns);
  std::vector<csv_field> row;
  for (std::size_t k = 0; k < r.response.size(); ++k) {
    row.assign({csv_field(r.frequency_hz[k]), csv_field(magnitude_db(r.response[k])),
                csv_field(phase_degrees(r.response[k])), csv_field(r.group_delay_seconds[k])});
    if (!r.coherence.empty()) row.emplace_back(r.coherence[k]);
    csv.write_row(row);
  }
  return csv;
}

npy_region_writer<std::complex<double>> written_array(const output& out, const transfer_result& r) {
  npy_region_writer<std::complex<double>> npy(out.path(), {r.response.size()});
  npy.write(0, r.response);
  return npy;
}

/// A curve whose line is cut where the phase goes around.
struct phase_curve {
  std::vector<double> x, y;

  explicit phase_curve(const transfer_result& r) {
    for (std::size_t k = 0; k < r.response.size(); ++k) {
      const double here = phase_degrees(r.response[k]);
      if (!y.empty() && std::abs(here - y.back()) > 180) {
        x.push_back(r.frequency_hz[k]);
        y.push_back(std::numeric_limits<double>::quiet_NaN());
      }
      x.push_back(r.frequency_hz[k]);
      y.push_back(here);
    }
  }
};

void draw(const arguments& args, const output& out, const transfer_result& r,
          const sound_pair& pair) {
  const bool is_log = args.frequency_axis == "log";
  const double high_hz = pair.rate_hz() / 2.0, step_hz = r.frequency_hz[1];
  const double low_hz = is_log ? std::min(std::max(step_hz, high_hz / 2000), high_hz / 2) : 0;
  std::vector<double> levels;
  double lowest = std::numeric_limits<double>::infinity(), highest = -lowest;
  for (std::size_t k = 0; k < r.response.size(); ++k) {
    levels.push_back(magnitude_db(r.response[k]));
    if (!std::isfinite(levels.back()) || r.frequency_hz[k] < low_hz) continue;
    lowest = std::min(lowest, levels.back());
    highest = std::max(highest, levels.back());
  }
  const phase_curve phases(r);
  const std::size_t panels = r.coherence.empty() ? 2 : 3;
  line_plot base{.x_scale = is_log ? axis_scale::logarithmic : axis_scale::linear,
                 .x_range = value_range{low_hz, high_hz},
                 .x_quantity = "Frequency",
                 .x_unit = "Hz",
                 .width = args.width.value_or(1280),
                 .height = args.height.value_or(960) / panels,
                 .theme = args.look.theme_or("light"),
                 .dpi = args.look.dpi};
  std::vector<line_plot> plots(panels, base);
  plots[0].curves = {{.y = levels, .step_x = step_hz}};
  plots[0].y_quantity = "Magnitude";
  plots[0].y_unit = "dB";
  // Eighty decibels at most: a notch does not hide the rest.
  if (highest >= lowest)
    plots[0].y_range = value_range{5 * std::floor(std::max(lowest, highest - 80) / 5 - 0.2),
                                   5 * std::ceil(highest / 5 + 0.2)};
  plots[1].curves = {{.y = phases.y, .x = phases.x}};
  plots[1].y_quantity = "Phase";
  plots[1].y_unit = "\u00b0";
  plots[1].y_range = value_range{-180, 180};
  if (panels == 3) {
    plots[2].curves = {{.y = r.coherence, .step_x = step_hz}};
    plots[2].y_quantity = "Coherence";
    plots[2].y_range = value_range{0, 1};
  }
  const std::string names =
      picture_title("", pair.side(0).file) +
      (args.files.size() > 1 ? " \u2192 " + picture_title("", args.files[1]) : "");
  plots[0].title = args.title.empty() ? names : args.title;
  const std::vector<std::byte> image =
      stacked_plots_image(plots, picture_format_of("x." + out.kind));
  atomic_file written(out.path());
  written.write(image.data(), image.size());
  written.commit();
}

/// No array and no table appears under its name before all outputs are written.
void write_outputs(const arguments& args, const std::vector<output>& outs, const transfer_result& r,
                   const sound_pair& pair) {
  commit_group together;
  std::vector<csv_writer> tables;
  std::vector<npy_region_writer<std::complex<double>>> arrays;
  for (const output& out : outs) {
    if (out.kind == "csv") tables.push_back(written_table(out, r));
    if (out.kind == "npy") arrays.push_back(written_array(out, r));
  }
  for (const output& out : outs)
    if (is_picture(out.kind)) draw(args, out, r, pair);
  if (!args.impulse.empty()) {
    sound_writer writer(args.impulse, {.rate_hz = pair.rate_hz(),
                                       .channels = 1,
                                       .format = sound_format::wav,
                                       .encoding = sample_encoding::f32});
    writer.write(view<const double, 2>(r.impulse.data(), {r.impulse.size(), 1}));
    writer.commit();
  }
  for (csv_writer& table : tables) table.commit();
  for (auto& array : arrays) array.commit();
  together.finish();
}

json_value or_null(const std::optional<double>& value) {
  return value ? json_value(*value) : json_value();
}

report report_of(const arguments& args, const std::vector<output>& outs,
                 const transfer_request& request, const transfer_result& r,
                 const sound_pair& pair) {
  const welch_options& o = request.segments;
  const double rate_hz = pair.rate_hz();
  const bool is_sweep = !args.sweep.empty();
  report made;
  made.line("reference", "{}", pair.side(0).text()).line("measured", "{}", pair.side(1).text());
  made.line(
      "duration", "{} at {} Hz",
      format_duration(static_cast<double>(std::min(pair.frames(0), pair.frames(1))) / rate_hz),
      pair.rate_hz());
  const char* const estimator = args.h2 ? "h2" : args.hv ? "hv" : "h1";
  if (is_sweep)
    made.line("sweep", "{} Hz, response of {} about the peak", args.sweep,
              counted(o.segment_length, "sample"));
  else
    made.line("spectra", "{} of {}, overlap {}, {} window, {}{}", counted(r.segments, "segment"),
              counted(o.segment_length, "sample"), *o.overlap, papilio::to_string(o.window),
              estimator, args.align ? ", aligned" : "");
  for (const output& out : outs) made.line(out.kind, "{}", out.name.string());
  if (!args.impulse.empty()) made.line("impulse", "{}", args.impulse);
  made.line("delay", "{:.3f} samples ({:.4f} ms){}", r.delay_samples,
            1000 * r.delay_samples / rate_hz,
            is_sweep ? std::string(r.correlation < 0 ? ", inverted" : "")
                     : fmt::format(", correlation {:.3f}", r.correlation));
  const std::optional<double> gain = gain_1khz_db(r), mean = mean_coherence(r);
  made.fields("reference",
              json_object("file", pair.side(0).file, "channel", pair.side(0).channel, "frames",
                          pair.frames(0)),
              "measured",
              json_object("file", pair.side(1).file, "channel", pair.side(1).channel, "frames",
                          pair.frames(1)),
              "rate_hz", pair.rate_hz(), "delay_samples", r.delay_samples, "delay_seconds",
              r.delay_samples / rate_hz, "gain_1khz_db", or_null(gain), "bins", r.response.size(),
              "bin_hz", r.frequency_hz[1], "segment_length", o.segment_length, "aligned",
              args.align, "outputs", names_of(outs));
  if (gain)
    made.line("gain", "{:.2f} dB at 1 kHz", *gain);
  else
    made.line("gain", "not known at 1 kHz");
  if (is_sweep) {
    table_rows rows;
    for (const auto& [order, lead] : r.leads) rows.add(order, lead, 1000 * lead / rate_hz);
    made.add("inverted", r.correlation < 0);
    return made.table("harmonics", "harmonics",
                      {{"order", "{:>2}"},
                       {"lead_samples", " {:>11.1f} samples before"},
                       {"lead_ms", " ({:.2f} ms)"}},
                      rows);
  }
  made.fields("delay_correlation", r.correlation, "segments", r.segments, "overlap", *o.overlap,
              "window", papilio::to_string(o.window), "estimator", estimator);
  return made.add("mean_coherence", or_null(mean), "coherence", "{:.4f} in the mean")
      .warn(r.warnings);
}

report measured(const arguments& args, progress& bar) {
  const auto band = band_of(args.sweep);
  const std::vector<output> outs = args.outputs.of({args.files[0]}).front();
  if (args.files.size() > 1)
    for (const output& out : outs) require_other_file("--out", out.name.string(), args.files[1]);
  for (const output& out : outs)
    if (out.name == std::filesystem::path(args.impulse))
      throw usage_error("--impulse: \"{}\" would be written twice", args.impulse);
  bar.name(shown_name(args.files[0]));
  progress::share share(bar, 1);
  const on_progress tell = [&](std::uint64_t done, std::uint64_t total) {
    share.update(done, total);
  };
  sound_pair pair(args.files, args.channels, args.sound, args.part, tell);
  if (!band) pair.take_equal_lengths(args.shortest);
  make_folders(outs);
  std::vector<std::string> warnings;
  const transfer_request request = request_of(args, pair, warnings);
  if (band && band->high_hz > pair.rate_hz() / 2.0)
    throw usage_error("--sweep: must end at half the rate of {} Hz at most, got {}", pair.rate_hz(),
                      band->high_hz);
  transfer_result r = band ? measure_sweep(pair, request, band->low_hz, band->high_hz)
                           : measure_noise(pair, request);
  for (const std::size_t i : {0, 1})
    if (i == 0 || args.files.size() > 1)
      for (const std::string& warning : pair.facts(i).warnings)
        warnings.push_back(shown_name(pair.side(i).file) + ": " + warning);
  r.warnings = std::move(warnings);
  write_outputs(args, outs, r, pair);
  return report_of(args, outs, request, r, pair);
}

void transfer(arguments& args, reporter& out) {
  require_fit(args);
  if (args.outputs.to_standard_output()) out.give_away_output("--out");
  progress bar(1, 1);
  out.attempt([&] {
    report made = measured(args, bar);
    bar.erase();
    return made;
  });
}

}  // namespace transfer_verb_parts
}  // namespace

void add_transfer(program& app) {
  add_verb<transfer_verb_parts::arguments>(
      app, "transfer", "Compare two channels: transfer function, coherence, delay",
      transfer_verb_parts::transfer);
}

}  // namespace papilio::cli
