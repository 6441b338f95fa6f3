#include <fmt/format.h>

#include <filesystem>

#include "cli/common.hpp"
#include "cli/features_task.hpp"
#include "cli/json_value.hpp"
#include "cli/outputs.hpp"
#include "cli/report.hpp"
#include "cli/sound_flags.hpp"
#include "cli/stft_flags.hpp"
#include "cli/validators.hpp"

namespace papilio::cli {
namespace features_verb {
namespace {

namespace fs = std::filesystem;

struct arguments {
  std::vector<std::string> files;
  feature_flags features;
  stft_flags stft;
  excerpt_request part;
  sound_flags sound;
  std::string out, format;
  bool no_time = false, json = false;
};

bool to_standard_output(const arguments& args) { return args.out == "-"; }

table_format format_of(const arguments& args) {
  const bool is_file = !args.out.empty() && args.out != "-" && !fs::is_directory(args.out);
  if (is_file) {
    const auto format = table_format_of(args.out);
    if (!format && args.format.empty())
      throw usage_error(fmt::format(
          "--out: must end in .csv, .json or .npy, or --format be given; got \"{}\"", args.out));
    if (args.format.empty()) return *format;
  }
  if (args.out.empty() && !args.format.empty()) throw usage_error("--format: needs --out");
  const table_format format = parse_table_format(args.format.empty() ? "csv" : args.format);
  if (to_standard_output(args) && format == table_format::npy)
    throw usage_error("--format: npy is not written to standard output");
  return format;
}

std::vector<fs::path> paths_of(const arguments& args, table_format format) {
  if (args.out.empty()) return std::vector<fs::path>(args.files.size());
  if (!to_standard_output(args)) return outputs_of(args.files, args.out, table_ending(format));
  if (args.files.size() > 1)
    throw usage_error("--out: several tables are not written to standard output");
  if (args.json) throw usage_error("--json: standard output is taken by --out -");
  return {"/dev/stdout"};
}

std::string report_text(const arguments& args, const feature_report& r) {
  const stft_options& o = r.stft;
  std::string text = sound_text(r.sound);
  text +=
      fmt::format("analysis  {}, n_fft {}, hop {}, {} window, {}\n", counted(r.segments, "segment"),
                  o.n_fft, o.hop, to_string(o.window), channels_text(args.part, r.sound.info));
  text += fmt::format("{:<20} {:>13} {:>13} {:>13}\n", "feature", "minimum", "mean", "maximum");
  for (const column_summary& c : r.columns)
    text +=
        fmt::format("{:<20} {:>13.6g} {:>13.6g} {:>13.6g}\n", c.name, c.minimum, c.mean, c.maximum);
  return text;
}

json_value report_json(const arguments& args, const feature_report& r, const fs::path& out) {
  const stft_options& o = r.stft;
  json_value columns = json_value::array();
  for (const column_summary& c : r.columns)
    columns.push_back(
        {{"name", c.name}, {"minimum", c.minimum}, {"mean", c.mean}, {"maximum", c.maximum}});
  json_value report = sound_json(r.sound);
  report["channel"] = args.part.channel ? json_value(*args.part.channel) : json_value();
  report["segments"] = r.segments;
  report["n_fft"] = o.n_fft;
  report["hop"] = o.hop;
  report["window"] = to_string(o.window);
  report["features"] = columns;
  report["table"] = out.empty() ? json_value() : json_value(out.string());
  report["warnings"] = r.warnings;
  return report;
}

features_task task_of(const arguments& args) {
  args.stft.options();  // refuses what fits no file
  return {.sound = args.sound.options(),
          .part = args.part,
          .stft = args.stft,
          .what = args.features.selection(args.stft.preset),
          .format = format_of(args),
          .with_time = !args.no_time};
}

int run(const arguments& args) {
  const features_task task = task_of(args);
  if (args.no_time && args.out.empty()) throw usage_error("--no-time: needs --out");
  require_one_standard_input(args.files);
  const std::vector<fs::path> outputs = paths_of(args, task.format);
  json_value all = json_value::array();
  plan_store plans;
  std::size_t next = 0;
  const auto work = [&](const std::string& file) {
    const fs::path& out = outputs[next++];
    const feature_report r = task.run(file, out, {.plans = plans, .progress = progress_bar(file)});
    for (const std::string& warning : r.warnings) warn(shown_name(file) + ": " + warning);
    if (to_standard_output(args)) return;
    if (args.json)
      all.push_back(report_json(args, r, out));
    else
      print((next > 1 ? "\n" : "") +
            (out.empty() ? "" : fmt::format("table     {}\n", printable(out.string()))) +
            report_text(args, r));
  };
  const int code =
      for_each_file(args.files, work, [&](const std::string& file, const std::string& message) {
        all.push_back({{"file", file}, {"error", message}});
      });
  if (args.json) print(json_text(all));
  return code;
}

}  // namespace
}  // namespace features_verb

void add_features(program& app) {
  using namespace features_verb;
  auto args = std::make_shared<arguments>();
  command& verb = app.add_command(
      "features",
      "Write features of each segment as a table: mel bands, MFCC, RMS, centroid and others");
  verb.add_option("FILE", args->files, sound_files_help).required();
  args->features.add_choice_to(verb);
  args->features.add_mel_to(verb);
  args->features.add_rest_to(verb);
  args->stft.add_to(verb, {.scaling = false, .use = preset_use::features});
  args->part.add_to(verb);
  verb.add_option("-o,--out", args->out,
                  "Table to write: .csv, .json or .npy, the directory for it, or - for standard\n"
                  "output [no table, only the summary]")
      .check(not_empty());
  verb.add_option("--format", args->format, "Of tables: csv, json or npy [by --out, else csv]")
      .check(one_of({"csv", "json", "npy"}));
  verb.add_flag("--no-time", args->no_time, "Leave out the column time_seconds");
  args->sound.add_to(verb);
  verb.add_flag("--json", args->json, "Print the summary as JSON");
  verb.footer(
      "Without a choice, all features that are one number a segment. Numbers of one channel are\n"
      "those of librosa.feature; under --preset torch mel, mfcc and centroid are those of\n"
      "torchaudio.transforms. The presets still differ from the libraries in this:\n"
      "  Several channels count by their mean power; librosa.load mixes their samples.\n"
      "  --n-fft changes --hop too, unless that is given; librosa.feature keeps a hop of 512.\n"
      "  Silence has a centroid of 0 Hz; torchaudio gives NaN.\n"
      "  Bins of an odd --n-fft lie at k rate / n_fft; torchaudio stretches them to half the "
      "rate.\n"
      "  Numbers are computed in double; where torchaudio computes in float, mel levels without\n"
      "  --top-db show its rounding in bands that are nearly empty.\n"
      "rms and zero-crossings do not depend on --window. Levels that are cut below the highest of\n"
      "the sound need a second pass over it. --preset scipy shortens the segment to a sound that\n"
      "is shorter, as scipy does. A row's time is that of its segment's centre, from the file's\n"
      "beginning. NPY: [segments, columns], float64, or float32 without time; CSV and JSON name "
      "the\n"
      "columns. Files of the same names are replaced.");
  verb.example("papilio features song.flac --mfcc --rms -o song.csv", "one row a segment");
  verb.example("papilio features *.wav --mel -o tables", "a table of each file, in a folder");
  verb.run([args] { return run(*args); });
}

}  // namespace papilio::cli
