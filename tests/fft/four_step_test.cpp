#include "fft/recipe_checks.hpp"

namespace papilio::test {
namespace {

template <class T>
class four_step : public testing::Test {};
using precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(four_step, precisions);

// Factors of whole registers; with a last block that overlaps, of rows, of columns and of both;
// of one pass and of several, which differ in where they leave a tile.
TYPED_TEST(four_step, factors_of_every_kind) {
  for (const char* text : {"(four_step 256 (stockham 16 16) (stockham 16 16))",
                           "(four_step 272 (stockham 17 17) (stockham 16 16))",
                           "(four_step 272 (stockham 16 16) (stockham 17 17))",
                           "(four_step 437 (stockham 19 19) (stockham 23 23))",
                           "(four_step 540 (stockham 27 3 9) (stockham 20 4 5))",
                           "(four_step 976 (stockham 61 61) (stockham 16 4 4))",
                           "(four_step 1024 (stockham 16 8 2) (stockham 64 4 4 4))",
                           "(four_step 1485 (stockham 33 3 11) (stockham 45 9 5))",
                           "(four_step 1568 (stockham 98 7 2 7) (stockham 16 2 8))",
                           "(four_step 1547 (stockham 17 17) (stockham 91 13 7))"})
    expect_recipe<TypeParam>(text);
}

}  // namespace
}  // namespace papilio::test
