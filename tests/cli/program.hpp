#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "support/child_process.hpp"
#include "support/temporary_directory.hpp"
#include "support/wav_bytes.hpp"

namespace papilio::test {

/// The program under test: PAPILIO_PROGRAM of the environment, else that of this build.
std::string program_path();

/// A folder of its own for each test, in which the program runs.
class program_test : public testing::Test {
 protected:
  child_result run(std::vector<std::string> arguments, child_options options = {}) const;

  /// A file of this folder.
  std::string path(const std::string& name) const { return directory / name; }
  /// Writes a mono 16-bit WAV of a 1 kHz sine at 8 kHz; its path.
  std::string write_sine(const std::string& name, std::size_t frames) const;
  /// Writes these bytes; the path.
  std::string write(const std::string& name, const std::string& bytes) const;
  /// Names in this folder, sorted.
  std::vector<std::string> listing() const;
  /// Runs the program, which is to end with this exit code and this reason, and to write nothing.
  void expect_refused(const std::vector<std::string>& arguments, int exit_code,
                      const std::string& reason) const;

  temporary_directory directory;
};

}  // namespace papilio::test
