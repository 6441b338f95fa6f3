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

// A core of other extents than its factors' columns, or a rank above the product of the others,
// which none of the model's numbers could fill.
template <class T>
void expect_fitting(const tucker_model<T>& m) {
  for (std::size_t mode = 0; mode < m.order(); ++mode) {
    const std::size_t rank = m.core.extent(mode);
    ASSERT_EQ(m.factors[mode].extent(1), rank) << "mode " << mode;
    EXPECT_LE(rank * rank, m.core.size()) << "mode " << mode;
    EXPECT_LT(orthogonality_error(m.factors[mode].view()),
              32 * double(m.factors[mode].extent(0)) * std::numeric_limits<T>::epsilon());
  }
}

// Low rank and noise, zeros, and small whole numbers, of which many unfoldings are singular.
template <class T>
tensor<T> awkward_tensor(const sizes& extents, unsigned seed) {
  std::mt19937 generator(seed);
  if (seed % 4 == 0) {
    tensor<T> x{std::span<const std::size_t>(extents)};
    for (T& v : x.flat()) v = static_cast<T>(int(generator() % 3) - 1);
    return x;
  }
  tensor<T> x = naive_tensor<T>(normal_cp<T>(extents, 1 + seed % 3, seed));
  const tensor<T> noise = normal_tensor<T>(extents, seed + 1);
  for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] += T(0.02) * noise.data()[i];
  if (seed % 4 == 1)  // the first index of the last mode alone
    for (std::size_t i = 0; i < x.size(); ++i)
      if (i % extents.back() != 0) x.data()[i] = 0;
  if (seed % 16 == 2) std::ranges::fill(x.flat(), T(0));
  return x;
}

TYPED_TEST(tucker, tolerances_give_cores_that_fit_their_factors) {
  using T = TypeParam;
  std::mt19937 generator(11);
  unsigned seed = 0;
  for (const sizes& extents : random_shapes(160, 12)) {
    const auto x = awkward_tensor<T>(extents, ++seed);
    const double tolerance = std::pow(10.0, -0.3 - 1.7 * double(generator() % 1000) / 1000);
    SCOPED_TRACE(testing::Message() << "seed " << seed << ", tolerance " << tolerance);
    const auto direct = tucker_sthosvd(x, {.tolerance = tolerance});
    expect_fitting(direct);
    const double error = naive_error(x, direct);
    EXPECT_LE(error, tolerance);
    EXPECT_NEAR(direct.relative_error, error, 0.02 * error + 4 * this->epsilon);
    const auto iterated = tucker_hooi(x, {.tolerance = tolerance, .max_iterations = 1 + seed % 3});
    expect_fitting(iterated);
    EXPECT_EQ(iterated.ranks(), direct.ranks());
    // That of |x|^2 - |core|^2 has a few epsilon |x|^2, below the square root of 1024 epsilon none.
    const double slack = 16 * this->epsilon / std::max(error, 32 * std::sqrt(this->epsilon));
    EXPECT_LE(iterated.relative_error, direct.relative_error + slack + 4 * this->epsilon);
    EXPECT_NEAR(iterated.relative_error, naive_error(x, iterated),
                0.02 * error + 4 * this->epsilon);
  }
}

// Also those that no array of these extents fills.
TYPED_TEST(tucker, given_ranks_are_kept) {
  using T = TypeParam;
  std::mt19937 generator(13);
  unsigned seed = 0;
  for (const sizes& extents : random_shapes(80, 14)) {
    const auto x = awkward_tensor<T>(extents, ++seed);
    sizes ranks;
    for (const std::size_t e : extents) ranks.push_back(1 + generator() % e);
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const auto direct = tucker_sthosvd(x, {.ranks = ranks});
    const auto iterated = tucker_hooi(x, {.ranks = ranks, .max_iterations = 2});
    for (const tucker_result<T>* m : {&direct, static_cast<const tucker_result<T>*>(&iterated)}) {
      EXPECT_EQ(m->ranks(), ranks);
      for (std::size_t mode = 0; mode < extents.size(); ++mode) {
        ASSERT_EQ(m->factors[mode].extent(1), ranks[mode]);
        EXPECT_LT(orthogonality_error(m->factors[mode].view()),
                  32 * double(extents[mode]) * this->epsilon);
      }
      const double error = naive_error(x, *m);
      EXPECT_NEAR(m->relative_error, error, 0.02 * error + 4 * this->epsilon);
    }
  }
}

}  // namespace
}  // namespace papilio::test
