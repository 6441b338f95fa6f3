#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace papilio::test {

/// The hash of what a run came to, by what was run: "host fft n=7 float".
using digest_lines = std::map<std::string, std::string>;

/// The lines of all runs. std::runtime_error, which names the run, where two threads come to other
/// bits than one.
digest_lines host_digest();

/// A file of "run : result" lines, sorted, after its comments, which begin with '#'.
struct digest_file {
  std::string comments;
  digest_lines lines;
};
/// std::runtime_error where the file cannot be read, or a line is none.
digest_file read_digest(const std::filesystem::path& path);
void write_digest(const std::filesystem::path& path, const digest_file& file);

/// A sentence for each run whose result differs from the file's, is not in the file, or is no
/// longer made.
std::vector<std::string> differences(const digest_lines& recorded, const digest_lines& made);

}  // namespace papilio::test
