#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "cli/plan_store.hpp"
#include "cli/work_ahead.hpp"

namespace papilio::cli {

/// Told how many of so many frames of a file are done.
using on_progress = std::function<void(std::uint64_t done, std::uint64_t total)>;

/// What the work on one file gets from whoever has it done: a verb, or one of batch's threads.
struct task_context {
  plan_store& plans;
  on_progress progress = {};  ///< may be empty
  work_surroundings around = {};
};

/// A progress bar for one file, on stderr while that is a terminal; erased with the last copy.
on_progress progress_bar(const std::string& file);

}  // namespace papilio::cli
