#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "cli/common.hpp"
#include "cli/json_value.hpp"
#include "cli/report.hpp"
#include "cli/sound_flags.hpp"
#include "cli/stft_task.hpp"
#include "cli/validators.hpp"

namespace papilio::cli {
namespace stft_verb {
namespace {

struct arguments {
  std::string file, out, form = "complex";
  std::optional<double> floor_db;
  excerpt_request part;
  stft_flags segments;
  sound_flags sound;
  bool json = false;
};

std::string report_text(const arguments& args, const stft_report& r) {
  const stft_options& o = r.options;
  return sound_text(r.sound) +
         fmt::format("spectra   {}, n_fft {}, hop {}, {} window, scaling {}\n",
                     counted(r.segments, "segment"), o.n_fft, o.hop, papilio::to_string(o.window),
                     to_string(o.scaling)) +
         fmt::format("npy       {} ({}, {} {})\n", printable(args.out), args.form, r.element_type,
                     fmt::join(r.extents, " x "));
}

json_value report_json(const arguments& args, const stft_report& r) {
  json_value report = sound_json(r.sound);
  report["npy"] = args.out;
  report["description"] = description_of(args.out).string();
  for (const auto& [key, value] : r.description.items())
    if (!report.contains(key)) report[key] = value;
  report["segments"] = r.segments;
  report["warnings"] = r.warnings;
  return report;
}

int run(arguments& args) {
  if (args.out.empty()) {
    args.out = default_output(args.file, ".npy");
    default_output(args.file, ".npy.json");
  }
  require_named_output("--out", args.out, args.file);
  require_named_output("--out", description_of(args.out).string(), args.file);
  if (args.floor_db && args.form != "db")
    throw usage_error("--floor: is for --form db, got --form " + args.form);
  plan_store plans;
  try {
    plans.stft(args.segments.options());
  } catch (const invalid_argument& e) {
    throw usage_error(fmt::format("--scaling, --window: {}", e.what()));
  }
  json_value report;
  const auto work = [&](const std::string& file) {
    const stft_report result =
        write_stft({.source = {.file = file, .sound = args.sound.options(), .part = args.part},
                    .segments = args.segments,
                    .out = args.out,
                    .form = parse_stft_form(args.form),
                    .floor_db = args.floor_db.value_or(-120)},
                   plans);
    for (const std::string& warning : result.warnings) warn(shown_name(file) + ": " + warning);
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

}  // namespace
}  // namespace stft_verb

void add_stft(program& app) {
  using namespace stft_verb;
  auto args = std::make_shared<arguments>();
  command& verb = app.add_command(
      "stft", "Save the short-time Fourier transform of a sound file as a NumPy file");
  verb.add_option("FILE", args->file, sound_file_help).required();
  verb.add_option("-o,--out", args->out,
                  "NPY to write, beside OUT.json, which says what it holds [FILE's name.npy]")
      .check(not_empty());
  verb.add_option("--form", args->form,
                  "Of each bin X: complex X, magnitude |X|, power |X|^2, or db 10 log10 |X|^2")
      .check(one_of({"complex", "magnitude", "power", "db"}))
      .show_default();
  verb.add_option("--floor", args->floor_db, "Lowest level of the form db, dB [-120]")
      .check(number_from(-1000, 1000));
  args->part.add_to(verb, "all");
  args->segments.add_to(verb);
  args->sound.add_to(verb);
  verb.add_flag("--json", args->json, "Print JSON");
  verb.footer(
      "X[s, k] = c sum_j w[j] x[s hop + j - n_fft / 2] exp(-2 pi i j k / n_fft), samples x from "
      "-1\n"
      "to 1, w the window, c the scaling, k = 0 ... n_fft / 2: bin k is k rate / n_fft Hz, "
      "segment\n"
      "s is centred on s hop / rate seconds after the start. --preset scipy shortens the segment "
      "to\n"
      "a sound that is shorter, as scipy does.\n"
      "NPY: float, in C order: [segments, bins] of one channel, [channels, segments, bins] of\n"
      "several. OUT.json has the sample rate, the shape and all options, from which istft makes\n"
      "the sound again. Both files are replaced when all is written, those of --out.\n"
      "Memory does not depend on the sound's length.\n"
      "Exit: 0 done, 1 bad data, 2 bad usage.");
  verb.example("papilio stft song.flac", "writes song.npy, complex bins for numpy.load");
  verb.example("papilio stft song.flac -o song.npy --preset librosa --form magnitude",
               "magnitudes as librosa has them");
  verb.run([args] { return run(*args); });
}

}  // namespace papilio::cli
