#pragma once

#include <filesystem>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace papilio::cli {

/// A ledger of a folder's outputs, a line of OUT/.papilio-batch for each input: the settings, the
/// input's size, time of change and inode, and the size and time of every file that was made. An
/// output that differs from its entry is made again. Processes that share a folder write a
/// ledger each (.papilio-batch-1-of-2), since network file systems lose lines that several append
/// to one file; each reads all of them. For use by many threads at once.
class batch_ledger {
 public:
  /// The input before the work on it; empty where there is no such file.
  using stamp = std::string;
  static stamp stamp_of_input(const std::filesystem::path& input);

  /// Reads what there is: nothing, with a warning, where that is no regular file or a link.
  /// `settings` is all that decides what an output holds, but for the input. `ending` is that of
  /// the ledger's own name.
  batch_ledger(const std::filesystem::path& out, const std::string& settings,
               const std::string& ending);
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
  int opened(const std::filesystem::path& ledger, int flags);
  bool read(int descriptor);  // whether its last line has no end
  std::string line_of(const stamp& input, const std::vector<std::filesystem::path>& made) const;
  void warn_of(const std::filesystem::path& ledger, const std::string& reason);

  std::filesystem::path out_, own_;
  std::string settings_;         // their hash
  std::set<std::string> lines_;  // of these settings, in all ledgers
  int descriptor_ = -1;
  bool is_line_open_ = false;  // the last line has no end: the program was stopped there
  bool warned_ = false;
  mutable std::mutex mutex_;
};

}  // namespace papilio::cli
