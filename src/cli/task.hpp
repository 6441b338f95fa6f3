#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "cli/excerpt.hpp"
#include "cli/outputs.hpp"
#include "cli/plan_store.hpp"
#include "cli/report.hpp"
#include "cli/work_ahead.hpp"

namespace papilio::cli {

/// What the work on one file gets from whoever has it done: a verb, or one of batch's threads.
struct task_context {
  plan_store& plans;
  on_progress progress = {};  ///< may be empty
  work_surroundings around = {};
};

/// What a verb does with one file: all outputs are made of one reading, each whole or not at all.
using file_task = std::function<report(const std::string& file, const std::vector<output>& outs,
                                       const task_context& context)>;

/// Does it with each file, under a bar of its progress, and reports as reporter::each.
void run_task(reporter& out, const std::vector<std::string>& files, const output_flags& outputs,
              const file_task& task, bool one_is_list = false);

}  // namespace papilio::cli
