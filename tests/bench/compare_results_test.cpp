#include "compare_results.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "made_results.hpp"

namespace papilio::test {
namespace {

using namespace bench;

void expect_line(const std::string& text, const std::string& line) {
  EXPECT_NE(text.find(line + '\n'), std::string::npos) << line << "\nin\n" << text;
}

TEST(compare_results, ratios_and_their_geometric_mean) {
  result_file b = made_results();
  *b.rows[0].host_one /= 2;  // b is twice as fast
  *b.rows[1].host_one *= 8;  // and an eighth as fast
  const std::string text = compare_results(made_results(), b);
  expect_line(text,
              "einsum ij,jk->ik 1024x1024x1024     2.000     1.000     1.000     1.000     1.000"
              "     1.000     1.000");
  expect_line(text,
              "fft 1-D n=256                       0.125     1.000     1.000         -     1.000"
              "     1.000     1.000 ~");
  expect_line(text,
              "geometric mean                      0.500     1.000     1.000     1.000     1.000"
              "     1.000     1.000");
}

TEST(compare_results, rows_of_one_file_only_and_other_computers_are_named) {
  result_file b = made_results();
  b.rows[1].shape = "n=512";
  b.blas_core = "SkylakeX";
  const std::string text = compare_results(made_results(), b);
  expect_line(text, "only in A: fft 1-D n=256");
  expect_line(text, "only in B: fft 1-D n=512");
  expect_line(text, "BLAS core: Prescott | SkylakeX");
}

TEST(compare_results, files_without_a_common_row_are_refused) {
  result_file b = made_results();
  for (result_row& row : b.rows) row.op = "other";
  EXPECT_THROW(compare_results(made_results(), b), std::runtime_error);
}

}  // namespace
}  // namespace papilio::test
