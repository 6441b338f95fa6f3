#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <optional>

#include "cli/common.hpp"
#include "cli/json_value.hpp"
#include "cli/report.hpp"
#include "cli/sound_flags.hpp"
#include "cli/spectrum.hpp"
#include "cli/stft_flags.hpp"
#include "cli/validators.hpp"
#include "cli/work_ahead.hpp"
#include "papilio/io.hpp"
#include "papilio/render.hpp"

namespace papilio::cli {
namespace fft_verb {
namespace {

namespace fs = std::filesystem;

struct arguments {
  std::string file, window = "hann", csv, npy, plot, title, frequency_axis = "linear";
  std::vector<std::string> outs;
  excerpt_request part;
  std::optional<std::size_t> n_fft;
  double separation_hz = 0;
  peak_flags peaks{10};
  std::optional<std::size_t> width, height;
  bool log_frequency = false, json = false;
  std::optional<double> min_db;
  sound_flags sound;

  bool is_logarithmic() const { return log_frequency || frequency_axis == "log"; }
  double lowest_db() const { return min_db.value_or(-120); }
};

// What --out names, by its ending.
void take_outputs(arguments& args) {
  for (const std::string& out : args.outs) {
    const std::string ending = lower_case(fs::path(out).extension().string());
    std::string& named = ending == ".csv" ? args.csv : ending == ".npy" ? args.npy : args.plot;
    if (&named == &args.plot) require_picture_name("--out", out);
    if (!named.empty())
      throw usage_error(fmt::format("--out: \"{}\" and \"{}\" are of the same kind", named, out));
    named = out;
  }
}

void require_outputs(const arguments& args) {
  const std::pair<const char*, fs::path> outputs[] = {
      {"--csv", args.csv}, {"--npy", args.npy}, {"--plot", args.plot}};
  for (const auto& [flag, path] : outputs) {
    if (path == "-")
      throw usage_error(fmt::format("{}: must name a file, not standard output", flag));
    std::error_code none;
    if (!path.empty() && fs::equivalent(path, args.file, none))
      throw usage_error(fmt::format("{}: \"{}\" is the input itself", flag, path.string()));
    for (const auto& [other, other_path] : outputs)
      if (other != flag && !path.empty() &&
          path.lexically_normal() == other_path.lexically_normal())
        throw usage_error(
            fmt::format("{} and {}: both would write \"{}\"", flag, other, path.string()));
  }
  if (!args.plot.empty()) return require_picture_name("--plot", args.plot);
  if (args.is_logarithmic() || !args.title.empty() || args.width || args.height || args.min_db)
    throw usage_error(
        "--frequency-axis, --min-db, --title, --width, --height: are for pictures, and --out names "
        "none");
}

csv_writer write_csv(const std::string& path, const spectrum& s) {
  const bool with_phase = !s.bins.empty();
  std::vector<std::string> columns{"frequency_hz", "amplitude", "level_dbfs"};
  if (with_phase) columns.push_back("phase_radians");
  csv_writer csv(path, columns);
  for (std::size_t k = 0; k < s.amplitude.size(); ++k) {
    const double frequency = s.frequency_hz(k), level = amplitude_to_db(s.amplitude[k]);
    if (with_phase)
      csv.row(frequency, s.amplitude[k], level, std::arg(s.bins[k]));
    else
      csv.row(frequency, s.amplitude[k], level);
  }
  return csv;
}

/// Shown are three decades, as in music, or all bins if they are fewer.
value_range logarithmic_range(const spectrum& s) {
  const double high = s.info.rate_hz / 2.0, low = std::max(s.frequency_hz(1), high / 2000);
  return {std::min(low, high / 2), high};
}

void write_plot(const arguments& args, const spectrum& s) {
  array<double, 1> level_db(s.amplitude.size());
  double ceiling = 0;
  for (std::size_t k = 0; k < level_db.size(); ++k) {
    const double level = amplitude_to_db(s.amplitude[k]);
    ceiling = std::max(ceiling, level);
    // Silence is a line out of the plot's floor, not a gap.
    level_db[k] = std::max(level, args.lowest_db() - 1000);
  }
  const axis_scale scale = args.is_logarithmic() ? axis_scale::logarithmic : axis_scale::linear;
  const value_range all{0, s.info.rate_hz / 2.0};
  write_line_plot(args.plot,
                  {.curves = {{.y = level_db.flat(), .step_x = s.frequency_hz(1)}},
                   .x_scale = scale,
                   .x_range = args.is_logarithmic() ? logarithmic_range(s) : all,
                   .y_range = value_range{args.lowest_db(), 10 * std::ceil(ceiling / 10)},
                   .title = args.title.empty() ? fs::path(shown_name(args.file)).filename().string()
                                               : args.title,
                   .x_quantity = "Frequency",
                   .x_unit = "Hz",
                   .y_quantity = "Level",
                   .y_unit = "dBFS",
                   .width = args.width.value_or(1280),
                   .height = args.height.value_or(640)});
}

/// Never -0.0 where it is printed to a tenth.
double degrees(double radians) {
  const double angle = radians * 180 / std::numbers::pi;
  return std::abs(angle) < 0.05 ? 0.0 : angle;
}

/// Decimals that show a thousandth of a bin.
int frequency_decimals(const spectrum& s) {
  return std::clamp(static_cast<int>(std::ceil(3 - std::log10(s.frequency_hz(1)))), 1, 6);
}

std::string peaks_text(const spectrum& s) {
  if (s.peaks.empty()) return "peaks     none: digital silence\n";
  std::string text;
  const int decimals = frequency_decimals(s);
  const char* label = "peaks";
  for (const tone& t : s.peaks) {
    text +=
        fmt::format("{:<9} {:>{}.{}f} Hz  amplitude {:.6f} {:>7.1f} dBFS", label, t.frequency_hz,
                    7 + decimals, decimals, t.amplitude, level_dbfs(t.amplitude * t.amplitude));
    if (t.phase_radians) text += fmt::format("  phase {:>6.1f} deg", degrees(*t.phase_radians));
    text += '\n';
    label = "";
  }
  return text;
}

std::string report_text(const arguments& args, const spectrum& s) {
  std::string text = sound_text(args.file, s.info, s.part, s.replaced_samples);
  text += fmt::format("spectrum  {} of {}, {:.6g} Hz apart, {} window of {}, {}\n",
                      counted(s.amplitude.size(), "bin"), counted(s.n_fft, "point"),
                      s.frequency_hz(1), args.window, counted(s.window_length, "sample"),
                      channels_text(args.part, s.info));
  const std::pair<const char*, const std::string&> outputs[] = {
      {"csv", args.csv}, {"npy", args.npy}, {"plot", args.plot}};
  for (const auto& [name, path] : outputs)
    if (!path.empty()) text += fmt::format("{:<9} {}\n", name, printable(path));
  if (args.peaks.count > 0) text += peaks_text(s);
  return text;
}

json_value or_null(const std::string& path) {
  return path.empty() ? json_value() : json_value(path);
}

json_value report_json(const arguments& args, const spectrum& s) {
  json_value peaks = json_value::array();
  for (const tone& t : s.peaks)
    peaks.push_back(
        {{"frequency_hz", t.frequency_hz},
         {"amplitude", t.amplitude},
         {"level_dbfs", amplitude_to_db(t.amplitude)},
         {"phase_radians", t.phase_radians ? json_value(*t.phase_radians) : json_value()}});
  json_value report = sound_json(args.file, s.info, s.part, s.replaced_samples);
  report["channel"] = args.part.channel ? json_value(*args.part.channel) : json_value();
  report["n_fft"] = s.n_fft;
  report["bins"] = s.amplitude.size();
  report["bin_hz"] = s.frequency_hz(1);
  report["window"] = args.window;
  report["window_length"] = s.window_length;
  report["scale"] = s.scale;
  report["recipe"] = s.recipe;
  report["peaks"] = peaks;
  report["csv"] = or_null(args.csv);
  report["npy"] = or_null(args.npy);
  report["plot"] = or_null(args.plot);
  report["warnings"] = s.warnings;
  return report;
}

/// Nothing appears under its name before all outputs are written.
spectrum transform_and_write(const arguments& args) {
  std::optional<npy_writer<std::complex<double>>> npy;
  const auto write_row = [&](std::size_t channels, std::span<const std::complex<double>> bins) {
    if (!npy)
      npy.emplace(args.npy, channels == 1 ? std::vector<std::size_t>{} : std::vector{bins.size()});
    npy->write_rows(bins);
  };
  spectrum s = transform_file({.file = args.file,
                               .sound = args.sound.options(),
                               .part = args.part,
                               .n_fft = args.n_fft,
                               .window = parse_window(args.window),
                               .peak_count = args.peaks.count,
                               .peak_separation_hz = args.separation_hz,
                               .peak_range_db = args.peaks.range_db},
                              args.npy.empty() ? on_spectrum{} : write_row);
  std::optional<csv_writer> csv;
  if (!args.csv.empty()) csv.emplace(write_csv(args.csv, s));
  if (!args.plot.empty()) write_plot(args, s);
  if (csv) csv->commit();
  if (npy) npy->commit();
  return s;
}

int run(arguments& args) {
  take_outputs(args);
  require_outputs(args);
  if (args.n_fft) require_transform_memory(*args.n_fft, real_type::double_precision);
  json_value report;
  const auto work = [&](const std::string& file) {
    const spectrum s = transform_and_write(args);
    for (const std::string& warning : s.warnings) warn(shown_name(file) + ": " + warning);
    if (args.json)
      report = report_json(args, s);
    else
      print(report_text(args, s));
  };
  const int code =
      for_each_file({args.file}, work, [&](const std::string& file, const std::string& message) {
        report = {{"file", file}, {"error", message}};
      });
  if (args.json) print(json_text(report));
  return code;
}

void add_transform_options(command& verb, arguments& args) {
  verb.add_option("--n-fft", args.n_fft,
                  "Points: the excerpt's first samples, or all and zeros [the excerpt's length]")
      .check(whole_number_from(1, max_n_fft));
  verb.add_option("--window", args.window, "Weights of the excerpt, as of papilio stft")
      .check(window_text())
      .type_name("NAME[:P]")
      .show_default();
  args.part.add_to(verb);
  args.peaks.add_to(verb);
  verb.add_option("--separation", args.separation_hz,
                  "Hz around a stronger peak in which none is listed [the window's main lobe]")
      .check(number_from(0, 1e9));
}

void add_output_options(command& verb, arguments& args) {
  verb.add_option(
          "-o,--out", args.outs,
          "Table of frequency, amplitude, level and phase (.csv), NumPy file of the complex half\n"
          "spectrum (.npy) or picture (.png, .svg, .pdf) to write; each with its own -o")
      .check(not_empty())
      .repeatable();
  verb.add_option("--csv", args.csv, "").check(not_empty()).hidden();
  verb.add_option("--npy", args.npy, "").check(not_empty()).hidden();
  verb.add_option("--plot", args.plot, "").check(not_empty()).hidden();
  verb.add_option(
          "--frequency-axis", args.frequency_axis,
          "Frequency axis of the picture: linear, or log in decades, from 1/2000 of its end")
      .check(one_of({"linear", "log"}))
      .show_default();
  verb.add_flag("--log-frequency", args.log_frequency, "").hidden();
  verb.add_option("--min-db", args.min_db, "Lowest level of the picture, dBFS [-120]")
      .check(number_from(-1000, -1));
  verb.add_option("--title", args.title, "Title of the picture [the file's name]");
  verb.add_option("--width", args.width, "Width of the picture in pixels [1280]")
      .check(whole_number_from(minimum_picture_width, maximum_picture_side));
  verb.add_option("--height", args.height, "Height of the picture in pixels [640]")
      .check(whole_number_from(minimum_picture_height, maximum_picture_side));
}

}  // namespace
}  // namespace fft_verb

void add_fft(program& app) {
  using namespace fft_verb;
  auto args = std::make_shared<arguments>();
  command& verb = app.add_command(
      "fft",
      "Transform a sound file in one piece: its strongest tones, its spectrum as plot or data");
  verb.add_option("FILE", args->file, sound_file_help).required();
  add_transform_options(verb, *args);
  add_output_options(verb, *args);
  args->sound.add_to(verb);
  verb.add_flag("--json", args->json, "Print JSON");
  verb.footer(
      "The excerpt is weighted by the window and transformed in double, whatever its length, up "
      "to\n"
      "2^24 points; one of more than 2^20 samples is padded with zeros to the next even number of\n"
      "points without a prime factor over 7, unless --n-fft says otherwise. Amplitudes are those "
      "of\n"
      "sines, a full-scale one being 1, or 0 dBFS. A peak's frequency lies between bins; its "
      "phase\n"
      "is that of a cosine at the excerpt's first sample. Without --channel, amplitudes are the "
      "root\n"
      "of the channels' mean power, and there is no phase.\n"
      "CSV: frequency_hz, amplitude, level_dbfs, phase_radians of each bin, 0 Hz first. NPY: bins "
      "of\n"
      "numpy.fft.rfft(window * samples, n_fft), unscaled, [bins], or [channels, bins] of several;\n"
      "amplitude = abs(bin) * scale, which --json tells (half of it at 0 Hz and at half the "
      "sample\n"
      "rate). What --out names is replaced.");
  verb.example("papilio fft song.flac --start 10 --duration 1",
               "the strongest tones of one second");
  verb.example("papilio fft song.flac -o spectrum.svg -o spectrum.csv",
               "the whole spectrum, drawn and as a table");
  verb.run([args] { return run(*args); });
}

}  // namespace papilio::cli
