// Tensor trains: known ranks are found, tolerances are met, rounding is that of the array.
#include "decompose/sample.hpp"

#include <algorithm>

namespace papilio::test {
namespace {

template <class T>
class train : public testing::Test {
 protected:
  static constexpr double epsilon = std::numeric_limits<T>::epsilon();
};
using elements = testing::Types<float, double>;
TYPED_TEST_SUITE(train, elements);

TYPED_TEST(train, exact_ranks_are_found_by_tolerance) {
  using T = TypeParam;
  const auto x = naive_tensor<T>(normal_train<T>({6, 7, 5, 8}, {3, 4, 2}, 1));
  for (const double tolerance : {1e-2, 1e-4, 64 * this->epsilon}) {
    const auto found = tt_svd(x, {.tolerance = tolerance});
    EXPECT_EQ(found.ranks(), (sizes{1, 3, 4, 2, 1}));
    EXPECT_LT(naive_error(x, found), 16 * this->epsilon);
    EXPECT_LT(found.relative_error, 16 * this->epsilon);
  }
  EXPECT_EQ(tt_svd(x).ranks(), (sizes{1, 3, 4, 2, 1}));
}

TYPED_TEST(train, the_error_is_at_most_the_tolerance_and_is_told_truly) {
  using T = TypeParam;
  unsigned seed = 0;
  for (const sizes& extents : random_shapes(16, 2))
    for (const double decay : {0.0, 0.3, 1.0}) {
      auto source = normal_cp<T>(extents, 12, ++seed);
      for (std::size_t r = 0; r < 12; ++r)
        source.weights(r) = static_cast<T>(std::pow(10.0, -decay * double(r)));
      const auto x = naive_tensor<T>(source);
      for (double tolerance = 0.5; tolerance > 8 * double(extents.size()) * this->epsilon;
           tolerance /= 20) {
        const auto m = tt_svd(x, {.tolerance = tolerance});
        const double error = naive_error(x, m);
        EXPECT_LE(error, tolerance) << extents.size() << " modes, decay " << decay;
        EXPECT_NEAR(m.relative_error, error, 0.02 * error + this->epsilon);
        EXPECT_NEAR(relative_error(x, m), error, 1e-3 * error + 2 * rounding_of_residual);
      }
    }
}

TYPED_TEST(train, all_cores_but_the_last_are_orthonormal) {
  using T = TypeParam;
  for (const sizes& extents : {sizes{30, 4, 5}, sizes{4, 5, 30}, sizes{4, 30, 4}}) {
    const auto m = tt_svd(normal_tensor<T>(extents, 2), {.max_ranks = {7}});
    for (std::size_t mode = 0; mode + 1 < m.order(); ++mode) {
      const array<T, 3>& core = m.cores[mode];
      const view<const T, 2> rows(core.data(), {core.extent(0) * core.extent(1), core.extent(2)});
      EXPECT_LT(orthogonality_error(rows), 16 * this->epsilon);
    }
  }
}

TYPED_TEST(train, bonds_have_bounds_of_their_own) {
  const auto x = normal_tensor<TypeParam>({4, 5, 6, 3}, 3);
  EXPECT_EQ(tt_svd(x, {.max_ranks = {2, 7, 1}}).ranks(), (sizes{1, 2, 7, 1, 1}));
  EXPECT_EQ(tt_svd(x, {.max_ranks = {100}}).ranks(), (sizes{1, 4, 18, 3, 1}));
}

TYPED_TEST(train, rounding_meets_its_tolerance_and_finds_exact_ranks) {
  using T = TypeParam;
  const auto small = normal_train<T>({6, 7, 5, 8}, {3, 4, 2}, 4);
  // The sum of a train with itself, by cores on the diagonal: twice the ranks, none of them needed.
  tensor_train<T> doubled;
  for (std::size_t mode = 0; mode < 4; ++mode) {
    const array<T, 3>& core = small.cores[mode];
    const std::size_t before = core.extent(0), after = core.extent(2);
    array<T, 3> both({mode == 0 ? 1 : 2 * before, core.extent(1), mode == 3 ? 1 : 2 * after});
    for (std::size_t a = 0; a < before; ++a)
      for (std::size_t i = 0; i < core.extent(1); ++i)
        for (std::size_t b = 0; b < after; ++b) {
          both(a, i, b) = core(a, i, b);
          both(mode == 0 ? a : a + before, i, mode == 3 ? b : b + after) = core(a, i, b);
        }
    doubled.cores.push_back(std::move(both));
  }
  const auto x = naive_tensor<T>(doubled);
  const auto exact = tt_round(doubled);
  EXPECT_EQ(exact.ranks(), small.ranks());
  EXPECT_LT(naive_error(x, exact), 16 * this->epsilon);
  EXPECT_LT(exact.relative_error, 16 * this->epsilon);
  for (const double tolerance : {0.6, 0.2, 0.05}) {
    const auto m = tt_round(doubled, {.tolerance = tolerance});
    const double error = naive_error(x, m);
    EXPECT_LE(error, tolerance);
    EXPECT_NEAR(m.relative_error, error, 1e-3 * error + 4 * this->epsilon);
    EXPECT_LE(m.parameters(), exact.parameters());
  }
  const auto ranked = tt_round(doubled, {.max_ranks = {2}});
  const auto direct = tt_svd(x, {.max_ranks = {2}});
  EXPECT_EQ(ranked.ranks(), (sizes{1, 2, 2, 2, 1}));
  EXPECT_NEAR(ranked.relative_error, direct.relative_error, 1e-4);
}

TYPED_TEST(train, rounding_takes_cores_of_any_magnitude) {
  using T = TypeParam;
  auto m = normal_train<T>({4, 5, 6}, {3, 3}, 5);
  const int exponent = std::numeric_limits<T>::max_exponent - 8;
  for (T& v : m.cores[0]) v = std::ldexp(v, exponent);
  for (T& v : m.cores[1]) v = std::ldexp(v, -exponent);
  const auto x = naive_tensor<T>(m);
  EXPECT_LT(naive_error(x, tt_round(m)), 16 * this->epsilon);
}

TYPED_TEST(train, strides_and_threads_do_not_matter) {
  using T = TypeParam;
  const auto x = normal_tensor<T>({40, 50, 60}, 6);
  const scattered<T> y(x);
  const auto one = tt_svd(x, {.max_ranks = {12}, .on = {.threads = 1}});
  const auto other = tt_svd(y.view(), {.max_ranks = {12}, .on = {.threads = 3}});
  for (std::size_t mode = 0; mode < 3; ++mode)
    EXPECT_TRUE(std::ranges::equal(one.cores[mode], other.cores[mode]));
  EXPECT_EQ(one.relative_error, other.relative_error);
}

TYPED_TEST(train, elements_are_those_of_the_product) {
  using T = TypeParam;
  const auto m = normal_train<T>({5, 4, 3}, {2, 3}, 7);
  const tensor<T> all = reconstruct(m), expected = naive_tensor<T>(m);
  for (std::size_t i = 0; i < all.size(); ++i)
    EXPECT_NEAR(all.data()[i], expected.data()[i], 50 * this->epsilon);
  array<std::size_t, 2> indices({2, 3});
  const std::size_t some[] = {4, 3, 2, 0, 2, 1};
  std::ranges::copy(some, indices.begin());
  const array<T, 1> values = reconstruct_at(m, indices.view());
  EXPECT_NEAR(values(0), expected.data()[59], 4 * this->epsilon * std::abs(values(0)));
  EXPECT_NEAR(values(1), expected.data()[7], 4 * this->epsilon * std::abs(values(1)));
  EXPECT_EQ(m.parameters(), 10u + 24 + 9);
}

TYPED_TEST(train, zeros_have_ranks_of_one) {
  const tensor<TypeParam> x({3, 4, 5});
  const auto m = tt_svd(x, {.tolerance = 0.1});
  EXPECT_EQ(m.ranks(), (sizes{1, 1, 1, 1}));
  EXPECT_EQ(m.relative_error, 0);
  EXPECT_EQ(tt_round(m).ranks(), (sizes{1, 1, 1, 1}));
}

}  // namespace
}  // namespace papilio::test
