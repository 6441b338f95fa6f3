// What a program says of verbs and flags of components that it is built without.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "support/child_process.hpp"
#include "support/scoped_variable.hpp"

namespace papilio::test {
namespace {

class missing_verb : public testing::Test {
 protected:
  static child_result run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), PAPILIO_MISSING_VERB_PROGRAM);
    return run_child(arguments);
  }

  static void expect_refusal(const std::vector<std::string>& arguments, const std::string& begin) {
    const child_result result = run(arguments);
    EXPECT_EQ(result.exit_code, 2) << result.output;
    EXPECT_EQ(result.output, "");
    EXPECT_EQ(result.errors.rfind("papilio: " + begin, 0), 0u) << result.errors;
  }

 private:
  const scoped_variable no_machine_{"PAPILIO_MACHINE", ""}, no_runtime_{"PAPILIO_RUNTIME", ""},
      no_policy_{"PAPILIO_POLICY", ""};
};

TEST_F(missing_verb, names_the_options_whatever_its_arguments_are) {
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"mp2"},
                                                    {"mp2", "x"},
                                                    {"mp2", "--help"},
                                                    {"mp2", "-h", "--version"},
                                                    {"mp2", "--", "x"},
                                                    {"mp2", "einsum", "--threads", "many"}})
    expect_refusal(arguments,
                   "mp2 is not in this build, which has no PAPILIO_TENSOR and no PAPILIO_DEVICE; "
                   "configure with -DPAPILIO_TENSOR=ON -DPAPILIO_DEVICE=ON\n");
}

TEST_F(missing_verb, is_listed_as_not_in_this_build) {
  const child_result help = run({"--help"});
  EXPECT_EQ(help.exit_code, 0) << help.errors;
  EXPECT_NE(help.output.find(" Not in this build, which has no PAPILIO_TENSOR and no "
                             "PAPILIO_DEVICE\n"),
            std::string::npos)
      << help.output;
}

TEST_F(missing_verb, leaves_the_others_as_they_are) {
  const child_result result = run({"einsum", "--threads", "3", "--policy", "host"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(result.output, "3");
}

constexpr const char* no_accelerator =
    "an accelerator is not in this build, which has no PAPILIO_DEVICE; configure with "
    "-DPAPILIO_DEVICE=ON\n";

TEST_F(missing_verb, flags_that_ask_for_an_accelerator_are_refused) {
  for (const auto& [flag, value] : {std::pair<std::string, std::string>{"--machine", "trainium1"},
                                    {"--runtime", "sdk_2_24"},
                                    {"--policy", "device"},
                                    {"--policy", "automatic"}})
    expect_refusal({"einsum", flag, value}, flag + " " + value + ": " + no_accelerator);
  expect_refusal({"einsum", "--policy", "host", "--machine", "trainium1"}, "--machine trainium1: ");
}

TEST_F(missing_verb, an_environment_that_asks_for_an_accelerator_is_refused) {
  for (const auto& [name, value] :
       {std::pair<std::string, std::string>{"PAPILIO_MACHINE", "trainium1"},
        {"PAPILIO_RUNTIME", "sdk_2_24"},
        {"PAPILIO_POLICY", "automatic"}}) {
    const scoped_variable asked(name.c_str(), value);
    expect_refusal({"einsum"}, name + " " + value + ": " + no_accelerator);
  }
  const scoped_variable bad("PAPILIO_POLICY", "abacus");
  expect_refusal({"einsum"}, "PAPILIO_POLICY must be host, device or automatic, got \"abacus\"\n");
  EXPECT_EQ(run({"einsum", "--policy", "host"}).exit_code, 0);
}

}  // namespace
}  // namespace papilio::test
