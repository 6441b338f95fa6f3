#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace papilio::cli {

/// What made the outputs of a folder, one line of OUT/.papilio-batch for each: the settings, the
/// input's size, time of change and inode, and the size and time of every file that was made. An
/// output that is not as it is written there is made again. For use by many threads at once.
class batch_ledger {
 public:
  /// The input before the work on it; empty where there is no such file.
  using stamp = std::string;
  static stamp stamp_of_input(const std::filesystem::path& input);

  /// Reads what there is: nothing, with a warning, where that is no regular file or a link.
  /// `settings` is all that decides what an output holds, but for the input.
  batch_ledger(const std::filesystem::path& out, const std::string& settings);
  ~batch_ledger();
  batch_ledger(const batch_ledger&) = delete;
  batch_ledger& operator=(const batch_ledger&) = delete;

  /// Whether all of `made`, of which the first is the output, are there as they were left by these
  /// settings from this input.
  bool holds(const stamp& input, const std::vector<std::filesystem::path>& made) const;
  /// Notes them. Where that cannot be written, one warning is given, and the next run makes them
  /// again.
  void add(const stamp& input, const std::vector<std::filesystem::path>& made);

 private:
  void read();
  void read_line(std::string_view line);
  std::string name_of(const std::filesystem::path& made) const;
  void warn_of(const std::string& reason);

  std::filesystem::path out_;
  std::string settings_;                      // their hash
  std::map<std::string, std::string> lines_;  // by the output's name
  int descriptor_ = -1;
  bool is_line_open_ = false;  // the last line has no end: the program was stopped there
  bool warned_ = false;
  mutable std::mutex mutex_;
};

}  // namespace papilio::cli
