// Codelets and direct sums, each length by name.
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
        "(codelet 64 8 8)", "(codelet 128 16 8)", "(codelet 256 16 16)", "(codelet 512 8 8 8)",
        "(codelet 1024 16 8 8)", "(codelet 2048 16 16 8)", "(codelet 4096 16 16 16)"})
    expect_recipe<TypeParam>(text);
}

TYPED_TEST(short_recipes, direct_sums) {
  // Halves of 7, 8, ... 63: of less than a register, whole ones and one more.
  for (const std::size_t n : {15, 17, 31, 33, 35, 63, 65, 67, 97, 99, 113, 125, 127})
    expect_recipe<TypeParam>("(direct " + std::to_string(n) + ")");
}

// Inside of a convolution, which calls them split and in place.
TYPED_TEST(short_recipes, as_parts) {
  for (const char* text : {"(rader 17 (codelet 16 4 4))", "(rader 257 (codelet 256 16 16))",
                           "(bluestein 15 (codelet 32 4 8))",
                           "(bluestein 509 (codelet 1024 16 8 8))", "(bluestein 31 (direct 65))",
                           "(bluestein 100 (four_step 272 (stockham 16 16) (stockham 17 17)))"})
    expect_recipe<TypeParam>(text);
}

}  // namespace
}  // namespace papilio::test
