#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace papilio::cli {

/// Which files of a folder are looked at.
struct batch_choice {
  std::filesystem::path folder, out;
  bool recursive = false;
  /// Shell patterns, one of which a file's name must match, as the shell has it: a leading dot only
  /// by a dot. Empty: "*".
  std::vector<std::string> patterns = {};
};

struct batch_item {
  std::filesystem::path relative;  ///< to the folder
  std::filesystem::path output;    ///< relative to `out`, less the ending
  std::uint64_t bytes = 0;
};

struct batch_tree {
  std::vector<batch_item> items;           ///< by name
  std::vector<std::string> failures = {};  ///< folders that cannot be read, "PATH: reason"
};

/// The files, with their outputs in folders of the same names: the stem, or the whole name of files
/// that would otherwise share an output. Links to files count as files;
/// folders that are links, hidden or `out` itself are not entered. io_error if the folder cannot be
/// read.
batch_tree find_files(const batch_choice& choice);

}  // namespace papilio::cli
