// Codelets, two steps and direct sums, each length by name.
#include "fft/recipe_checks.hpp"

namespace papilio::test {
namespace {

template <class T>
class short_recipes : public testing::Test {};
using precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(short_recipes, precisions);

TYPED_TEST(short_recipes, codelets) {
  for (const char* text :
       {"(codelet 4 2 2)", "(codelet 8 4 2)", "(codelet 16 4 4)", "(codelet 32 4 8)",
        "(codelet 64 8 8)", "(codelet 128 16 8)", "(codelet 256 16 16)", "(codelet 512 8 4 16)",
        "(codelet 1024 16 4 16)", "(codelet 2048 16 8 16)", "(codelet 4096 16 8 8 4)",
        "(codelet 8192 16 8 8 8)"})
    expect_recipe<TypeParam>(text);
}

// Columns of every radix, in registers of every width, whole ones and ones that overlap; one pass
// and several behind them.
TYPED_TEST(short_recipes, two_steps) {
  for (const char* text :
       {"(two_step 4 2 2)",          "(two_step 6 2 3)",        "(two_step 6 3 2)",
        "(two_step 20 4 5)",         "(two_step 35 5 7)",       "(two_step 35 7 5)",
        "(two_step 72 8 9)",         "(two_step 72 9 8)",       "(two_step 112 7 16)",
        "(two_step 112 16 7)",       "(two_step 240 16 3 5)",   "(two_step 243 3 9 9)",
        "(two_step 360 4 9 2 5)",    "(two_step 630 9 2 5 7)",  "(two_step 1000 8 5 5 5)",
        "(two_step 1470 5 2 3 7 7)", "(two_step 2048 16 16 8)", "(two_step 2000 2 5 5 5 8)",
        "(two_step 36 6 6)",         "(two_step 60 10 6)",      "(two_step 60 15 4)",
        "(two_step 144 12 12)",      "(two_step 150 15 10)",    "(two_step 1800 10 12 15)",
        "(two_step 1920 16 15 8)"})
    expect_recipe<TypeParam>(text);
}

TYPED_TEST(short_recipes, direct_sums) {
  // Halves of 7, 8, ... 63: of less than a register, whole ones and one more.
  for (const std::size_t n : {15, 17, 31, 33, 35, 63, 65, 67, 97, 99, 113, 125, 127})
    expect_recipe<TypeParam>("(direct " + std::to_string(n) + ")");
}

// Inside of a convolution, which calls them split and in place.
TYPED_TEST(short_recipes, as_parts) {
  for (const char* text :
       {"(rader 17 (codelet 16 4 4))", "(rader 257 (codelet 256 16 16))",
        "(bluestein 15 (codelet 32 4 8))", "(bluestein 509 (codelet 1024 16 4 16))",
        "(bluestein 31 (direct 65))", "(rader 61 (two_step 60 4 3 5))",
        "(bluestein 100 (four_step 272 (stockham 16 16) (stockham 17 17)))"})
    expect_recipe<TypeParam>(text);
}

}  // namespace
}  // namespace papilio::test
