#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <set>

#include "cli/common.hpp"
#include "cli/json_value.hpp"
#include "cli/psd_table.hpp"
#include "cli/report.hpp"
#include "cli/sound_flags.hpp"
#include "cli/stft_flags.hpp"
#include "cli/validators.hpp"
#include "papilio/render.hpp"

namespace papilio::cli {
namespace psd_verb {
namespace {

namespace fs = std::filesystem;

struct arguments {
  std::string file, preset, window = "hann", title, frequency_axis = "linear";
  std::vector<std::string> outputs;
  std::optional<std::size_t> n_fft;
  psd_flags estimate;
  excerpt_request part;
  peak_flags peaks{5};
  std::optional<std::size_t> width, height;
  sound_flags sound;
  bool log_frequency = false, json = false;

  bool is_logarithmic() const { return log_frequency || frequency_axis == "log"; }
};

std::string lower_extension(const fs::path& path) { return lower_case(path.extension().string()); }

bool is_picture(const fs::path& path) {
  const std::string ending = lower_extension(path);
  return ending == ".png" || ending == ".svg" || ending == ".pdf";
}

void require_outputs(const arguments& args) {
  std::set<fs::path> seen;
  bool picture = false;
  for (const std::string& out : args.outputs) {
    require_named_output("--out", out, args.file);
    const std::string ending = lower_extension(out);
    picture = picture || is_picture(out);
    if (!is_picture(out) && ending != ".csv" && ending != ".npy")
      throw usage_error(
          fmt::format("--out: must end in .csv, .npy, .png, .svg or .pdf, got \"{}\"", out));
    if (!seen.insert(fs::path(out).lexically_normal()).second)
      throw usage_error(fmt::format("--out: \"{}\" comes twice", out));
  }
  if (!picture && (args.is_logarithmic() || !args.title.empty() || args.width || args.height))
    throw usage_error(
        "--frequency-axis, --title, --width, --height: are for pictures, and --out names none");
}

psd_request request_of(const arguments& args) {
  psd_request r =
      args.estimate.request(args.n_fft, parse_window(args.window), args.preset == "scipy");
  r.source = {.file = args.file, .sound = args.sound.options(), .part = args.part};
  r.peak_count = args.peaks.count;
  r.peak_range_db = args.peaks.range_db;
  return r;
}

bool is_density(const psd_result& r) { return r.options.scaling == psd_scaling::density; }

void write_plot(const std::string& path, const arguments& args, const psd_result& r) {
  array<double, 2> levels(r.power.extents());
  std::transform(r.power.begin(), r.power.end(), levels.begin(), psd_level_db);
  std::vector<line_curve> curves;
  for (std::size_t c = 0; c < levels.extent(0); ++c)
    curves.push_back(
        {.y = std::span<const double>(&levels(c, 0u), levels.extent(1)),
         .step_x = r.frequency_hz(1),
         .name = args.estimate.per_channel ? fmt::format("channel {}", c + 1) : std::string()});
  const double high = r.options.rate_hz / 2;
  const double low =
      args.is_logarithmic() ? std::min(std::max(r.frequency_hz(1), high / 2000), high / 2) : 0;
  write_line_plot(path,
                  {.curves = std::move(curves),
                   .x_scale = args.is_logarithmic() ? axis_scale::logarithmic : axis_scale::linear,
                   .x_range = value_range{low, high},
                   .title = args.title.empty() ? fs::path(shown_name(args.file)).filename().string()
                                               : args.title,
                   .x_quantity = "Frequency",
                   .x_unit = "Hz",
                   .y_quantity = "Level",
                   .y_unit = is_density(r) ? "dBFS/Hz" : "dBFS",
                   .width = args.width.value_or(1280),
                   .height = args.height.value_or(640)});
}

/// No array and no table appears under its name before all outputs are written.
void write_outputs(const arguments& args, const psd_result& r) {
  std::vector<csv_writer> tables;
  std::vector<npy_region_writer<double>> arrays;
  for (const std::string& out : args.outputs) {
    const std::string ending = lower_extension(out);
    if (ending == ".csv")
      tables.push_back(psd_csv(out, r, args.estimate.per_channel));
    else if (ending == ".npy")
      arrays.push_back(psd_npy(out, r, args.estimate.per_channel));
  }
  for (const std::string& out : args.outputs)
    if (is_picture(out)) write_plot(out, args, r);
  for (csv_writer& table : tables) table.commit();
  for (auto& array : arrays) array.commit();
}

std::string report_text(const arguments& args, const psd_result& r) {
  const welch_options& o = r.options;
  std::string text = sound_text(r.sound);
  text += fmt::format(
      "psd       {} of {} of {}, overlap {}, {} window, {}\n", args.estimate.average,
      counted(r.segments, "segment"), counted(o.segment_length, "sample"), *o.overlap,
      papilio::to_string(o.window),
      args.estimate.per_channel ? "each channel" : channels_text(args.part, r.sound.info));
  text += fmt::format("bins      {}, {:.6g} Hz apart, noise bandwidth {:.6g} Hz\n",
                      r.power.extent(1), r.frequency_hz(1), r.noise_bandwidth_hz);
  for (const std::string& out : args.outputs)
    text += fmt::format("{:<9} {}\n", lower_extension(out).substr(1), printable(out));
  text += r.mean_square > 0 ? fmt::format("level     {:.1f} dBFS\n", psd_level_db(r.mean_square))
                            : std::string("level     digital silence\n");
  const char* label = "peaks";
  for (const spectral_peak& peak : r.peaks) {
    text += fmt::format("{:<9} {:>9.1f} Hz {:>7.1f} dBFS\n", label, peak.frequency_hz,
                        level_dbfs(peak.power));
    label = "";
  }
  return text;
}

json_value report_json(const arguments& args, const psd_result& r) {
  const welch_options& o = r.options;
  json_value peaks = json_value::array();
  for (const spectral_peak& peak : r.peaks)
    peaks.push_back({{"frequency_hz", peak.frequency_hz}, {"level_dbfs", power_to_db(peak.power)}});
  json_value report = sound_json(r.sound);
  report["channel"] = args.part.channel ? json_value(*args.part.channel) : json_value();
  report["segments"] = r.segments;
  report["segment_length"] = o.segment_length;
  report["overlap"] = *o.overlap;
  report["n_fft"] = o.n_fft;
  report["bins"] = r.power.extent(1);
  report["bin_hz"] = r.frequency_hz(1);
  report["noise_bandwidth_hz"] = r.noise_bandwidth_hz;
  report["window"] = papilio::to_string(o.window);
  report["detrend"] = args.estimate.detrend;
  report["scaling"] = args.estimate.scaling;
  report["average"] = args.estimate.average;
  report["mean_square"] = r.mean_square;
  report["level_dbfs"] = r.mean_square > 0 ? json_value(psd_level_db(r.mean_square)) : nullptr;
  report["peaks"] = peaks;
  report["outputs"] = args.outputs;
  report["warnings"] = r.warnings;
  return report;
}

int run(const arguments& args) {
  require_outputs(args);
  const psd_request request = request_of(args);
  json_value report;
  const auto work = [&](const std::string& file) {
    const psd_result result = estimate_psd(request);
    for (const std::string& warning : result.warnings) warn(shown_name(file) + ": " + warning);
    write_outputs(args, result);
    if (args.json)
      report = report_json(args, result);
    else
      print(report_text(args, result));
  };
  const int code =
      for_each_file({args.file}, work, [&](const std::string& file, const std::string& message) {
        report = {{"file", file}, {"error", message}};
      });
  if (args.json) print(json_text(report));
  return code;
}

void add_estimate_options(command& verb, arguments& args) {
  verb.add_option(
          "--preset", args.preset,
          "scipy: segments of scipy.signal.welch, 256 samples, or all where there are fewer")
      .check(one_of({"scipy"}));
  args.estimate.add_to(verb, "--scaling", "Options");
  verb.add_option("--n-fft", args.n_fft,
                  "Points of each transform, zeros after the segment [its length]")
      .check(whole_number_from(1, max_n_fft));
  verb.add_option("--window", args.window, "Weights of a segment, as of papilio stft")
      .check(window_text())
      .type_name("NAME[:P]")
      .show_default();
}

void add_output_options(command& verb, arguments& args) {
  verb.add_option("-o,--out", args.outputs,
                  "Table (.csv), NumPy file (.npy) or picture (.png, .svg, .pdf) to write; may be\n"
                  "given several times")
      .check(not_empty())
      .repeatable();
  args.peaks.add_to(verb);
  verb.add_option("--frequency-axis", args.frequency_axis,
                  "Frequency axis of the picture: linear, or log in decades")
      .check(one_of({"linear", "log"}))
      .show_default();
  verb.add_flag("--log-frequency", args.log_frequency, "").hidden();
  verb.add_option("--title", args.title, "Title of the picture [the file's name]");
  verb.add_option("--width", args.width, "Width of the picture in pixels [1280]")
      .check(whole_number_from(minimum_picture_width, maximum_picture_side));
  verb.add_option("--height", args.height, "Height of the picture in pixels [640]")
      .check(whole_number_from(minimum_picture_height, maximum_picture_side));
}

}  // namespace
}  // namespace psd_verb

void add_psd(program& app) {
  using namespace psd_verb;
  auto args = std::make_shared<arguments>();
  command& verb = app.add_command(
      "psd", "Estimate the power spectral density of a sound file by Welch's method");
  verb.add_option("FILE", args->file, sound_file_help).required();
  add_estimate_options(verb, *args);
  add_output_options(verb, *args);
  args->part.add_to(verb);
  args->sound.add_to(verb);
  verb.add_flag("--json", args->json, "Print JSON");
  verb.footer(
      "The powers of scipy.signal.welch for samples from -1 to 1, one-sided: density, squares of\n"
      "full scale per Hz, whose sum times the bins' distance is the mean square; or spectrum, in\n"
      "which a full-scale sine at a bin's centre reads 1/2. Levels are beside that sine: dBFS, or\n"
      "dBFS in 1 Hz. Samples after the last whole segment are left out.\n"
      "CSV: frequency_hz and density_per_hz, level_dbfs_per_hz (spectrum: power, level_dbfs); "
      "with\n"
      "--per-channel density_per_hz_1, density_per_hz_2, ... NPY: double, [bins], with\n"
      "--per-channel [channels, bins]. Files of the same names are replaced. Memory does not\n"
      "depend on the sound's length; the median is found in four passes over it.\n"
      "Exit: 0 done, 1 bad data, 2 bad usage.");
  verb.example("papilio psd hum.wav -o hum.csv -o hum.png", "as a table and drawn");
  verb.run([args] { return run(*args); });
}

}  // namespace papilio::cli
