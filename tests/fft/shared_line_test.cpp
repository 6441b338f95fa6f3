// A line that is shared by threads: recipes with a four-step in them.
#include "fft/recipe_checks.hpp"

#include <algorithm>

namespace papilio::test {
namespace {

template <class T>
class shared_line : public testing::Test {
 protected:
  void TearDown() override { forget_wisdom(); }
};
using precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(shared_line, precisions);

// Longer than one range of the products, so that these are shared too.
TYPED_TEST(shared_line, convolutions_share_their_transforms_and_products) {
  for (const char* text :
       {"(bluestein 1153 (four_step 2337 (stockham 41 41) (stockham 57 3 19)))",
        "(bluestein 1100 (four_step 2304 (stockham 48 4 4 3) (stockham 48 4 4 3)))",
        "(rader 2593 (four_step 2592 (stockham 54 2 3 9) (stockham 48 4 4 3)))",
        "(rader 1061 (bluestein 1060 (four_step 2304 (stockham 48 4 4 3) (stockham 48 4 4 3))))"})
    expect_recipe<TypeParam>(text);
}

// execute_axis, execute_batch and N-D plans give a single line to all threads, wherever it lies.
TYPED_TEST(shared_line, alone_in_an_array) {
  using complex = std::complex<TypeParam>;
  constexpr std::size_t n = 2304, apart = 3;
  const auto plan =
      plan_with<TypeParam>("(four_step 2304 (stockham 48 4 4 3) (stockham 48 4 4 3))");
  const auto x = random_complex<TypeParam>(n, 1);
  std::vector<complex> expected(n);
  plan.execute(x, expected);
  const auto expect_line = [&](std::span<const complex> out, std::size_t step) {
    for (std::size_t k = 0; k < n; ++k) ASSERT_EQ(out[k * step], expected[k]) << k;
  };
  for (const int threads : {1, 2, 3, 5}) {
    std::vector<complex> out(n);
    const extents_type<2> row{1, n};
    plan.execute_batch({x.data(), row}, {out.data(), row}, threads);
    expect_line(out, 1);
    std::vector<complex> strided_in(n * apart), strided_out(n * apart);
    for (std::size_t k = 0; k < n; ++k) strided_in[k * apart] = x[k];
    const extents_type<1> line{n};
    const strides_type<1> steps{apart};
    plan.execute_axis(view<const complex, 1>(strided_in.data(), line, steps),
                      view<complex, 1>(strided_out.data(), line, steps), 0, threads);
    expect_line(strided_out, apart);
    std::ranges::fill(out, complex());
    const fftn_plan<TypeParam> array({n, 1}, {0}, direction::forward,
                                     {.norm = normalization::none, .plan_effort = effort::measure});
    array.execute(view<const complex, 2>(x.data(), {n, 1}), view<complex, 2>(out.data(), {n, 1}),
                  threads);
    expect_line(out, 1);
  }
}

}  // namespace
}  // namespace papilio::test
