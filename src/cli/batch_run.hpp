#pragma once

#include "cli/sound_verb.hpp"

namespace papilio::cli {

/// The outcome of the work on one file.
enum class batch_status { done, skipped, failed };

struct batch_item {
  std::filesystem::path relative;  ///< to the folder
  std::filesystem::path output;    ///< relative to `out`, less the ending
  std::uint64_t bytes = 0;
  batch_status status = batch_status::failed;
  std::string error = {};  ///< begins with the file's name; empty unless failed
  std::vector<std::string> warnings = {};
};

/// One of `count` processes that share a folder's files; the first is number 1.
struct batch_part {
  std::size_t number = 1, count = 1;

  bool is_whole() const { return count == 1; }
};

/// A batch run: which files of a folder are read, and which outputs are made of each.
struct batch_job {
  std::filesystem::path folder, out;
  bool recursive = false;
  /// Shell patterns, one of which a file's name must match, as the shell has it: a leading dot only
  /// by a dot. Empty: "*".
  std::vector<std::string> patterns = {};
  /// Kinds of outputs: "png", "csv", ... None: the task keeps what it finds, and `out` is not used.
  std::vector<std::string> formats = {};
  std::string companion = {};  ///< as of output_kinds
  file_task task = {};         ///< called by many threads at once
  std::string settings = {};   ///< all that decides what the outputs hold
  std::size_t threads = 1;
  bool resume = false;
  bool no_clobber = false;  ///< a file of which an output is there already fails
  batch_part part = {};     ///< names the ledger that this process writes

  /// The outputs of a file, in this folder.
  std::vector<output> outputs_of(const batch_item& item, const std::filesystem::path& in) const;
};

struct batch_tree {
  std::vector<batch_item> items;           ///< by name
  std::vector<std::string> failures = {};  ///< folders that cannot be read, "PATH: reason"
};

/// The files, with their outputs in folders of the same names: the stem, or the whole name of files
/// that would otherwise share an output. Links to files count as files;
/// folders that are links, hidden or `out` itself are not entered. io_error if the folder cannot be
/// read.
batch_tree find_files(const batch_job& job);

/// Leaves every count-th file, from the part's own number on: of the same files each is in one part.
void keep_part(std::vector<batch_item>& items, const batch_part& part);

/// Does the work on each file; folders for outputs are made as they are needed. With `resume`, a
/// file whose outputs are as the ledger says these settings made them from this file is skipped. An
/// output that is a symbolic link, or is to lie behind one, fails. Failures and warnings are printed
/// on stderr as they happen, and none stops the rest.
void run_batch(const batch_job& job, std::vector<batch_item>& items);

}  // namespace papilio::cli
