#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "cli/batch_tree.hpp"
#include "cli/task.hpp"

namespace papilio::cli {

/// What is done with one file; its warnings. Called by many threads at once.
using batch_work = std::function<std::vector<std::string>(
    const std::string& file, const std::filesystem::path& out, const task_context& context)>;

/// What is made of every file.
struct batch_kind {
  std::string ending;  ///< of the output's name
  batch_work work;
  std::string companion = {};  ///< not empty: with an output comes one of its name and this ending
};

enum class batch_status { done, skipped, failed };

struct batch_outcome {
  batch_status status = batch_status::failed;
  std::string error = {};  ///< begins with the file's name; empty unless failed
  std::vector<std::string> warnings = {};
};

/// Does the work on each file on `jobs` threads; folders for outputs are made as they are needed.
/// With `resume`, a file whose output is as the ledger says these settings made it from this file
/// is skipped. An output that is a symbolic link, or is to lie behind one, fails. Failures and
/// warnings are told on stderr as they happen, and none stops the rest. The outcomes, as the items.
std::vector<batch_outcome> run_batch(const batch_choice& choice,
                                     const std::vector<batch_item>& items, std::size_t jobs,
                                     bool resume, const std::string& settings,
                                     const batch_kind& kind);

}  // namespace papilio::cli
