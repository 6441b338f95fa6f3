#include "cli/batch_run.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <exception>
#include <map>
#include <new>
#include <thread>

#include "cli/batch_ledger.hpp"

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

void keep_part(std::vector<batch_item>& items, const batch_part& part) {
  std::size_t i = 0;
  std::erase_if(items, [&](const batch_item&) { return i++ % part.count != part.number - 1; });
}

namespace {

// Short enough for a string to hold in itself.
constexpr const char* no_memory = "out of memory";

class runner {
 public:
  runner(const batch_job& job, std::vector<batch_item>& items)
      : job_(job), items_(items), progress_(items.size(), bytes_of(items)) {
    if (job.formats.empty()) return;
    ledger_.emplace(job.out, job.settings,
                    job.part.is_whole()
                        ? std::string()
                        : fmt::format("-{}-of-{}", job.part.number, job.part.count));
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
      for (const fs::path& path : made) {
        require_plain_path(job_.out, path.lexically_relative(job_.out));
        if (job_.no_clobber && fs::exists(path))
          throw io_error(path.string(), "is there already, and --no-clobber keeps it");
      }
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
