// Published test cases of FFT libraries: their inputs' kinds and tolerances, our inputs and oracle.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "support/case_list.hpp"
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
TEST(published_list, is_what_is_registered) { expect_registered(PAPILIO_CASE_LIST); }

}  // namespace
}  // namespace papilio::test
