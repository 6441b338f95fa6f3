#include "cli/batch_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <filesystem>
#include <mutex>
#include <new>
#include <optional>
#include <thread>

#include "cli/batch_ledger.hpp"
#include "cli/batch_progress.hpp"
#include "cli/common.hpp"
#include "papilio/base/error.hpp"

namespace papilio::cli {
namespace {

namespace fs = std::filesystem;

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

void make_folder_of(const fs::path& output) {
  std::error_code failure;
  fs::create_directories(output.parent_path(), failure);
  if (failure) throw io_error(output.parent_path().string(), failure.message());
}

/// Tells a file's share of the progress, whichever way its frames are counted.
class file_share {
 public:
  file_share(batch_progress& progress, std::uint64_t bytes) : progress_(progress), bytes_(bytes) {}
  void update(std::uint64_t done, std::uint64_t total) {
    const double share =
        static_cast<double>(done) / static_cast<double>(std::max({total, done, std::uint64_t{1}}));
    move_to(static_cast<std::uint64_t>(share * static_cast<double>(bytes_)));
  }
  void finish() { move_to(bytes_); }

 private:
  void move_to(std::uint64_t told) {
    progress_.add_bytes(told - told_);
    told_ = told;
  }
  batch_progress& progress_;
  std::uint64_t bytes_, told_ = 0;
};

class runner {
 public:
  runner(const batch_choice& choice, const std::vector<batch_item>& items, bool resume,
         const std::string& settings, const batch_kind& kind)
      : choice_(choice),
        items_(items),
        resume_(resume),
        kind_(kind),
        ledger_(choice.out, settings),
        outcomes_(items.size()),
        progress_(items.size(), bytes_of(items)) {}

  std::vector<batch_outcome> run(std::size_t jobs) {
    std::vector<std::jthread> threads;
    const std::size_t wanted = std::min(jobs, items_.size());
    try {
      while (threads.size() < wanted) {
        // Counted before it begins: it may be done before this thread goes on.
        ++working_;
        threads.emplace_back([this] { take_items(); });
      }
    } catch (const std::exception&) {
      // Fewer threads than were asked for do the same work.
      --working_;
    }
    if (threads.empty() && wanted > 0) {
      ++working_;
      take_items();
    }
    watch();
    return std::move(outcomes_);
  }

 private:
  static std::uint64_t bytes_of(const std::vector<batch_item>& items) {
    std::uint64_t bytes = 0;
    for (const batch_item& item : items) bytes += item.bytes;
    return bytes;
  }

  void watch() {
    std::unique_lock lock(mutex_);
    while (!all_done_.wait_for(lock, std::chrono::milliseconds(200), [&] { return working_ == 0; }))
      progress_.draw();
  }

  void take_items() {
    for (std::size_t i = next_++; i < items_.size(); i = next_++) {
      try {
        outcomes_[i] = outcome_of(items_[i]);
      } catch (const std::bad_alloc&) {
        outcomes_[i] = {.status = batch_status::failed, .error = no_memory, .warnings = {}};
        progress_.message(no_memory);
      }
      progress_.finish_file(outcomes_[i].status == batch_status::failed);
    }
    const std::lock_guard lock(mutex_);
    --working_;
    all_done_.notify_all();
  }

  std::vector<fs::path> made_of(const fs::path& output) const {
    std::vector<fs::path> made{output};
    if (!kind_.companion.empty()) made.emplace_back(output.string() + kind_.companion);
    return made;
  }

  std::vector<std::string> warnings_of(const std::string& name, const fs::path& output,
                                       file_share& share) {
    const task_context context{
        .plans = plans_,
        .progress = [&](std::uint64_t done, std::uint64_t total) { share.update(done, total); },
        .around = {.memory = &memory_, .warn = [&](const std::string& text) {
                     progress_.message("warning: " + name + ": " + text);
                   }}};
    try {
      return kind_.work(name, output, context);
    } catch (const usage_error& e) {
      // Flags that do not suit this file, where they suit others.
      throw invalid_argument(e.what());
    }
  }

  batch_outcome outcome_of(const batch_item& item) {
    const fs::path input = choice_.folder / item.relative, output = choice_.out / item.output;
    const std::vector<fs::path> made = made_of(output);
    const batch_ledger::stamp stamp = batch_ledger::stamp_of_input(input);
    if (resume_ && ledger_.holds(stamp, made)) {
      progress_.drop_bytes(item.bytes);
      return {.status = batch_status::skipped};
    }
    batch_outcome outcome;
    const std::string name = input.string();
    file_share share(progress_, item.bytes);
    const auto failure = failure_of(name, [&] {
      for (const fs::path& path : made)
        require_no_links(choice_.out, path.lexically_relative(choice_.out));
      make_folder_of(output);
      outcome.warnings = warnings_of(name, output, share);
    });
    share.finish();
    for (const std::string& warning : outcome.warnings)
      progress_.message("warning: " + name + ": " + warning);
    if (!failure) {
      ledger_.add(stamp, made);
      outcome.status = batch_status::done;
      return outcome;
    }
    // A failure of the output names only that.
    const bool named = failure->compare(0, name.size(), name) == 0;
    outcome.error = named ? *failure : name + ": " + *failure;
    progress_.message(outcome.error);
    return outcome;
  }

  const batch_choice& choice_;
  const std::vector<batch_item>& items_;
  const bool resume_;
  const batch_kind& kind_;
  batch_ledger ledger_;
  std::vector<batch_outcome> outcomes_;
  plan_store plans_;
  memory_budget memory_{most_work_bytes};
  batch_progress progress_;
  std::atomic<std::size_t> next_{0};
  std::mutex mutex_;
  std::condition_variable all_done_;
  std::atomic<std::size_t> working_{0};
};

}  // namespace

std::vector<batch_outcome> run_batch(const batch_choice& choice,
                                     const std::vector<batch_item>& items, std::size_t jobs,
                                     bool resume, const std::string& settings,
                                     const batch_kind& kind) {
  return runner(choice, items, resume, settings, kind).run(jobs);
}

}  // namespace papilio::cli
