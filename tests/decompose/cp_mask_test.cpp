// CP with missing elements.
#include "decompose/sample.hpp"

#include <algorithm>

namespace papilio::test {
namespace {

template <class T>
class masked_cp : public testing::Test {
 protected:
  static constexpr double epsilon = std::numeric_limits<T>::epsilon();
};
using elements = testing::Types<float, double>;
TYPED_TEST_SUITE(masked_cp, elements);

tensor<bool> random_mask(const sizes& extents, double share, unsigned seed) {
  std::mt19937 generator(seed);
  tensor<bool> mask{std::span<const std::size_t>(extents)};
  for (bool& there : mask.flat()) there = double(generator() >> 8) * 0x1p-24 < share;
  return mask;
}

TYPED_TEST(masked_cp, missing_elements_are_found_again) {
  using T = TypeParam;
  const sizes extents{9, 8, 7};
  const auto whole = naive_tensor<T>(normal_cp<T>(extents, 2, 1));
  const tensor<bool> mask = random_mask(extents, 0.6, 2);
  auto x = whole;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (!mask.data()[i]) x.data()[i] = std::numeric_limits<T>::quiet_NaN();
  double best = 2;
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const auto m =
        cp_als(x, 2, {.max_iterations = 500, .tolerance = 0, .seed = seed, .mask = mask.view()});
    best = std::min(best, naive_error(whole, m));
    EXPECT_NEAR(m.relative_error, naive_error(whole, m, &mask),
                0.01 * m.relative_error + 4 * this->epsilon);
  }
  // Rounding to T, through systems of condition numbers of some hundreds.
  EXPECT_LT(best, 500 * this->epsilon);
}

TYPED_TEST(masked_cp, with_nothing_missing_it_is_the_plain_one) {
  using T = TypeParam;
  const auto x = normal_tensor<T>({6, 5, 4, 3}, 3);
  tensor<bool> mask({6, 5, 4, 3});
  std::ranges::fill(mask.flat(), true);
  const cp_options<T> options{.max_iterations = 10, .tolerance = 0};
  cp_options<T> masked = options;
  masked.mask = mask.view();
  const auto a = cp_als(x, 3, options), b = cp_als(x, 3, masked);
  EXPECT_NEAR(a.relative_error, b.relative_error, 100 * this->epsilon);
  for (std::size_t r = 0; r < 3; ++r)
    EXPECT_NEAR(a.weights(r), b.weights(r), 1e4 * this->epsilon * double(a.weights(0)));
}

TYPED_TEST(masked_cp, errors_fall_and_are_told_truly) {
  using T = TypeParam;
  const sizes extents{7, 6, 5};
  const auto x = normal_tensor<T>(extents, 4);
  const tensor<bool> mask = random_mask(extents, 0.8, 5);
  for (const bool nonnegative : {false, true}) {
    const auto m = cp_als(
        x, 2,
        {.max_iterations = 30, .tolerance = 0, .nonnegative = nonnegative, .mask = mask.view()});
    EXPECT_NEAR(m.relative_error, naive_error(x, m, &mask), 16 * this->epsilon);
    for (std::size_t i = 1; i < 30; ++i)
      EXPECT_LE(m.iteration.history[i], m.iteration.history[i - 1] + 16 * this->epsilon);
    if (!nonnegative) continue;
    for (const auto& f : m.factors)
      for (const T v : f) EXPECT_GE(v, T(0));
  }
}

TYPED_TEST(masked_cp, slices_without_an_element_are_zero) {
  using T = TypeParam;
  const sizes extents{5, 4, 3};
  const auto x = normal_tensor<T>(extents, 6);
  tensor<bool> mask{std::span<const std::size_t>(extents)};
  std::ranges::fill(mask.flat(), true);
  std::fill_n(mask.data() + 2 * 12, 12, false);
  const auto m = cp_als(x, 2, {.max_iterations = 10, .mask = mask.view()});
  EXPECT_EQ(m.factors[0](2, 0), T(0));
  EXPECT_EQ(m.factors[0](2, 1), T(0));
}

TYPED_TEST(masked_cp, threads_and_strides_do_not_matter) {
  using T = TypeParam;
  const sizes extents{40, 41, 42};
  const auto x = normal_tensor<T>(extents, 7);
  const tensor<bool> mask = random_mask(extents, 0.5, 8);
  const scattered<T> y(x);
  const auto one = cp_als(x, 5, {.max_iterations = 2, .mask = mask.view(), .on = {.threads = 1}});
  EXPECT_TRUE(same_bits<T>(
      one, cp_als(y.view(), 5, {.max_iterations = 2, .mask = mask.view(), .on = {.threads = 3}})));
}

}  // namespace
}  // namespace papilio::test
