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
#include "papilio/base/error.hpp"

namespace papilio::cli {
namespace spectrogram_verb {
namespace {

namespace fs = std::filesystem;

struct arguments {
  std::vector<std::string> files;
  stft_flags stft;
  picture_flags picture;
  std::vector<std::string> outs;
  excerpt_request part;
  sound_flags sound;
  bool json = false;
};

// Of one file what --out names, each by its ending, and a PNG in a folder or where nothing is named; of
// several a PNG of each in the folder, which is made.
std::vector<std::vector<fs::path>> outputs_of(const arguments& args) {
  if (args.files.size() > 1 && args.outs.size() > 1)
    throw usage_error("--out: of several files there is one folder of pictures");
  std::set<fs::path> seen;
  std::vector<std::vector<fs::path>> outputs;
  for (const std::string& file : args.files) {
    std::vector<fs::path>& of_file = outputs.emplace_back();
    for (const std::string& named : args.outs.empty() ? std::vector<std::string>{""} : args.outs) {
      fs::path out = named;
      if (named == "-") throw usage_error("--out: a picture is not written to standard output");
      const bool is_folder = named.ends_with('/') || fs::is_directory(out) ||
                             (args.files.size() > 1 && !named.empty());
      const bool names_a_file = out.has_extension() && !named.ends_with('/');
      if (is_folder && !fs::is_directory(out) && (fs::exists(out) || names_a_file))
        throw usage_error(fmt::format(
            "--out: must be a folder where there are several files, got \"{}\"", named));
      if (named.empty())
        out = default_output(file, ".png");
      else if (is_folder)
        out /= output_stem(file) + ".png";
      else if (out.has_extension() && !is_level_table(out))
        require_picture_name("--out", named);
      std::error_code none;
      if (fs::equivalent(out, file, none))
        throw usage_error(fmt::format("--out: \"{}\" is the input itself", out.string()));
      if (!seen.insert(out.lexically_normal()).second)
        throw usage_error(fmt::format("--out: \"{}\" would be written twice", out.string()));
      of_file.push_back(std::move(out));
    }
  }
  return outputs;
}

void make_folders(const std::vector<std::vector<fs::path>>& outputs) {
  for (const std::vector<fs::path>& of_file : outputs)
    for (const fs::path& out : of_file) {
      std::error_code failure;
      if (out.has_parent_path()) fs::create_directories(out.parent_path(), failure);
      if (failure) throw io_error(out.string(), "its folder cannot be made: " + failure.message());
    }
}

int run(const arguments& args) {
  const spectrogram_task task(args.sound.options(), args.part, args.stft, args.picture);
  require_one_standard_input(args.files);
  const std::vector<std::vector<fs::path>> outputs = outputs_of(args);
  make_folders(outputs);
  json_value all = json_value::array();
  plan_store plans;
  std::size_t next = 0;
  const auto draw_file = [&](const std::string& file) {
    const std::vector<fs::path>& outs = outputs[next++];
    const drawn_file drawn = task.run(file, outs, {.plans = plans, .progress = progress_bar(file)});
    for (const std::string& warning : drawn.found.warnings) warn(shown_name(file) + ": " + warning);
    analysis_request request = task.request;
    request.file = file;
    if (args.json) {
      all.push_back(report_json(request, drawn, outs[0].string()));
      if (outs.size() > 1)
        for (const fs::path& out : outs) all.back()["outputs"].push_back(out.string());
    } else {
      std::string text = next > 1 ? "\n" : "";
      for (const fs::path& out : outs)
        text += is_level_table(out)
                    ? fmt::format("levels    {}\n", printable(out.string()))
                    : fmt::format("picture   {} ({} x {})\n", printable(out.string()),
                                  args.picture.width, args.picture.height);
      print(text + report_text(request, drawn));
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
  verb.add_option(
          "-o,--out", args.outs,
          "PNG, SVG or PDF to write; NPY or CSV of the levels shown, in dBFS; several, each\n"
          "with its own -o; or a folder for a PNG [FILE's name.png, stdin.png]")
      .repeatable()
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
      "between two. Tables hold the same levels, rows from the lowest frequency up, columns in "
      "time:\n"
      "NPY [rows, columns], of stacked channels [channels, rows, columns]; CSV with the frequency "
      "at\n"
      "the beginning of each row and the times in the first. What --out names is replaced; without "
      "it\n"
      "a picture replaces no file. Folders are made.");
  verb.example("papilio spectrogram song.flac", "writes song.png");
  verb.example("papilio spectrogram song.flac --start 1:05 --duration 10 -o chorus.svg",
               "ten seconds of it as SVG");
  verb.example("papilio spectrogram song.flac -o song.png -o song.npy -o song.csv",
               "picture and numbers, reading the file once");
  verb.example("ffmpeg -i film.mkv -f wav - | papilio spectrogram - -o film.png",
               "sound from a pipe");
  verb.run([args] { return run(*args); });
}

}  // namespace papilio::cli
