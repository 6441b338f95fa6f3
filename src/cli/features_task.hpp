#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/excerpt.hpp"
#include "cli/feature_flags.hpp"
#include "cli/feature_table.hpp"
#include "cli/task.hpp"

namespace papilio::cli {

/// Of all segments; NaN where any is.
struct column_summary {
  std::string name;
  double minimum, mean, maximum;
};

struct feature_report {
  sound_info info;
  excerpt part;  ///< what was analysed
  std::uint64_t segments = 0, replaced_samples = 0;
  std::vector<column_summary> columns = {};
  std::vector<std::string> warnings = {};
};

/// Features of any file.
struct features_task {
  sound_options sound;
  excerpt_request part;
  stft_options stft;  ///< one-sided and unscaled
  feature_selection what;
  table_format format = table_format::csv;
  bool with_time = true;

  /// Streams the file, and its table to `out` if that is not empty; the table appears whole or not
  /// at all. io_error for anything the files are to blame for, a sound too short for one segment
  /// and mel bands beyond half its rate among them.
  feature_report run(const std::string& file, const std::filesystem::path& out,
                     const task_context& context) const;
};

}  // namespace papilio::cli
