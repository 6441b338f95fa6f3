#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "cli/analysis.hpp"
#include "cli/common.hpp"
#include "cli/report.hpp"
#include "cli/validators.hpp"
#include "papilio/render.hpp"

namespace papilio::cli {
namespace {

namespace fs = std::filesystem;

struct arguments {
  std::vector<std::string> files;
  std::size_t n_fft = 2048;
  std::optional<std::size_t> hop;
  std::string window = "hann", pool = "max", colors = "viridis", range = "-120:0", out, title;
  std::size_t window_length = 0;
  excerpt_request part;
  std::size_t width = 1280, height = 640;
  sound_flags sound;
  bool json = false;
};

struct level_range {
  float floor_db, ceiling_db;
};

std::optional<float> parse_number(std::string_view text) {
  float value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

// "-100:-20", or "80" for -80:0.
level_range parse_range(const std::string& text) {
  const std::size_t colon = text.find(':');
  std::optional<float> low, high;
  if (colon == std::string::npos) {
    high = 0.0f;
    if (const auto span = parse_number(text)) low = -std::abs(*span);
  } else {
    low = parse_number(std::string_view(text).substr(0, colon));
    high = parse_number(std::string_view(text).substr(colon + 1));
  }
  if (!low || !high || *high - *low < 1 || *low < -1000 || *high > 1000)
    throw usage_error(fmt::format(
        "--range: must be LOW:HIGH in dBFS, from -1000 to 1000 and at least 1 apart, or N, from 1 "
        "to 1000, for -N:0; got \"{}\"",
        text));
  return {*low, *high};
}

stft_options stft_of(const arguments& args) {
  if (args.window_length > args.n_fft)
    throw usage_error(fmt::format("--window-length: must be at most --n-fft {}, got {}", args.n_fft,
                                  args.window_length));
  const std::size_t hop = args.hop.value_or(std::max<std::size_t>(1, args.n_fft / 4));
  return {.n_fft = args.n_fft,
          .hop = hop,
          .window_length = args.window_length,
          .window = parse_window_kind(args.window)};
}

// Picture of each file: --out itself, or NAME.png in --out where that is a directory, or here.
std::vector<fs::path> outputs_of(const arguments& args) {
  if (args.out == "-") throw usage_error("--out: a picture is not written to standard output");
  const bool into_directory = !args.out.empty() && fs::is_directory(args.out);
  if (args.files.size() > 1 && !args.out.empty() && !into_directory)
    throw usage_error("--out: must be an existing directory where there are several files, got \"" +
                      args.out + "\"");
  const std::string ending = into_directory ? "" : fs::path(args.out).extension().string();
  if (!ending.empty() && ending != ".png" && ending != ".PNG")
    throw usage_error(fmt::format("--out: must end in .png, got \"{}\"", args.out));
  std::vector<fs::path> outputs;
  std::set<fs::path> seen;
  for (const std::string& file : args.files) {
    fs::path out = args.out;
    if (args.out.empty() || into_directory) out /= output_stem(file) + ".png";
    std::error_code none;
    if (fs::equivalent(out, file, none))
      throw usage_error(fmt::format("--out: \"{}\" is the input itself", out.string()));
    if (!seen.insert(out.lexically_normal()).second)
      throw usage_error(fmt::format(
          "two of the files would both become \"{}\"; draw them apart, with --out", out.string()));
    outputs.push_back(std::move(out));
  }
  return outputs;
}

void draw(const arguments& args, const analysis_request& request, const analysis& a,
          const level_range& range, const fs::path& out) {
  array<float, 2> level_db(a.levels.extents());
  power_to_db<float>(a.levels.flat(), level_db.flat(), 1.0, range.floor_db);
  write_spectrogram_png(
      out, {.level_db = level_db.view(),
            .start_seconds = a.part.start_seconds(a.info),
            .duration_seconds = a.part.duration_seconds(a.info),
            .high_hz = a.info.rate_hz / 2.0,
            .floor_db = range.floor_db,
            .ceiling_db = range.ceiling_db,
            .title = args.title.empty() ? fs::path(shown_name(request.file)).filename().string()
                                        : args.title,
            .colors = color_map_named(args.colors),
            .width = args.width,
            .height = args.height});
}

int run(const arguments& args) {
  analysis_request request{.file = {},
                           .sound = args.sound.options(),
                           .part = args.part,
                           .stft = stft_of(args),
                           .pool = args.pool == "mean" ? pooling::mean : pooling::maximum};
  require_one_standard_input(args.files);
  const level_range range = parse_range(args.range);
  const plot_extent plot = spectrogram_plot_extent(args.width, args.height);
  request.rows = plot.height;
  request.columns = plot.width;
  const std::vector<fs::path> outputs = outputs_of(args);
  nlohmann::json all = nlohmann::json::array();
  std::size_t next = 0;
  const auto draw_file = [&](const std::string& file) {
    const fs::path& out = outputs[next++];
    request.file = file;
    const analysis a = analyse(request);
    for (const std::string& warning : a.warnings) warn(shown_name(file) + ": " + warning);
    draw(args, request, a, range, out);
    if (args.json) {
      all.push_back(report_json(request, a, out.string()));
    } else {
      print((next > 1 ? "\n" : "") +
            fmt::format("picture   {} ({} x {})\n", printable(out.string()), args.width,
                        args.height) +
            report_text(request, a));
    }
  };
  const int code = for_each_file(args.files, draw_file,
                                 [&](const std::string& file, const std::string& message) {
                                   all.push_back({{"file", file}, {"error", message}});
                                 });
  if (args.json) print(all.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  return code;
}

void add_analysis_options(CLI::App& verb, arguments& args) {
  verb.add_option("--n-fft", args.n_fft, "Points of each transform")
      ->transform(whole_number_from(1, max_n_fft))
      ->capture_default_str();
  verb.add_option("--hop", args.hop, "Samples from one segment to the next [n_fft / 4]")
      ->transform(whole_number_from(1, 1000000000000));
  verb.add_option("--window", args.window, "Weights of a segment")
      ->transform(CLI::IsMember(std::vector<std::string>{"hann", "rectangular"}, CLI::ignore_case))
      ->capture_default_str();
  verb.add_option("--window-length", args.window_length,
                  "Samples under the window, centred in n_fft [n_fft]")
      ->transform(whole_number_from(1, max_n_fft));
  args.part.add_to(verb);
  verb.add_option("--pool", args.pool, "Of all segments in a picture column, show")
      ->transform(CLI::IsMember(std::vector<std::string>{"max", "mean"}, CLI::ignore_case))
      ->capture_default_str();
}

void add_picture_options(CLI::App& verb, arguments& args) {
  verb.add_option("--range", args.range, "Levels shown, dBFS, LOW:HIGH, or one number for -N:0")
      ->capture_default_str();
  verb.add_option("--width", args.width, "Of the picture, in pixels")
      ->transform(whole_number_from(minimum_picture_width, maximum_picture_side))
      ->capture_default_str();
  verb.add_option("--height", args.height, "Of the picture, in pixels")
      ->transform(whole_number_from(minimum_picture_height, maximum_picture_side))
      ->capture_default_str();
  verb.add_option("--colors", args.colors, "Colour map")
      ->transform(
          CLI::IsMember(std::vector<std::string>{"viridis", "magma", "grey"}, CLI::ignore_case))
      ->capture_default_str();
  verb.add_option("--title", args.title, "Above the picture [the file's name]");
  verb.add_option("-o,--out", args.out,
                  "PNG to write, or the directory for it [FILE's name.png, stdin.png]")
      ->check(not_empty());
}

}  // namespace

void add_spectrogram(CLI::App& app, int& code) {
  auto args = std::make_shared<arguments>();
  CLI::App* const verb =
      app.add_subcommand("spectrogram", "Draw the spectrogram of sound files as PNG pictures");
  verb->group("Verbs");
  verb->add_option("FILE", args->files, sound_files_help)->required();
  add_analysis_options(*verb, *args);
  add_picture_options(*verb, *args);
  args->sound.add_to(*verb);
  verb->add_flag("--json", args->json, "Print JSON");
  verb->footer(
      "Levels are relative to a full-scale sine, which reads 0 dBFS. Every segment is shown: a\n"
      "column of the picture is the maximum (or mean) of all the segments it covers. A picture of\n"
      "the same name is replaced. Several files: the pictures go into --out, or here.");
  verb->callback([args, &code] { code = run(*args); });
}

}  // namespace papilio::cli
