#include "papilio/version.hpp"

#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <iterator>
#include <string>

namespace papilio {
namespace {

TEST(version, header_agrees_with_the_build) {
  EXPECT_STREQ(PAPILIO_VERSION, PAPILIO_PROJECT_VERSION);
  const std::array numbers{PAPILIO_VERSION_MAJOR, PAPILIO_VERSION_MINOR, PAPILIO_VERSION_PATCH};
  const std::array expected{PAPILIO_PROJECT_VERSION_NUMBERS};
  EXPECT_EQ(numbers, expected);
}

TEST(version, citation_names_it) {
  std::ifstream file(PAPILIO_CITATION);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  EXPECT_NE(text.find("\nversion: " PAPILIO_VERSION "\n"), std::string::npos);
}

}  // namespace
}  // namespace papilio
