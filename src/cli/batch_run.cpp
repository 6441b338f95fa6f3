#include "cli/batch_run.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <filesystem>
#include <new>
#include <thread>

#include "cli/batch_ledger.hpp"
#include "cli/common.hpp"
#include "cli/progress.hpp"
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
    {
      std::vector<std::jthread> threads;
      try {
        while (threads.size() + 1 < std::min(jobs, items_.size()))
          threads.emplace_back([this] { take_items(); });
      } catch (const std::exception&) {
        // Fewer threads than were asked for do the same work.
      }
      take_items();
    }
    return std::move(outcomes_);
  }

 private:
  static std::uint64_t bytes_of(const std::vector<batch_item>& items) {
    std::uint64_t bytes = 0;
    for (const batch_item& item : items) bytes += item.bytes;
    return bytes;
  }

  void take_items() {
    for (std::size_t i = next_++; i < items_.size(); i = next_++) {
      progress::share share(progress_, items_[i].bytes);
      try {
        outcomes_[i] = outcome_of(items_[i], share);
      } catch (const std::bad_alloc&) {
        outcomes_[i] = {.status = batch_status::failed, .error = no_memory, .warnings = {}};
        progress_.message(no_memory);
      }
      share.finish(outcomes_[i].status == batch_status::failed);
    }
  }

  std::vector<fs::path> made_of(const std::vector<output>& outputs) const {
    std::vector<fs::path> made;
    for (const output& one : outputs) {
      made.push_back(one.name);
      if (!kind_.companion.empty()) made.emplace_back(one.name.string() + kind_.companion);
    }
    return made;
  }

  std::vector<std::string> warnings_of(const std::string& name, const std::vector<output>& outputs,
                                       progress::share& share) {
    const task_context context{
        .plans = plans_,
        .progress = [&](std::uint64_t done, std::uint64_t total) { share.update(done, total); },
        .around = {.memory = &memory_, .warn = [&](const std::string& text) {
                     progress_.message("warning: " + name + ": " + text);
                   }}};
    try {
      const report made = kind_.task(name, outputs, context);
      for (const std::string& caution : made.cautions()) progress_.message("warning: " + caution);
      return made.warnings();
    } catch (const usage_error& e) {
      // Flags that do not suit this file, where they suit others.
      throw invalid_argument(e.what());
    }
  }

  batch_outcome outcome_of(const batch_item& item, progress::share& share) {
    const fs::path input = choice_.folder / item.relative;
    const std::vector<output> outputs = kind_.outputs_of(item, choice_.out);
    const std::vector<fs::path> made = made_of(outputs);
    const batch_ledger::stamp stamp = batch_ledger::stamp_of_input(input);
    if (resume_ && ledger_.holds(stamp, made)) return {.status = batch_status::skipped};
    batch_outcome outcome;
    const std::string name = input.string();
    const auto failure = failure_of(name, [&] {
      for (const fs::path& path : made)
        require_no_links(choice_.out, path.lexically_relative(choice_.out));
      cli::make_folders(outputs);
      outcome.warnings = warnings_of(name, outputs, share);
    });
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
  signal_detail::plan_store plans_;
  memory_budget memory_{most_work_bytes};
  progress progress_;
  std::atomic<std::size_t> next_{0};
};

}  // namespace

std::vector<output> batch_kind::outputs_of(const batch_item& item, const fs::path& folder) const {
  std::vector<output> outputs;
  for (const std::string& kind : formats)
    outputs.push_back({folder / (item.output.string() + "." + kind), kind});
  return outputs;
}

std::vector<batch_outcome> run_batch(const batch_choice& choice,
                                     const std::vector<batch_item>& items, std::size_t jobs,
                                     bool resume, const std::string& settings,
                                     const batch_kind& kind) {
  return runner(choice, items, resume, settings, kind).run(jobs);
}

}  // namespace papilio::cli
