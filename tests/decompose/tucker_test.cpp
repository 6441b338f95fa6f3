// Tucker: known ranks are found, tolerances are met, results do not depend on threads or strides.
#include "decompose/sample.hpp"

#include <algorithm>

namespace papilio::test {
namespace {

template <class T>
class tucker : public testing::Test {
 protected:
  static constexpr double epsilon = std::numeric_limits<T>::epsilon();
};
using elements = testing::Types<float, double>;
TYPED_TEST_SUITE(tucker, elements);

// Roundings of the products of each mode, of the factors and of the core: a few epsilon each.
TYPED_TEST(tucker, exact_ranks_are_found_by_tolerance) {
  using T = TypeParam;
  const auto x = naive_tensor<T>(normal_tucker<T>({9, 7, 8, 6}, {2, 3, 4, 2}, 1));
  const auto m = tucker_sthosvd(x, {.tolerance = 1e-4});
  EXPECT_EQ(m.ranks(), (sizes{2, 3, 4, 2}));
  EXPECT_LT(naive_error(x, m), 16 * this->epsilon);
  EXPECT_LT(m.relative_error, 16 * this->epsilon);
  const auto least = tucker_sthosvd(x, {.tolerance = 32 * this->epsilon});
  EXPECT_EQ(least.ranks(), (sizes{2, 3, 4, 2}));
}

TYPED_TEST(tucker, the_error_is_at_most_the_tolerance_and_is_told_truly) {
  using T = TypeParam;
  unsigned seed = 0;
  for (const sizes& extents : random_shapes(16, 1))
    for (const double decay : {0.0, 0.3, 1.0}) {
      // Singular values that fall off: factors of the components shrink.
      auto source = normal_cp<T>(extents, 12, ++seed);
      for (std::size_t r = 0; r < 12; ++r)
        source.weights(r) = static_cast<T>(std::pow(10.0, -decay * double(r)));
      const auto x = naive_tensor<T>(source);
      for (double tolerance = 0.5; tolerance > 8 * double(extents.size()) * this->epsilon;
           tolerance /= 20) {
        const auto m = tucker_sthosvd(x, {.tolerance = tolerance});
        const double error = naive_error(x, m);
        EXPECT_LE(error, tolerance) << extents.size() << " modes, decay " << decay;
        EXPECT_NEAR(m.relative_error, error, 0.02 * error + this->epsilon);
        EXPECT_NEAR(relative_error(x, m), error, 1e-3 * error + 2 * rounding_of_residual);
      }
    }
}

// Below 1e-8 of the largest, squares of singular values are lost in double.
TEST(tucker_of_doubles, finds_singular_values_that_a_gram_matrix_loses) {
  auto source = normal_cp<double>({14, 13, 12}, 5, 3);
  for (std::size_t r = 0; r < 5; ++r) source.weights(r) = std::pow(10.0, -2.5 * double(r));
  const auto x = naive_tensor<double>(source);
  const auto m = tucker_sthosvd(x, {.tolerance = 1e-13});
  EXPECT_EQ(m.ranks(), (sizes{5, 5, 5}));
  EXPECT_LE(naive_error(x, m), 1e-13);
  const auto given = tucker_sthosvd(x, {.ranks = {5, 5, 5}});
  EXPECT_LE(naive_error(x, given), 1e-13);
}

TYPED_TEST(tucker, factors_are_orthonormal_and_signs_fixed) {
  using T = TypeParam;
  const auto m = tucker_sthosvd(normal_tensor<T>({20, 17, 9}, 4), {.ranks = {6, 17, 4}});
  for (const auto& f : m.factors) {
    // Eigenvectors of LAPACK: within n epsilon.
    EXPECT_LT(orthogonality_error(f.view()), double(f.extent(0)) * this->epsilon);
    for (std::size_t r = 0; r < f.extent(1); ++r) {
      T largest = 0;
      for (std::size_t i = 0; i < f.extent(0); ++i)
        if (std::abs(f(i, r)) > std::abs(largest)) largest = f(i, r);
      EXPECT_GT(largest, T(0));
    }
  }
}

TYPED_TEST(tucker, strides_do_not_matter) {
  using T = TypeParam;
  const auto x = normal_tensor<T>({7, 5, 6}, 5);
  const scattered<T> y(x);
  const auto a = tucker_sthosvd(x, {.ranks = {3, 2, 4}});
  const auto b = tucker_sthosvd(y.view(), {.ranks = {3, 2, 4}});
  EXPECT_TRUE(std::ranges::equal(a.core.flat(), b.core.flat()));
  EXPECT_EQ(a.relative_error, b.relative_error);
}

TYPED_TEST(tucker, threads_do_not_matter) {
  using T = TypeParam;
  const auto x = normal_tensor<T>({60, 70, 50}, 6);
  const auto one = tucker_hooi(x, {.ranks = {9, 8, 7}, .max_iterations = 2, .on = {.threads = 1}});
  const auto three =
      tucker_hooi(x, {.ranks = {9, 8, 7}, .max_iterations = 2, .on = {.threads = 3}});
  EXPECT_TRUE(std::ranges::equal(one.core.flat(), three.core.flat()));
  for (std::size_t mode = 0; mode < 3; ++mode)
    EXPECT_TRUE(std::ranges::equal(one.factors[mode], three.factors[mode]));
  EXPECT_EQ(one.iteration.history, three.iteration.history);
}

TYPED_TEST(tucker, iteration_does_not_raise_the_error_and_calls_back) {
  using T = TypeParam;
  const auto x = normal_tensor<T>({10, 9, 8}, 7);
  const double start = tucker_sthosvd(x, {.ranks = {3, 3, 3}}).relative_error;
  std::vector<double> seen;
  const auto m = tucker_hooi(x, {.ranks = {3, 3, 3},
                                 .max_iterations = 8,
                                 .change = 0,
                                 .progress = [&](const decomposition_progress& p) {
                                   seen.push_back(p.relative_error);
                                   EXPECT_EQ(p.iteration, seen.size());
                                   return true;
                                 }});
  EXPECT_EQ(seen, m.iteration.history);
  ASSERT_EQ(m.iteration.iterations, 8u);
  double before = start;
  for (const double now : seen) {
    EXPECT_LE(now, before + 4 * this->epsilon);
    before = now;
  }
  EXPECT_LT(before, start);
  EXPECT_NEAR(m.relative_error, naive_error(x, m), 4 * this->epsilon);
  const auto stopped = tucker_hooi(
      x, {.ranks = {3, 3, 3}, .progress = [](const auto& p) { return p.iteration < 2; }});
  EXPECT_EQ(stopped.iteration.iterations, 2u);
  EXPECT_TRUE(stopped.iteration.stopped);
  EXPECT_FALSE(stopped.iteration.converged);
}

TYPED_TEST(tucker, ranks_bound_what_a_tolerance_takes) {
  using T = TypeParam;
  const auto x = normal_tensor<T>({6, 6, 6}, 8);
  const auto m = tucker_sthosvd(x, {.ranks = {2, 2, 2}, .tolerance = 1e-3});
  EXPECT_EQ(m.ranks(), (sizes{2, 2, 2}));
  EXPECT_GT(m.relative_error, 1e-3);
}

TYPED_TEST(tucker, elements_are_those_of_the_sum) {
  using T = TypeParam;
  const auto m = normal_tucker<T>({5, 4, 3}, {2, 3, 2}, 9);
  const tensor<T> all = reconstruct(m);
  array<std::size_t, 2> indices({3, 3});
  const std::size_t some[] = {0, 0, 0, 4, 3, 2, 2, 1, 0};
  std::ranges::copy(some, indices.begin());
  const array<T, 1> values = reconstruct_at(m, indices.view());
  for (std::size_t i = 0; i < 3; ++i) {
    const sizes index{indices(i, 0), indices(i, 1), indices(i, 2)};
    const double expected = double(element_of(m, index));
    EXPECT_NEAR(values(i), expected, 4 * this->epsilon * std::abs(expected));
    EXPECT_NEAR(all.data()[(index[0] * 4 + index[1]) * 3 + index[2]], values(i),
                100 * this->epsilon);
  }
  EXPECT_EQ(m.parameters(), 12u + 10 + 12 + 6);
  EXPECT_DOUBLE_EQ(m.compression_ratio(), 60.0 / 40);
}

TYPED_TEST(tucker, magnitudes_near_the_limits_of_the_type_are_no_matter) {
  using T = TypeParam;
  auto x = naive_tensor<T>(normal_tucker<T>({6, 5, 4}, {2, 2, 2}, 10));
  const auto plain = tucker_sthosvd(x, {.tolerance = 1e-3});
  const int exponent = std::numeric_limits<T>::max_exponent - 20;
  for (T& v : x.flat()) v = std::ldexp(v, exponent);
  const auto large = tucker_sthosvd(x, {.tolerance = 1e-3});
  EXPECT_EQ(large.ranks(), plain.ranks());
  EXPECT_LT(large.relative_error, 16 * this->epsilon);
  for (T& v : x.flat()) v = std::ldexp(v, -2 * exponent);
  EXPECT_LT(tucker_sthosvd(x, {.tolerance = 1e-3}).relative_error, 1e-3);
}

// Of rank 1 in short modes, where all eigenvalues of a Gram matrix but one are rounding errors, and
// now and then all above the budget.
TEST(tucker_of_doubles, rounding_errors_are_no_ranks) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    const auto x = naive_tensor<double>(normal_tucker<double>({2, 3, 12}, {1, 1, 1}, seed));
    EXPECT_EQ(tucker_sthosvd(x, {.tolerance = 1e-12}).ranks(), (sizes{1, 1, 1})) << seed;
  }
}

}  // namespace
}  // namespace papilio::test
