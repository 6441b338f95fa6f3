// Published test cases of FFT libraries: their inputs' kinds and tolerances, our inputs and oracle.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <string>

#include "transform/reference_run.hpp"

namespace papilio::test {
namespace {

class published : public testing::TestWithParam<reference_case> {};

void expect_close(const reference_case& c, const outcome& o) {
  ASSERT_EQ(o.got.size(), o.expected.size());
  long double greatest_error = 0, greatest = 0;
  for (std::size_t i = 0; i < o.got.size(); ++i) {
    const long double error = std::abs(o.got[i] - o.expected[i]), size = std::abs(o.expected[i]);
    greatest_error = std::max(greatest_error, error);
    greatest = std::max(greatest, size);
    if (c.judged == closeness::elements) {
      EXPECT_LE(error, c.absolute + c.relative * size) << "at " << i;
    }
  }
  if (c.judged == closeness::maximum) {
    EXPECT_LE(greatest_error, c.relative * greatest);
  }
  if (c.judged == closeness::two_bins) {
    for (const std::size_t bin : {5, 59})
      EXPECT_GT(std::abs(o.got[bin]), static_cast<long double>(o.got.size()) / 2 - 1);
  }
  EXPECT_LE(relative_error(o.got, o.expected), o.bound);
}

TEST_P(published, fft_case) {
  for (const outcome& o : run(GetParam())) expect_close(GetParam(), o);
}

INSTANTIATE_TEST_SUITE_P(cases, published, testing::ValuesIn(reference_cases()));

// The list in the repository is what is registered here, and its count is right.
TEST(published_list, is_what_is_registered) {
  std::ifstream file(PAPILIO_CASE_LIST);
  ASSERT_TRUE(file);
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

}  // namespace
}  // namespace papilio::test
