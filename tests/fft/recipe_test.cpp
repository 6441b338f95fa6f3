#include <gtest/gtest.h>

#include "papilio/fft.hpp"

namespace papilio {
namespace {

std::string design_of(std::size_t n) { return to_string(fft_plan<float>(n).design()); }

TEST(recipe, golden) {
  EXPECT_EQ(design_of(1), "(stockham 1)");
  EXPECT_EQ(design_of(2), "(stockham 2 2)");
  EXPECT_EQ(design_of(16), "(stockham 16 4 4)");
  EXPECT_EQ(design_of(1000), "(stockham 1000 8 5 5 5)");
  EXPECT_EQ(design_of(1024), "(stockham 1024 16 16 4)");
  EXPECT_EQ(design_of(65536), "(stockham 65536 16 16 16 16)");
  EXPECT_EQ(design_of(13), "(stockham 13 13)");
  EXPECT_EQ(design_of(1009), "(rader 1009 (stockham 1008 16 7 3 3))");
  EXPECT_EQ(design_of(65537), "(rader 65537 (stockham 65536 16 16 16 16))");
  EXPECT_EQ(design_of(1019), "(bluestein 1019 (stockham 2048 16 16 8))");  // 1018 = 2 * 509
  EXPECT_EQ(to_string(rfft_plan<float>(2048).design()), "(real 2048 (stockham 1024 16 16 4))");
  EXPECT_EQ(to_string(rfft_plan<float>(15).design()), "(real 15 (stockham 15 5 3))");
}

TEST(recipe, is_a_value_that_fits_its_length) {
  for (std::size_t n = 1; n <= 2000; ++n) {
    const recipe r = fft_plan<float>(n).design();
    EXPECT_EQ(r, fft_plan<double>(n, direction::inverse).design());
    EXPECT_EQ(r.n, n);
    const recipe& passes = r.kind == recipe_kind::stockham ? r : r.parts.at(0);
    if (r.kind == recipe_kind::bluestein) {
      EXPECT_GE(passes.n, 2 * n - 1);
    }
    if (r.kind == recipe_kind::rader) {
      EXPECT_EQ(passes.n, n - 1);
    }
    std::size_t product = 1;
    for (const std::size_t radix : passes.radices) product *= radix;
    EXPECT_EQ(product, passes.n);
  }
}

TEST(recipe, a_batch_runs_what_a_line_runs) {
  const fft_plan<double> plan(480);
  EXPECT_EQ(plan.design({.count = 100, .line_stride = 480}), plan.design());
}

}  // namespace
}  // namespace papilio
