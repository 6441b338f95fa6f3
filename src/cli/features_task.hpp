#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/excerpt_reader.hpp"
#include "cli/feature_flags.hpp"
#include "cli/feature_table.hpp"
#include "cli/stft_flags.hpp"
#include "cli/task.hpp"

namespace papilio::cli {

/// Of all segments; NaN where any is.
struct column_summary {
  std::string name;
  double minimum, mean, maximum;
};

struct feature_report {
  sound_facts sound;
  stft_options stft;
  std::uint64_t segments = 0;
  std::vector<column_summary> columns = {};
  std::vector<std::string> warnings = {};
};

/// Features of any file.
struct features_task {
  sound_options sound;
  excerpt_request part;
  stft_flags stft;  ///< --scaling does not matter
  feature_selection what;
  table_format format = table_format::csv;
  bool with_time = true;

  /// Streams the file, and its table to `out` if that is not empty; the table appears whole or not
  /// at all. Levels below the highest of the sound take a pass of their own. io_error for anything
  /// the files are to blame for, a sound too short for one segment and mel bands beyond half its
  /// rate among them.
  feature_report run(const std::string& file, const std::filesystem::path& out,
                     const task_context& context) const;
};

}  // namespace papilio::cli
