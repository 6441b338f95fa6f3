#include <gtest/gtest.h>

#include <string>

#include "papilio/fft.hpp"

namespace papilio {
namespace {

std::string design_of(std::size_t n) { return to_string(fft_plan<float>(n).design()); }

TEST(recipe, golden) {
  EXPECT_EQ(design_of(1), "(stockham 1)");
  EXPECT_EQ(design_of(2), "(two_step 2 2)");
  EXPECT_EQ(design_of(4), "(codelet 4 2 2)");
  EXPECT_EQ(design_of(8), "(codelet 8 4 2)");
  EXPECT_EQ(design_of(16), "(codelet 16 4 4)");
  EXPECT_EQ(design_of(256), "(codelet 256 16 16)");
  EXPECT_EQ(design_of(6), "(two_step 6 6)");
  EXPECT_EQ(design_of(1000), "(two_step 1000 4 5 5 10)");
  EXPECT_EQ(design_of(1100), "(stockham 1100 11 4 5 5)");
  EXPECT_EQ(design_of(2187), "(four_step 2187 (stockham 27 9 3) (stockham 81 9 9))");
  EXPECT_EQ(design_of(1024), "(codelet 1024 16 4 16)");
  EXPECT_EQ(design_of(8192), "(codelet 8192 16 8 8 8)");
  EXPECT_EQ(design_of(4410), "(four_step 4410 (stockham 63 9 7) (stockham 70 7 2 5))");
  EXPECT_EQ(design_of(65536), "(four_step 65536 (stockham 256 4 8 8) (stockham 256 4 8 8))");
  EXPECT_EQ(design_of(13), "(stockham 13 13)");
  EXPECT_EQ(design_of(17), "(direct 17)");
  EXPECT_EQ(design_of(1009), "(rader 1009 (stockham 1008 16 9 7))");
  EXPECT_EQ(design_of(65537),
            "(rader 65537 (four_step 65536 (stockham 256 4 8 8) (stockham 256 4 8 8)))");
  EXPECT_EQ(design_of(1019), "(bluestein 1019 (codelet 2048 16 8 16))");  // 1018 = 2 * 509
  EXPECT_EQ(to_string(rfft_plan<float>(2048).design()), "(real 2048 (codelet 1024 16 4 16))");
  EXPECT_EQ(to_string(rfft_plan<float>(15).design()), "(real 15 (direct 15))");
  EXPECT_EQ(to_string(fft_plan<long double>(1024).design()), "(stockham 1024 8 8 4 4)");
}

// n as the recipe makes it.
std::size_t length_of(const recipe& r) {
  std::size_t product = 1;
  switch (r.kind) {
    case recipe_kind::codelet:
    case recipe_kind::two_step:
    case recipe_kind::stockham:
      for (const std::size_t radix : r.radices) product *= radix;
      return product;
    case recipe_kind::four_step:
      return length_of(r.parts.at(0)) * length_of(r.parts.at(1));
    case recipe_kind::rader:
      return length_of(r.parts.at(0)) + 1;
    case recipe_kind::bluestein:
      EXPECT_GE(length_of(r.parts.at(0)), 2 * r.n - 1);
      return r.n;
    default:
      return r.n;
  }
}

TEST(recipe, is_a_value_that_fits_its_length) {
  for (std::size_t n = 1; n <= 2000; ++n) {
    const recipe r = fft_plan<float>(n).design();
    EXPECT_EQ(r, fft_plan<double>(n, direction::inverse).design());
    EXPECT_EQ(r.n, n);
    EXPECT_EQ(length_of(r), n) << to_string(r);
  }
}

TEST(recipe, is_read_back_from_its_text) {
  for (std::size_t n = 1; n <= 2000; ++n) {
    const recipe r = fft_plan<float>(n).design();
    EXPECT_EQ(parse_recipe(to_string(r)), r);
  }
  for (const std::size_t n : {2, 15, 1000, 2018}) {
    const recipe r = rfft_plan<float>(n).design();
    EXPECT_EQ(parse_recipe(to_string(r)), r);
    using enum trigonometric_kind;
    for (const trigonometric_kind kind : {dct1, dct2, dct3, dct4, dst1, dst2, dst3, dst4}) {
      const recipe t = dct_plan<float>(n, kind).design();
      EXPECT_EQ(parse_recipe(to_string(t)), t);
    }
  }
}

std::string complaint(std::string_view text) {
  try {
    parse_recipe(text);
  } catch (const invalid_argument& e) {
    return e.what();
  }
  return "none";
}

TEST(recipe, text_that_is_no_recipe_is_refused_with_its_place) {
  EXPECT_EQ(complaint(""), "parse_recipe: expected \"(\" at character 1, found the end");
  EXPECT_EQ(complaint("(stockham 8 8"),
            "parse_recipe: expected a blank or \")\" at character 14, found the end");
  EXPECT_EQ(complaint("(sandwich 8 8)"),
            "parse_recipe: expected the kind of a recipe at character 2, found \"sandwich 8 8)\"");
  EXPECT_EQ(complaint("(stockham 8 8) "),
            "parse_recipe: expected the end at character 15, found \" \"");
  EXPECT_EQ(complaint("(stockham 8 x)"),
            "parse_recipe: expected a number from 1 to 2^64 - 1 at character 13, found \"x)\"");
  for (const char* text : {"(", "()", "(stockham)", "(stockham )", "(stockham 08 8)",
                           "(stockham -8 8)", "(stockham  8 8)", "(stockham 8 8)\n", "(stockham 0)",
                           "(stockham 8,8)", "(stockham 18446744073709551616 2)", "(Stockham 8 8)",
                           "(stockham 8 8))", "(bluestein 67 (stockham 144 16 3 3) 4)"})
    EXPECT_NE(complaint(text), "none") << text;
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += "(real 1 ";
  EXPECT_NE(complaint(deep), "none");
}

TEST(recipe, text_of_what_cannot_be_built_is_refused_by_rule) {
  const auto refused = [](std::string_view text, const std::string& rule) {
    EXPECT_EQ(complaint(text), "parse_recipe: " + std::string(text) + ": " + rule);
  };
  const std::string product = "the radices must multiply to n";
  const std::string radix = "a radix must be 2, 4, 8, 16, or odd from 3 to 61";
  refused("(stockham 8 4 4)", product);
  refused("(stockham 8)", product);
  refused("(stockham 1 16 16 16 16 16 16 16 16 16 16 16 16 16 16 16 16)", product);
  refused("(stockham 64 32 2)", radix);
  refused("(stockham 3 3 1)", radix);
  refused("(stockham 67 67)", radix);
  refused("(stockham 8 8 (stockham 1))", "it has no parts");
  refused("(bluestein 67 8)", "it has one part, a recipe in parentheses");
  refused("(bluestein 67 8 (stockham 144 16 3 3))",
          "only codelet, two_step and stockham have radices");
  refused("(bluestein 67 (stockham 132 4 11 3))",
          "its part must have a length of at least 2 n - 1");
  refused("(bluestein 67 (stockham 1024 16 16 4))",
          "its part must have a length of about 8 n at most");
  refused("(bluestein 1 (stockham 1))", "n must be at least 2");
  refused("(bluestein 67 (real 144 (stockham 72 8 3 3)))", "its part must be complex");
  refused("(rader 9 (stockham 8 8))", "n must be an odd prime less than 2^32");
  refused("(rader 2 (stockham 1))", "n must be an odd prime less than 2^32");
  refused("(rader 11 (stockham 5 5))", "its part must have the length n - 1");
  refused("(real 10 (stockham 10 5 2))",
          "its part must have the length n / 2, or n where n is odd");
  refused("(dct1 1 (real 1 (stockham 1)))", "n must be at least 2");
  refused("(dct1 5 (real 5 (stockham 5 5)))", "its part must have the length 2 (n - 1)");
  refused("(dst1 5 (real 5 (stockham 5 5)))", "its part must have the length 2 (n + 1)");
  refused("(dct2 5 (stockham 5 5))", "its part must be real");
  refused("(dst3 5 (real 4 (stockham 2 2)))", "its part must have the length n");
  refused("(dct4 8 (stockham 8 8))", "its part must have the length n / 2");
  EXPECT_NE(complaint("(rader 4294967311 (stockham 1))"), "none");
  EXPECT_NE(complaint("(rader 11 (stockham 10 10))"), "none");
}

TEST(recipe, text_of_what_has_no_code_is_refused_by_rule) {
  const auto refused = [](const char* rule, const std::vector<std::string>& texts) {
    for (const std::string& text : texts)
      EXPECT_EQ(complaint(text), "parse_recipe: " + text + ": " + rule);
  };
  refused("no codelet has this length and these factors",
          {"(codelet 16 8 2)", "(codelet 16)", "(codelet 512 32 16)", "(codelet 16384 16 16 8 8)",
           "(codelet 32 8 4)", "(codelet 16 4 4 (stockham 1))"});
  refused("radices of 2 ... 10, 12, 15 or 16 must multiply to n, at most 2048",
          {"(two_step 6)", "(two_step 11 11)", "(two_step 8 4 4)", "(two_step 22 2 11)",
           "(two_step 4096 16 16 16)", "(two_step 6 2 3 (stockham 1))"});
  refused("n must be odd, from 15 to 127, without radices",
          {"(direct 13)", "(direct 16)", "(direct 129)", "(direct 17 17)"});
  refused("it has two parts, recipes in parentheses",
          {"(four_step 256)", "(four_step 256 (stockham 16 16))"});
  refused("only codelet, two_step and stockham have radices",
          {"(four_step 256 16 (stockham 16 16) (stockham 16 16))"});
  refused("its parts must be stockham", {"(four_step 256 (codelet 16 4 4) (stockham 16 16))"});
  refused("its parts must have a length of at least 16",
          {"(four_step 128 (stockham 8 8) (stockham 16 16))"});
  refused("its parts must multiply to n", {"(four_step 257 (stockham 16 16) (stockham 16 16))",
                                           "(four_step 16 (stockham 16 16) (stockham 16 16))"});
}

TEST(recipe, a_batch_runs_what_a_line_runs) {
  const fft_plan<double> plan(480);
  EXPECT_EQ(plan.design({.count = 100, .line_stride = 480}), plan.design());
}

}  // namespace
}  // namespace papilio
