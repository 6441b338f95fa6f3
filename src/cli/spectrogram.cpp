#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "cli/common.hpp"
#include "cli/json_value.hpp"
#include "cli/report.hpp"
#include "cli/sound_flags.hpp"
#include "cli/spectrogram_task.hpp"
#include "cli/stft_flags.hpp"
#include "cli/validators.hpp"

namespace papilio::cli {
namespace spectrogram_verb {
namespace {

namespace fs = std::filesystem;

struct arguments {
  std::vector<std::string> files;
  stft_flags stft;
  picture_flags picture;
  std::string out;
  excerpt_request part;
  sound_flags sound;
  bool json = false;
};

// Picture of each file: --out itself, or NAME.png in --out where that is a directory, or here.
std::vector<fs::path> outputs_of(const arguments& args) {
  if (args.out == "-") throw usage_error("--out: a picture is not written to standard output");
  const bool into_directory = !args.out.empty() && fs::is_directory(args.out);
  if (args.files.size() > 1 && !args.out.empty() && !into_directory)
    throw usage_error("--out: must be an existing directory where there are several files, got \"" +
                      args.out + "\"");
  if (!into_directory && fs::path(args.out).has_extension())
    require_picture_name("--out", args.out);
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

int run(const arguments& args) {
  const spectrogram_task task(args.sound.options(), args.part, args.stft, args.picture);
  require_one_standard_input(args.files);
  const std::vector<fs::path> outputs = outputs_of(args);
  json_value all = json_value::array();
  plan_store plans;
  std::size_t next = 0;
  const auto draw_file = [&](const std::string& file) {
    const fs::path& out = outputs[next++];
    const drawn_file drawn = task.run(file, out, {.plans = plans, .progress = progress_bar(file)});
    for (const std::string& warning : drawn.found.warnings) warn(shown_name(file) + ": " + warning);
    analysis_request request = task.request;
    request.file = file;
    if (args.json) {
      all.push_back(report_json(request, drawn, out.string()));
    } else {
      print((next > 1 ? "\n" : "") +
            fmt::format("picture   {} ({} x {})\n", printable(out.string()), args.picture.width,
                        args.picture.height) +
            report_text(request, drawn));
    }
  };
  const int code = for_each_file(args.files, draw_file,
                                 [&](const std::string& file, const std::string& message) {
                                   all.push_back({{"file", file}, {"error", message}});
                                 });
  if (args.json) print(json_text(all));
  return code;
}

void add_options(command& verb, arguments& args) {
  args.stft.add_to(verb, {.scaling = false, .use = preset_use::pictures});
  args.part.add_to(verb);
  args.picture.add_to(verb);
  verb.add_option("--title", args.picture.title, "Above the picture [the file's name]");
  verb.add_option("-o,--out", args.out,
                  "PNG, SVG or PDF to write, or the directory for a PNG [FILE's name.png,\n"
                  "stdin.png]")
      .check(not_empty());
}

}  // namespace
}  // namespace spectrogram_verb

void add_spectrogram(program& app) {
  using namespace spectrogram_verb;
  auto args = std::make_shared<arguments>();
  command& verb =
      app.add_command("spectrogram", "Draw spectrograms of sound files as PNG, SVG or PDF");
  verb.add_option("FILE", args->files, sound_files_help).required();
  add_options(verb, *args);
  args->sound.add_to(verb);
  verb.add_flag("--json", args->json, "Print JSON");
  verb.footer(
      "Levels are relative to a full-scale sine, which reads 0 dBFS. Every segment and every bin "
      "is\n"
      "shown: a pixel is the maximum (or mean) of all it covers, and a row narrower than a bin "
      "lies\n"
      "between two. A picture of the same name is replaced. Several files: the pictures go into\n"
      "--out, or here.");
  verb.example("papilio spectrogram song.flac", "writes song.png");
  verb.example("papilio spectrogram song.flac --start 1:05 --duration 10 -o chorus.svg",
               "ten seconds of it as SVG");
  verb.example("ffmpeg -i film.mkv -f wav - | papilio spectrogram - -o film.png",
               "sound from a pipe");
  verb.run([args] { return run(*args); });
}

}  // namespace papilio::cli
