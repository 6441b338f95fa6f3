#include "support/case_list.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <string>

void papilio::test::expect_registered(const char* path) {
  std::ifstream file(path);
  ASSERT_TRUE(file) << path;
  std::size_t announced = 0;
  std::multiset<std::string> listed, registered;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.front() == '#') continue;
    if (announced == 0)
      announced = std::stoul(line);
    else
      listed.insert(line);
  }
  const auto& unit = *testing::UnitTest::GetInstance();
  for (int s = 0; s < unit.total_test_suite_count(); ++s) {
    const auto& suite = *unit.GetTestSuite(s);
    for (int t = 0; t < suite.total_test_count(); ++t)
      if (const char* const id = suite.GetTestInfo(t)->value_param()) registered.insert(id);
  }
  EXPECT_EQ(listed.size(), announced);
  EXPECT_EQ(listed, registered);
  EXPECT_EQ(std::set(listed.begin(), listed.end()).size(), announced) << "an id is there twice";
}
