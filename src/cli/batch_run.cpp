#include "cli/batch_run.hpp"

#include <fcntl.h>
#include <fnmatch.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <fstream>
#include <map>
#include <new>
#include <thread>

namespace papilio::cli {

namespace {

namespace fs = std::filesystem;

bool matches(const batch_job& job, const std::string& name) {
  const auto fits = [&](const std::string& pattern) {
    return fnmatch(pattern.c_str(), name.c_str(), FNM_PERIOD) == 0;
  };
  if (job.patterns.empty()) return fits("*");
  return std::any_of(job.patterns.begin(), job.patterns.end(), fits);
}

bool is_entered(const batch_job& job, const fs::directory_entry& entry) {
  std::error_code none;
  return job.recursive && !entry.is_symlink(none) &&
         entry.path().filename().string().front() != '.' &&
         !fs::equivalent(entry.path(), job.out, none);
}

// Adds the files of folder / below, and the folders in it to `folders`.
void list(const batch_job& job, const fs::path& below, batch_tree& tree,
          std::vector<fs::path>& folders) {
  std::error_code failure;
  for (fs::directory_iterator at(job.folder / below, failure), end; !failure && at != end;
       at.increment(failure)) {
    const fs::path name = at->path().filename();
    std::error_code none;
    if (at->is_directory(none)) {
      if (is_entered(job, *at)) folders.push_back(below / name);
    } else if (matches(job, name.string())) {
      const auto bytes = at->file_size(none);
      tree.items.push_back({.relative = below / name, .output = {}, .bytes = none ? 0 : bytes});
    }
  }
  if (!failure) return;
  if (below.empty()) throw io_error(job.folder.string(), failure.message());
  tree.failures.push_back((job.folder / below).string() + ": " + failure.message());
}

// Whole names differ where files do, so this ends.
void name_outputs(std::vector<batch_item>& items) {
  for (batch_item& item : items) {
    item.output = item.relative;
    item.output.replace_extension();
  }
  for (bool changed = true; changed;) {
    changed = false;
    std::map<fs::path, std::vector<batch_item*>> by_output;
    for (batch_item& item : items) by_output[item.output].push_back(&item);
    for (auto& [output, sharing] : by_output) {
      if (sharing.size() == 1) continue;
      changed = true;
      for (batch_item* item : sharing) item->output = item->relative;
    }
  }
}

}  // namespace

batch_tree find_files(const batch_job& job) {
  batch_tree tree;
  std::vector<fs::path> folders = {fs::path()};
  while (!folders.empty()) {
    const fs::path below = std::move(folders.back());
    folders.pop_back();
    list(job, below, tree, folders);
  }
  const auto by_name = [](const batch_item& a, const batch_item& b) {
    return a.relative < b.relative;
  };
  std::sort(tree.items.begin(), tree.items.end(), by_name);
  std::sort(tree.failures.begin(), tree.failures.end());
  name_outputs(tree.items);
  return tree;
}

namespace {

constexpr const char* ledger_name = ".papilio-batch";

/// FNV-1a.
std::uint64_t hash_of(const std::string& text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

std::string size_and_time(const struct stat& status) {
  return fmt::format("{} {}.{:09}", status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
}

/// Of files that were made; empty where one is missing or is none of its own.
std::string stamp_of_made(const std::vector<fs::path>& made) {
  std::string all;
  for (const fs::path& path : made) {
    struct stat status {};
    if (::lstat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
    all += "\t" + size_and_time(status);
  }
  return all;
}

/// The name as one word of a line.
std::string escaped(const std::string& name) {
  std::string word;
  for (const char c : name) word += c == '\n' ? "\\n" : c == '\\' ? "\\\\" : std::string(1, c);
  return word;
}

/// What made the outputs of a folder, one line of OUT/.papilio-batch for each: the settings, the
/// input's size, time of change and inode, and the size and time of every file that was made. An
/// output that is not as it is written there is made again. For use by many threads at once.
class batch_ledger {
 public:
  /// Of the input before the work on it; empty where there is no such file.
  using stamp = std::string;
  static stamp stamp_of_input(const fs::path& input) {
    struct stat status {};
    if (::stat(input.c_str(), &status) != 0) return {};
    return fmt::format("{} {}", size_and_time(status), status.st_ino);
  }

  /// Reads what there is. `settings` is all that decides what an output holds, but for the input.
  batch_ledger(const fs::path& out, const std::string& settings)
      : out_(out), settings_(fmt::format("{:016x}", hash_of(settings))) {
    const fs::path path = out / ledger_name;
    // Lines are settings, input and what was made, by tabs, and behind the last one the name.
    std::ifstream file(path, std::ios::binary);
    for (std::string line; std::getline(file, line) && !file.eof();)
      if (const std::size_t name = line.rfind('\t'); name != std::string::npos)
        lines_[line.substr(name + 1)] = line.substr(0, name);
    descriptor_ =
        ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
  }
  ~batch_ledger() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  batch_ledger(const batch_ledger&) = delete;
  batch_ledger& operator=(const batch_ledger&) = delete;

  /// Whether all of `made`, of which the first is the output, are there as they were left by these
  /// settings from this input.
  bool holds(const stamp& input, const std::vector<fs::path>& made) const {
    const std::string now = stamp_of_made(made);
    const std::lock_guard lock(mutex_);
    const auto found = lines_.find(escaped(made.front().lexically_relative(out_).string()));
    return found != lines_.end() && !now.empty() && !input.empty() &&
           found->second == settings_ + "\t" + input + now;
  }
  /// Notes them. Where that cannot be written, one warning is given, and the next run makes them
  /// again.
  void add(const stamp& input, const std::vector<fs::path>& made) {
    const std::string name = escaped(made.front().lexically_relative(out_).string());
    const std::string entry = settings_ + "\t" + input + stamp_of_made(made);
    const std::string line = entry + "\t" + name + "\n";
    const std::lock_guard lock(mutex_);
    lines_[name] = entry;
    if (::write(descriptor_, line.data(), line.size()) == static_cast<ssize_t>(line.size())) return;
    if (!warned_)
      warn(fmt::format("{}: {}: --resume will make again what is made now",
                       (out_ / ledger_name).string(), std::generic_category().message(errno)));
    warned_ = true;
  }

 private:
  std::filesystem::path out_;
  std::string settings_;                      // their hash
  std::map<std::string, std::string> lines_;  // by the output's name
  int descriptor_ = -1;
  bool warned_ = false;
  mutable std::mutex mutex_;
};

// Short enough for a string to hold in itself.
constexpr const char* no_memory = "out of memory";

/// What is made stays in OUT: nobody's link there leads out of it, or to an input.
void require_no_links(const fs::path& out, const fs::path& relative) {
  fs::path at = out;
  for (const fs::path& part : relative) {
    at /= part;
    std::error_code none;
    if (fs::is_symlink(fs::symlink_status(at, none)))
      throw io_error(at.string(), "is a symbolic link; outputs of batch are files of their own");
  }
}

class runner {
 public:
  runner(const batch_job& job, std::vector<batch_item>& items)
      : job_(job), items_(items), progress_(items.size(), bytes_of(items)) {
    if (!job.formats.empty()) ledger_.emplace(job.out, job.settings);
  }

  void run() {
    std::vector<std::jthread> threads;
    try {
      while (threads.size() + 1 < std::min(job_.threads, items_.size()))
        threads.emplace_back([this] { take_items(); });
    } catch (const std::exception&) {
      // Fewer threads than were asked for do the same work.
    }
    take_items();
  }

 private:
  static std::uint64_t bytes_of(const std::vector<batch_item>& items) {
    std::uint64_t bytes = 0;
    for (const batch_item& item : items) bytes += item.bytes;
    return bytes;
  }

  void take_items() {
    for (std::size_t i = next_++; i < items_.size(); i = next_++) {
      batch_item& item = items_[i];
      progress::share share(progress_, item.bytes);
      try {
        work_on(item, share);
      } catch (const std::bad_alloc&) {
        item.status = batch_status::failed;
        item.error = no_memory;
        item.warnings.clear();
        progress_.message(no_memory);
      }
      share.finish(item.status == batch_status::failed);
    }
  }

  std::vector<fs::path> made_of(const std::vector<output>& outputs) const {
    std::vector<fs::path> made;
    for (const output& one : outputs) {
      made.push_back(one.name);
      if (!job_.companion.empty()) made.emplace_back(one.name.string() + job_.companion);
    }
    return made;
  }

  std::vector<std::string> warnings_of(const std::string& name, const std::vector<output>& outputs,
                                       progress::share& share) {
    const file_request request{
        .file = name,
        .outs = outputs,
        .plans = plans_,
        .progress = [&](std::uint64_t done, std::uint64_t total) { share.update(done, total); },
        .around = {.memory = &memory_, .warn = [&](const std::string& text) {
                     progress_.message("warning: " + name + ": " + text);
                   }}};
    try {
      const report made = job_.task(request);
      for (const std::string& caution : made.cautions()) progress_.message("warning: " + caution);
      return made.warnings();
    } catch (const usage_error& e) {
      // Flags that do not suit this file, where they suit others.
      throw invalid_argument(e.what());
    }
  }

  void work_on(batch_item& item, progress::share& share) {
    const fs::path input = job_.folder / item.relative;
    const std::vector<output> outputs = job_.outputs_of(item, job_.out);
    const std::vector<fs::path> made = made_of(outputs);
    const batch_ledger::stamp stamp = batch_ledger::stamp_of_input(input);
    if (job_.resume && ledger_ && ledger_->holds(stamp, made)) {
      item.status = batch_status::skipped;
      return;
    }
    const std::string name = input.string();
    const auto failure = failure_of(name, [&] {
      for (const fs::path& path : made)
        require_no_links(job_.out, path.lexically_relative(job_.out));
      make_folders(outputs);
      item.warnings = warnings_of(name, outputs, share);
    });
    for (const std::string& warning : item.warnings)
      progress_.message("warning: " + name + ": " + warning);
    if (!failure) {
      if (ledger_) ledger_->add(stamp, made);
      item.status = batch_status::done;
      return;
    }
    // A failure of the output names only that.
    item.error = failure->starts_with(name) ? *failure : name + ": " + *failure;
    progress_.message(item.error);
  }

  const batch_job& job_;
  std::vector<batch_item>& items_;
  std::optional<batch_ledger> ledger_;
  signal_detail::plan_store plans_;
  memory_budget memory_{most_work_bytes};
  progress progress_;
  std::atomic<std::size_t> next_{0};
};

}  // namespace

std::vector<output> batch_job::outputs_of(const batch_item& item, const fs::path& in) const {
  std::vector<output> outputs;
  for (const std::string& kind : formats)
    outputs.push_back({in / (item.output.string() + "." + kind), kind});
  return outputs;
}

void run_batch(const batch_job& job, std::vector<batch_item>& items) { runner(job, items).run(); }

}  // namespace papilio::cli
