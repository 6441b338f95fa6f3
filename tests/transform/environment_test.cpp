// PAPILIO_POLICY, PAPILIO_MACHINE, PAPILIO_RUNTIME and PAPILIO_CORES: read once, so each case is a process.
#include <gtest/gtest.h>

#include <filesystem>
#include <iostream>

#include "papilio/base.hpp"
#include "papilio/dispatch.hpp"
#include "papilio/engine/environment.hpp"
#include "papilio/transform.hpp"
#include "support/child_process.hpp"

namespace papilio {
namespace {

// What the child does: a transform of a program that lets the environment decide.
TEST(environment_child, DISABLED_runs_a_transform) {
  try {
    const std::vector<std::complex<float>> x(16, 1.0F);
    fft(x, {.on = execution_from_environment()});
    std::cout << "first " << last_run().backend << " " << last_run().machine << "\n";
    fft(x);
    std::cout << "second " << last_run().backend << "\n";
  } catch (const error& e) {
    std::cout << "refused: " << e.what() << "\n";
  }
}

std::string output_with(const std::vector<std::string>& variables) {
  std::vector<std::string> command{"/usr/bin/env",    "-u", "PAPILIO_POLICY",  "-u",
                                   "PAPILIO_MACHINE", "-u", "PAPILIO_RUNTIME", "-u",
                                   "PAPILIO_CORES"};
  command.insert(command.end(), variables.begin(), variables.end());
  command.push_back(std::filesystem::read_symlink("/proc/self/exe"));
  command.emplace_back("--gtest_also_run_disabled_tests");
  command.emplace_back("--gtest_filter=environment_child.*");
  return test::run_child(command).output;
}

void expect_says(const std::vector<std::string>& variables, const std::string& line) {
  const std::string output = output_with(variables);
  EXPECT_NE(output.find(line), std::string::npos) << "not \"" << line << "\" in:\n" << output;
}

TEST(environment, decides_where_arguments_say_nothing) {
  expect_says({}, "first host");
  expect_says({"PAPILIO_MACHINE=trainium1"}, "first host");
  expect_says({"PAPILIO_POLICY=device", "PAPILIO_MACHINE=trainium1"},
              "first device trainium1\nsecond host");
  expect_says({"PAPILIO_POLICY=device", "PAPILIO_RUNTIME=sdk_2_24"}, "first device trainium1");
  expect_says({"PAPILIO_POLICY=automatic", "PAPILIO_MACHINE=trainium2"}, "first host");
  expect_says({"PAPILIO_POLICY=device", "PAPILIO_CORES=4"}, "first device trainium1, 4 cores");
  expect_says({"PAPILIO_POLICY=device", "PAPILIO_CORES=1"}, "first device trainium1\n");
}

TEST(environment, bad_values_are_named) {
  expect_says({"PAPILIO_POLICY=gpu"},
              "refused: PAPILIO_POLICY must be host, device or automatic, got \"gpu\"");
  expect_says({"PAPILIO_POLICY=device"}, "refused: fft: policy::device needs an accelerator");
  for (const char* variable : {"PAPILIO_MACHINE", "PAPILIO_RUNTIME"}) {
    const std::string output =
        output_with({"PAPILIO_POLICY=device", std::string(variable) + "=nowhere"});
    EXPECT_NE(output.find("refused: "), std::string::npos) << output;
    EXPECT_NE(output.find("nowhere"), std::string::npos) << output;
  }
  for (const std::string bad : {"0", "4097", "4x", "many"})
    expect_says({"PAPILIO_CORES=" + bad},
                "refused: PAPILIO_CORES must be a whole number of 1 to 4096, got \"" + bad + "\"");
}

}  // namespace
}  // namespace papilio
