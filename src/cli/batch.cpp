#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>

#include "cli/batch_run.hpp"
#include "papilio/transform/candidate.hpp"

namespace papilio::cli {
namespace batch_verb {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_parts = 1'000'000;

/// The part that K/N names.
batch_part parse_part(const std::string& text) {
  const std::vector<std::string> words = split_words(text, '/');
  const auto number = read_number<std::size_t>(words.front());
  const auto count = read_number<std::size_t>(words.back());
  if (words.size() != 2 || !number || !count || *number < 1 || *number > *count ||
      *count > most_parts)
    throw invalid_argument(
        fmt::format("part: must be K/N with 1 <= K <= N <= {}, got {}", most_parts, text));
  return {*number, *count};
}

constexpr const char* by_environment = "--parts-from-environment";

/// The number that a starter of processes left in a variable, in [low, high].
std::size_t number_in(const char* variable, std::size_t low, std::size_t high) {
  const char* const text = std::getenv(variable);
  if (text == nullptr) throw usage_error("{}: {} is not set", by_environment, variable);
  const auto number = read_number<std::size_t>(text);
  if (!number || *number < low || *number > high)
    throw usage_error("{}: {} must be a whole number in [{}, {}], got {}", by_environment, variable,
                      low, high, text);
  return *number;
}

/// The part that mpirun, mpiexec or srun started this process for. SLURM's variables come last:
/// they are set around an mpirun too.
batch_part part_of_environment() {
  constexpr std::pair<const char*, const char*> starters[] = {
      {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
      {"PMI_RANK", "PMI_SIZE"},
      {"SLURM_PROCID", "SLURM_NTASKS"}};
  for (const auto& [rank, size] : starters) {
    if (std::getenv(rank) == nullptr) continue;
    const std::size_t count = number_in(size, 1, most_parts);
    const bool in_slurm = std::string(rank) == "SLURM_PROCID";
    if (in_slurm && count > 1 && std::getenv("SLURM_JOB_ID") && !std::getenv("SLURM_STEP_ID"))
      throw usage_error(
          "{}: this is SLURM's batch script itself, which runs once and not {} times: "
          "start papilio in it with srun",
          by_environment, count);
    return {number_in(rank, 0, count - 1) + 1, count};
  }
  throw usage_error(
      "{}: none of OMPI_COMM_WORLD_RANK, PMI_RANK and SLURM_PROCID is set, as mpirun, "
      "mpiexec and srun do; --part K/N says the same",
      by_environment);
}

struct arguments {
  std::string folder, out, what, format, part;
  std::optional<output_flags> outputs;  ///< of the verb that does the work
  std::function<file_task()> make_task;
  std::vector<std::string> patterns;
  std::size_t jobs = 0;
  bool recursive = false, resume = false, no_clobber = false, parts_from_environment = false;
  const command* verb = nullptr;

  void add_to(command& batch) {
    batch.add(
        {{"DIR", folder, "Folder of sound files", not_empty(), flag_trait::required},
         {"-o,--out", out, "Folder for the outputs, made if it is not there", not_empty(),
          flag_trait::required},
         {"--what", what,
          "The verb that does the work, whose flags may follow; mel is features --mel --no-time\n"
          "--format npy, with a time column in other formats",
          one_of({"spectrogram", "stft", "mel", "features", "psd", "fft", "tempo", "denoise"}),
          flag_trait::required},
         {"--format", format,
          "Formats of the outputs, of those that the verb has; several with commas [its usual one]",
          not_empty()},
         {"-r,--recursive", recursive, "Folders in the folder too"},
         {"--include", patterns,
          "Only files whose names match, such as '*.wav'; may be given again", not_empty()},
         {"-j,--jobs", jobs, "Number of files processed at once [one a core]",
          whole_number_from(1, 1024)},
         {"--resume", resume,
          "Skip files whose outputs are as these flags made them from this file"},
         {"--part", part,
          "Do the K-th of N parts of the files, for N processes that share a folder",
          read_by([](std::string& text) { parse_part(text); }, "K/N")},
         {by_environment, parts_from_environment,
          "The part that srun, mpirun or mpiexec started this process for"},
         {"--no-clobber", no_clobber, no_clobber_help}});
    batch.exclude("--part", by_environment);
    verb = &batch;
    batch.before_reading(
        [this, &batch](const std::vector<std::string>& words) { add_flags_of_verb(batch, words); });
  }
  /// The flags of the verb that --what names are batch's.
  void add_flags_of_verb(command& batch, const std::vector<std::string>& words);
};

struct summary {
  const batch_job& job;
  batch_tree tree;
  std::size_t found = 0;  ///< files of all parts
  double seconds = 0;

  std::size_t count(batch_status status) const {
    const auto files = std::ranges::count(tree.items, status, &batch_item::status);
    return static_cast<std::size_t>(files) +
           (status == batch_status::failed ? tree.failures.size() : 0);
  }
};

json_value file_json(const batch_item& item, const batch_job& job) {
  constexpr const char* names[] = {"done", "skipped", "failed"};
  json_value file = json_object("file", item.relative.string(), "status",
                                names[static_cast<int>(item.status)], "warnings", item.warnings);
  if (item.status == batch_status::failed) return file.add("error", item.error);
  const std::vector<std::string> outputs = names_of(job.outputs_of(item, {}));
  if (outputs.size() > 1) file.add("outputs", outputs);
  return file.add("output", outputs.front());
}

report report_of(const arguments& args, const summary& s) {
  const std::size_t done = s.count(batch_status::done), skipped = s.count(batch_status::skipped),
                    failed = s.count(batch_status::failed);
  report made;
  made.line("batch", "{}: {} into {}", args.what, args.folder, args.out)
      .line("done", "{} in {}", counted(done, "file"), format_duration(s.seconds));
  const batch_part& part = s.job.part;
  if (!part.is_whole())
    made.line("part", "{} of {}: {} of {}", part.number, part.count, s.tree.items.size(),
              counted(s.found, "file"));
  if (args.resume) made.line("skipped", "{}, as they were made", counted(skipped, "output"));
  if (failed > 0) made.line("failed", "{}", failed);
  for (const std::string& folder : s.tree.failures) made.entry(folder);
  json_value files = json_value::array();
  for (const batch_item& item : s.tree.items) {
    if (item.status == batch_status::failed) made.entry(item.error);
    files.push_back(file_json(item, s.job));
  }
  return made.fields("what", args.what, "directory", args.folder, "out", args.out, "jobs",
                     s.job.threads, "part", part.number, "parts", part.count, "found", s.found,
                     "seconds", s.seconds, "done", done, "skipped", skipped, "failed", failed,
                     "unreadable_directories", s.tree.failures, "files", files);
}

void require_folders(const arguments& args) {
  std::error_code failure;
  const fs::file_status status = fs::status(args.folder, failure);
  if (!fs::exists(status))
    throw io_error(args.folder, failure ? failure.message() : "No such file or directory");
  if (!fs::is_directory(status)) throw io_error(args.folder, "is not a directory");
  if (fs::equivalent(args.folder, args.out, failure))
    throw usage_error("--out: \"{}\" is DIR itself", args.out);
  if (fs::exists(args.out, failure) && !fs::is_directory(args.out, failure))
    throw io_error(args.out, "is not a directory");
}

/// Every flag but those that only say which files there are and how they are worked on.
std::string settings_of(const command& verb) {
  std::string settings = build_info();
  for (const option& each : verb.options()) {
    const std::string name = each.name();
    if (std::set<std::string>{"DIR", "--out", "--recursive", "--include", "--jobs", "--resume",
                              "--json", "--report", "--no-clobber", "--part", by_environment}
            .count(name) > 0)
      continue;
    for (const std::string& value : each.values()) settings += "\n" + name + "=" + value;
  }
  return settings;
}

/// An output that is also an input, under whatever name, would be that input's end.
void refuse_overwriting(const batch_job& job, const std::vector<batch_item>& items) {
  const auto identity = [](const fs::path& path) -> std::optional<std::pair<dev_t, ino_t>> {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) return std::nullopt;
    return std::pair(status.st_dev, status.st_ino);
  };
  std::set<std::pair<dev_t, ino_t>> inputs;
  for (const batch_item& item : items)
    if (const auto file = identity(job.folder / item.relative)) inputs.insert(*file);
  for (const batch_item& item : items)
    for (const output& one : job.outputs_of(item, job.out))
      if (const auto file = identity(one.name); file && inputs.count(*file) > 0)
        throw usage_error("--out: \"{}\" would replace a file of DIR", one.name.string());
}

summary work_on(const arguments& args, const batch_job& job) {
  require_folders(args);
  summary s{job, find_files(job)};
  if (s.tree.items.empty() && s.tree.failures.empty())
    throw io_error(args.folder,
                   args.recursive
                       ? "no files are to be looked at"
                       : "no files are to be looked at; folders in it only with --recursive");
  make_folder(args.out);
  refuse_overwriting(job, s.tree.items);
  s.found = s.tree.items.size();
  keep_part(s.tree.items, job.part);
  for (const std::string& failure : s.tree.failures) complain(failure);
  const auto begin = std::chrono::steady_clock::now();
  run_batch(job, s.tree.items);
  s.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return s;
}

void arguments::add_flags_of_verb(command& batch, const std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool is_next = words[i] == "--what" && i + 1 < words.size();
    if (!is_next && !words[i].starts_with("--what=")) continue;
    const std::string name = lower_case(is_next ? words[i + 1] : words[i].substr(7));
    for (const auto make : {spectrogram_verb, stft_verb, mel_verb, features_verb, psd_verb,
                            fft_verb, tempo_verb, denoise_verb}) {
      const sound_verb of = make();
      if (of.name != name || outputs) continue;
      outputs.emplace(of.outputs);
      outputs->names = {"folder/"};
      make_task = of.prepare(batch, *outputs);
    }
  }
}

void run(arguments& args, reporter& out) {
  output_flags& outputs = *args.outputs;
  outputs.format = args.format;
  const batch_job job{
      .folder = args.folder,
      .out = args.out,
      .recursive = args.recursive,
      .patterns = args.patterns,
      .formats = outputs.formats(),
      .companion = outputs.can().companion,
      .task = args.make_task(),
      .settings = settings_of(*args.verb),
      .threads = static_cast<std::size_t>(thread_count(static_cast<int>(args.jobs))),
      .resume = args.resume,
      .no_clobber = args.no_clobber,
      .part = args.parts_from_environment ? part_of_environment()
              : args.part.empty()         ? batch_part{}
                                          : parse_part(args.part)};
  out.each({args.folder}, [&](const std::string&) {
    const summary s = work_on(args, job);
    if (s.count(batch_status::failed) > 0) out.fail();
    return report_of(args, s);
  });
}

}  // namespace
}  // namespace batch_verb

void add_batch(program& app) {
  command& verb =
      add_verb(app, "batch", "Run another verb on every sound file of a folder", batch_verb::run);
  verb.footer(
      R"(Outputs lie in --out as the files in DIR: sub/a.wav becomes sub/a.png, and what else
--format names, all of one reading; or sub/a.wav.png where sub/a.flac is there too. Each
appears whole or not at all, so that a run that was stopped goes on with --resume:
OUT/.papilio-batch notes what made each of them (all flags, papilio's version, the file's
size, time and inode), and how it was left. No output is written through a symbolic link.
--part K/N does every N-th file by name, from the K-th on, so that N processes that share DIR
and OUT do each file once, if DIR stays as it is meanwhile; a ledger each, .papilio-batch-K-of-N,
is read by all. A run with --resume and without --part does what is still missing. Memory
does not depend on lengths. Files that fail are listed, with reasons, and make the
exit code 1. Hidden files and folders, and links to folders, are left out. papilio batch
--what VERB --help lists the verb's flags too.)");
  verb.example("papilio batch recordings -o pictures --what spectrogram",
               "a spectrogram of every file");
  verb.example("papilio batch recordings -o tables --what features --resume",
               "go on where a run was stopped");
  verb.example("papilio batch recordings -o out --what spectrogram --format png,npy,csv",
               "picture and numbers, reading each file once");
  verb.example("srun -n 64 papilio batch calls -o tables --what features --parts-from-environment",
               "on a cluster, a part for each task");
}

}  // namespace papilio::cli
