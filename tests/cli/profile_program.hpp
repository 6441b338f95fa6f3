#pragma once

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "cli/program.hpp"

namespace papilio::test {

/// papilio profile, without the environment's machine and runtime.
class profile_verb : public program_test {
 protected:
  profile_verb() {
    for (const char* name : {"PAPILIO_MACHINE", "PAPILIO_RUNTIME"}) unsetenv(name);
  }

  child_result profiled(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "profile");
    return run(std::move(arguments));
  }

  std::string report(const std::vector<std::string>& arguments) const {
    const child_result result = profiled(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_EQ(result.errors, "");
    return result.output;
  }

  nlohmann::json json_report(std::vector<std::string> arguments) const {
    arguments.emplace_back("--json");
    return nlohmann::json::parse(report(arguments));
  }

  /// Nothing on stdout, nothing written, and a message that holds each of `words`.
  void expect_refused(int code, const std::vector<std::string>& arguments,
                      const std::vector<std::string>& words) {
    const auto before = listing();
    const child_result result = profiled(arguments);
    EXPECT_EQ(result.exit_code, code) << arguments.front() << ": " << result.errors;
    EXPECT_EQ(result.output, "");
    for (const std::string& word : words)
      EXPECT_NE(result.errors.find(word), std::string::npos) << word << " in: " << result.errors;
    EXPECT_EQ(listing(), before);
  }
};

inline const std::vector<std::string> small_gemm = {"gemm", "m=8", "k=9", "n=10"};

inline std::vector<std::string> with(std::vector<std::string> arguments,
                                     const std::vector<std::string>& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

}  // namespace papilio::test
