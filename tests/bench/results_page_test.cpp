#include "results_page.hpp"

#include <filesystem>

#include <gtest/gtest.h>

#include "made_results.hpp"

namespace papilio::test {
namespace {

using namespace bench;

void expect_part(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << part << "\nin\n" << text;
}

TEST(results_page, times) {
  EXPECT_EQ(time_text({}), "-");
  EXPECT_EQ(time_text(1.234e-6), "1.23 us");
  EXPECT_EQ(time_text(0.00099949), "999 us");
  EXPECT_EQ(time_text(0.001), "1.00 ms");
  EXPECT_EQ(time_text(0.0456), "45.6 ms");
  EXPECT_EQ(time_text(27.5), "27.5 s");
}

TEST(results_page, rows) {
  const std::string page = results_page(made_results(), "made.json");
  expect_part(page, "`benchmark_results/made.json`");
  expect_part(page, "kernels of **Prescott**, as papilio or it chose");
  expect_part(page,
              "| einsum ij,jk->ik | 1024x1024x1024 | 2.15 G | 2.50 ms | 1.00 ms | 40.0 ms | 20.0 "
              "ms | 50.0 ms | 30.0 ms | 8.00 | 20.0 | 4.02 ms | 3.40 ms |\n");
  expect_part(page,
              "| fft 1-D | n=256 | 10.2 k | 850 us | 605 us | 1.00 us ~ | 2.00 us | 1.50 us | - | "
              "0.0012 | 0.0017 | 10.0 ms | 10.5 us |\n");
  expect_part(page,
              "| tucker_decompose | 16^3 | - | not built yet | - | - | - | - | - | - | - | 859 us "
              "* | - |\n\n\\* tucker_decompose 16^3: the host ran.\n");
  expect_part(page,
              "| einsum ij,jk->ik | 1024x1024x1024 | 500 us | 1.50 ms | 500 us | 20.0 s | 3.0e-07 "
              "| 4.0e-07 | 500 | none up to 4096 | side of the matrices |\n");
}

TEST(results_page, the_reading_follows_the_numbers) {
  const std::string text = reading_of(made_results());
  expect_part(text, "faster than this host in 1 of 2 rows: einsum ij,jk->ik 1024x1024x1024.\n");
  expect_part(text, "above 90 % in 1 of 2;");
  expect_part(text, "from the host and back from 500 on (0.25 GFLOP)");
  expect_part(text, "with resident operands not up to 4096");
  expect_part(text, "by a factor of 11.81 (geometric mean of 1 rows)");  // 10034.8 / 850
  expect_part(text, "kernels of Prescott, its own choice");
  result_file slow = made_results();
  slow.rows[0].device_warm = 0.03;
  expect_part(reading_of(slow), "in 0 of 2 rows: none.\n");
}

TEST(results_page, is_what_the_newest_results_make) {
  const std::filesystem::path newest = newest_results(PAPILIO_BENCHMARK_RESULTS);
  EXPECT_EQ(read_text(PAPILIO_BENCHMARKS_PAGE),
            results_page(read_results(newest), newest.filename().string()))
      << "bench/run --page makes it anew";
}

}  // namespace
}  // namespace papilio::test
