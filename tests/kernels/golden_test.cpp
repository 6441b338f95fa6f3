// Ten whole profiles, which together show the forms of the text, against golden/NAME.txt, one for
// each line of golden/cases.txt; times of all kernels are in tests/times. After a change of the text,
// the model or one of their kernels:
//   PAPILIO_UPDATE_GOLDEN=1 build/release/tests/kernels/papilio_test_kernels
//   --gtest_filter='golden*'
// writes the texts as they are, for review.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include "kernels/runs.hpp"

namespace papilio::kernels::test {
namespace {

namespace fs = std::filesystem;

struct golden_case {
  std::string name;
  std::string kernel;
  std::vector<std::string> settings;
};

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.good()) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

// The lines of golden/cases.txt.
std::vector<golden_case> cases() {
  std::vector<golden_case> result;
  std::istringstream lines(contents(fs::path(PAPILIO_GOLDEN) / "cases.txt"));
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.front() == '#') continue;
    std::istringstream words(line);
    golden_case one;
    words >> one.name >> one.kernel;
    for (std::string setting; words >> setting;) one.settings.push_back(setting);
    result.push_back(std::move(one));
  }
  return result;
}

TEST(golden, profiles_are_those_that_were_reviewed) {
  const bool update = std::getenv("PAPILIO_UPDATE_GOLDEN") != nullptr;
  std::set<std::string> expected{"cases.txt"};
  for (const golden_case& one : cases()) {
    const std::string text = dry_profile(one.kernel, one.settings).to_text();
    const fs::path path = fs::path(PAPILIO_GOLDEN) / (one.name + ".txt");
    expected.insert(path.filename());
    if (update) std::ofstream(path, std::ios::binary) << text;
    EXPECT_EQ(contents(path), text) << "see the head of golden_test.cpp";
  }
  for (const auto& entry : fs::directory_iterator(PAPILIO_GOLDEN))
    EXPECT_TRUE(expected.contains(entry.path().filename())) << entry.path() << " is of no case";
}

}  // namespace
}  // namespace papilio::kernels::test
