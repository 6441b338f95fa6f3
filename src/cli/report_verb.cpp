#include <algorithm>
#include <mutex>

#include "cli/batch_run.hpp"
#include "cli/html_page.hpp"
#include "cli/own_files.hpp"
#include "cli/sound_page.hpp"
#include "papilio/transform/candidate.hpp"

namespace papilio::cli {
namespace report_verb {
namespace {

namespace fs = std::filesystem;

output_kinds page_kinds() {
  output_kinds can;
  can.kinds = {"html"};
  can.streamed = {"html"};
  can.is_own = own_files();
  can.one = true;
  return can;
}

struct arguments {
  std::string input, title;
  output_flags outputs{page_kinds()};
  std::vector<std::string> patterns;
  std::size_t jobs = 0;
  bool recursive = false;
  page_request request;

  void add_to(command& verb) {
    verb.add({{"FILE", input, "Sound file, - is standard input; or a folder of sound files",
               not_empty(), flag_trait::required}});
    outputs.add_to(verb, "Page to write, .html; - is standard output [FILE's name.html]");
    verb.add({{"--title", title, "Title of the page [the file's or the folder's name]"},
              {"--peaks", request.peaks, "Number of spectral peaks that are listed",
               whole_number_from(0, 100)}});
    verb.add({{"-r,--recursive", recursive, "Folders in the folder too"},
              {"--include", patterns,
               "Only files whose names match, such as '*.wav'; may be given again", not_empty()},
              {"-j,--jobs", jobs, "Number of files processed at once [one a core]",
               whole_number_from(1, 1024)}},
             "Folders");
    request.part.add_to(verb);
    request.sound.add_to(verb);
  }
};

/// The last part of a path, that of "." and "music/" too.
std::string last_name(const std::string& input) {
  fs::path path = fs::absolute(input).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  return path.filename().string();
}

std::string title_of(const arguments& args) {
  if (!args.title.empty()) return printable(args.title);
  return printable(last_name(shown_name(args.input)));
}

json_value index_of(const arguments& args, const char* kind) {
  return json_object("kind", kind, "title", title_of(args), "made_by", build_info(), "palette",
                     page_palette());
}

report written_report(const output& out, std::uint64_t bytes) {
  report made;
  return made.line("page", "{} ({:.0f} KiB)", out.name.string(), static_cast<double>(bytes) / 1024)
      .fields("page", out.name.string(), "bytes", bytes);
}

report file_report(const arguments& args, const output& out) {
  signal_detail::plan_store plans;
  std::error_code unsized;
  const std::uintmax_t bytes = fs::file_size(args.input, unsized);
  progress bar(1, unsized ? 1 : std::max<std::uintmax_t>(bytes, 1));
  progress::share share(bar, unsized ? 1 : std::max<std::uintmax_t>(bytes, 1));
  const std::vector<output> none;
  const page_sound sound = look_at_sound(
      args.request, page_detail_of(1),
      {.file = args.input,
       .outs = none,
       .plans = plans,
       .progress = [&](std::uint64_t done, std::uint64_t total) { share.update(done, total); },
       .around = {.warn = [&](const std::string& text) {
         bar.message("warning: " + shown_name(args.input) + ": " + text);
       }}});
  bar.erase();
  html_page page(out.path(), title_of(args), index_of(args, "sound"));
  page.add(sound.part);
  report made = written_report(out, page.commit());
  return made.add("file", args.input).add(sound.figures).warn(sound.warnings);
}

/// Names by which a page calls the files of a folder are paths in it.
json_value named(json_value figures, const batch_item& item) {
  return figures.add("name", printable(item.relative.string()));
}

report folder_report(const arguments& args, const output& out, reporter& to) {
  batch_job job{.folder = args.input,
                .out = {},
                .recursive = args.recursive,
                .patterns = args.patterns,
                .threads = static_cast<std::size_t>(thread_count(static_cast<int>(args.jobs)))};
  batch_tree tree = find_files(job);
  std::erase_if(tree.items, [&](const batch_item& item) {
    std::error_code none;  // the page of an earlier run
    return fs::equivalent(job.folder / item.relative, out.name, none);
  });
  if (tree.items.empty())
    throw io_error(args.input, args.recursive ? "no files are to be looked at"
                                              : "no files are to be looked at; folders in it only "
                                                "with --recursive");
  const page_detail detail = page_detail_of(tree.items.size());
  std::map<std::string, page_sound> sounds;
  std::mutex mutex;
  job.task = [&](const file_request& of) {
    page_sound sound = look_at_sound(args.request, detail, of);
    report warned;
    warned.warn(sound.warnings);
    const std::lock_guard lock(mutex);
    sounds.emplace(of.file, std::move(sound));
    return warned;
  };
  run_batch(job, tree.items);
  json_value shown = json_value::array(), failures = shown, files = shown;
  for (const std::string& failure : tree.failures) complain(failure);
  for (const std::string& failure : tree.failures) failures.push_back(printable(failure));
  for (const batch_item& item : tree.items) {
    const bool failed = item.status == batch_status::failed;
    if (failed)
      failures.push_back(printable(item.error));
    else
      shown.push_back(named(sounds.at((job.folder / item.relative).string()).figures, item));
    files.push_back(json_object("file", item.relative.string(), "status",
                                failed ? "failed" : "done", "error",
                                failed ? json_value(item.error) : json_value()));
  }
  if (sounds.empty()) throw io_error(args.input, "none of its files can be shown");
  const auto failed = tree.items.size() - sounds.size() + tree.failures.size();
  html_page page(out.path(), title_of(args),
                 index_of(args, "folder").add("sounds", shown, "failures", failures));
  for (const batch_item& item : tree.items)
    if (item.status == batch_status::done)
      page.add(sounds.at((job.folder / item.relative).string()).part);
  report made = written_report(out, page.commit());
  made.line("sounds", "{} of {} in {}", sounds.size(), tree.items.size(), args.input);
  if (failed > 0) {
    made.line("failed", "{}", failed);
    for (const json_value& failure : failures) made.entry(failure.text());
    to.fail();
  }
  return made.fields("directory", args.input, "done", sounds.size(), "failed", failed, "files",
                     files);
}

void run(arguments& args, reporter& to) {
  const bool is_folder = args.input != "-" && fs::is_directory(args.input);
  const std::string stem = is_folder ? last_name(args.input) + "." : args.input;
  const output out = args.outputs.of({stem}).front().front();
  if (!is_folder) {
    require_other_file("--out", out.name.string(), args.input);
    for (const auto& [flag, given] : {std::pair("--recursive", args.recursive),
                                      {"--include", !args.patterns.empty()},
                                      {"--jobs", args.jobs > 0}})
      if (given) throw usage_error("{}: is for a folder, and {} is none", flag, args.input);
  }
  if (out.to_standard_output()) to.give_away_output("--out");
  to.each({args.input}, [&](const std::string&) {
    make_folders({out});
    return is_folder ? folder_report(args, out, to) : file_report(args, out);
  });
}

}  // namespace
}  // namespace report_verb

void add_report(program& app) {
  command& verb =
      add_verb(app, "report", "Make a page to look at in a browser, of a sound file or a folder",
               report_verb::run);
  verb.footer(
      R"(The page is one HTML file with all that it shows inside: spectrogram, spectrum, levels,
features over time, peaks, format and tags; nothing is fetched from elsewhere. Of a folder it
is a table with a picture of each file, to sort and to search; a click shows one file. Numbers
are those of papilio spectrogram, psd and features with their defaults. A page of one file
takes at most 640 KiB; of a folder 32 MiB up to 800 files, beyond that 40 KiB a file:
the more files, the coarser each is drawn. Files that fail are listed with their reasons, and
make the exit code 1; where none can be shown, there is no page.)");
  verb.example("papilio report song.flac", "writes song.html");
  verb.example("papilio report recordings -o recordings.html", "a gallery of a folder");
}

}  // namespace papilio::cli
