#include "cli/program.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <numbers>

namespace papilio::test {

namespace fs = std::filesystem;

std::string program_path() {
  const char* const other = std::getenv("PAPILIO_PROGRAM");
  return other != nullptr ? other : PAPILIO_PROGRAM;
}

child_result program_test::run(std::vector<std::string> arguments, child_options options) const {
  arguments.insert(arguments.begin(), program_path());
  if (options.directory.empty()) options.directory = directory.path();
  child_result result = run_child(arguments, options);
  EXPECT_FALSE(result.timed_out);
  EXPECT_EQ(result.signal, 0) << result.errors;
  return result;
}

std::string program_test::write_sine(const std::string& name, std::size_t frames) const {
  std::vector<std::int32_t> samples(frames);
  for (std::size_t i = 0; i < frames; ++i)
    samples[i] = static_cast<std::int32_t>(
        std::lround(16384 * std::sin(2 * std::numbers::pi * 1000 * static_cast<double>(i) / 8000)));
  return write(name, wav_bytes{.data = pcm_bytes(samples, 16)}.file());
}

std::string program_test::write(const std::string& name, const std::string& bytes) const {
  write_bytes(directory / name, bytes);
  return path(name);
}

std::vector<std::string> program_test::listing() const {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(directory.path()))
    names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

void program_test::expect_refused(const std::vector<std::string>& arguments, int exit_code,
                                  const std::string& reason) const {
  const auto before = listing();
  const child_result result = run(arguments);
  EXPECT_EQ(result.exit_code, exit_code) << result.output << result.errors;
  EXPECT_EQ(result.output, "");
  EXPECT_NE(result.errors.find(reason), std::string::npos) << result.errors;
  EXPECT_EQ(listing(), before);
}

}  // namespace papilio::test
