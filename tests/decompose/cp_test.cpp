// CP by alternating least squares: known components are found, what is told of the error is true.
#include "decompose/sample.hpp"

#include <algorithm>

namespace papilio::test {
namespace {

template <class T>
class cp : public testing::Test {
 protected:
  static constexpr double epsilon = std::numeric_limits<T>::epsilon();
};
using elements = testing::Types<float, double>;
TYPED_TEST_SUITE(cp, elements);

// The best of a few starts: least squares may come to rest elsewhere.
template <class T>
cp_result<T> best_of(const tensor<T>& x, std::size_t rank, cp_options<T> options) {
  cp_result<T> best;
  best.relative_error = 2;
  for (options.seed = 0; options.seed < 5; ++options.seed) {
    cp_result<T> m = cp_als(x, rank, options);
    if (m.relative_error < best.relative_error) best = std::move(m);
  }
  return best;
}

TYPED_TEST(cp, exact_ranks_are_found) {
  using T = TypeParam;
  for (const sizes& extents :
       {sizes{9, 8}, sizes{9, 8, 7}, sizes{5, 6, 7, 4}, sizes{4, 3, 5, 4, 3}})
    for (const cp_start start : {cp_start::random, cp_start::svd}) {
      const auto x = naive_tensor<T>(normal_cp<T>(extents, 3, 1));
      const auto m = best_of<T>(x, 3, {.max_iterations = 2000, .tolerance = 0, .start = start});
      // Least squares through V of condition numbers of some hundreds, in products of T.
      EXPECT_LT(naive_error(x, m), 500 * this->epsilon) << extents.size();
    }
}

TYPED_TEST(cp, components_are_normalised_sorted_and_of_fixed_sign) {
  using T = TypeParam;
  const auto m = cp_als(normal_tensor<T>({6, 7, 5}, 2), 4);
  for (std::size_t r = 0; r < 4; ++r) {
    EXPECT_GE(m.weights(r), T(0));
    EXPECT_LE(m.weights(r), m.weights(r == 0 ? 0 : r - 1));
    for (std::size_t mode = 0; mode < 3; ++mode) {
      const array<T, 2>& f = m.factors[mode];
      double sum = 0;
      T largest = 0;
      for (std::size_t i = 0; i < f.extent(0); ++i) {
        sum += double(f(i, r)) * double(f(i, r));
        if (std::abs(f(i, r)) > std::abs(largest)) largest = f(i, r);
      }
      EXPECT_NEAR(sum, 1, 4 * this->epsilon);
      EXPECT_TRUE(mode == 2 || largest > T(0));
    }
  }
}

// Where it is far from 0 the error comes from products in T.
TYPED_TEST(cp, the_error_is_told_truly_and_falls) {
  using T = TypeParam;
  for (const sizes& extents : {sizes{6, 7, 5}, sizes{4, 5, 3, 4}, sizes{20, 3}})
    for (const double noise : {1.0, 1e-1, 1e-3, 1e-5}) {
      auto x = naive_tensor<T>(normal_cp<T>(extents, 2, 3));
      const auto other = normal_tensor<T>(extents, 4);
      for (std::size_t i = 0; i < x.size(); ++i)
        x.data()[i] += static_cast<T>(noise * double(other.data()[i]));
      const auto m = cp_als(x, 2, {.max_iterations = 200, .tolerance = 0});
      const double error = naive_error(x, m);
      EXPECT_NEAR(m.relative_error, error, 0.01 * error + 4 * this->epsilon) << noise;
      EXPECT_NEAR(relative_error(x, m), error, 1e-3 * error + 2 * rounding_of_residual);
      EXPECT_EQ(m.iteration.history.size(), 200u);
      EXPECT_EQ(m.iteration.history.back(), m.relative_error);
      for (std::size_t i = 1; i < 200; ++i)
        EXPECT_LE(m.iteration.history[i], m.iteration.history[i - 1] * 1.01 + 200 * this->epsilon);
    }
}

// One update by the definition: the unfolding times the Khatri-Rao product, and V solved for.
TYPED_TEST(cp, of_rank_1_is_the_power_method) {
  using T = TypeParam;
  const sizes extents{5, 4, 3};
  const auto x = normal_tensor<T>(extents, 5);
  const cp_model<T> warm = normal_cp<T>(extents, 1, 6);
  const auto m = cp_als(x, 1, {.max_iterations = 1, .warm_start = &warm});
  std::vector<std::vector<long double>> f;
  for (const auto& factor : warm.factors) f.emplace_back(factor.begin(), factor.end());
  long double weight = 0;
  for (std::size_t mode = 0; mode < 3; ++mode) {
    std::vector<long double> sum(extents[mode]);
    for (std::size_t at = 0; at < x.size(); ++at) {
      const sizes index = index_of(extents, at);
      long double product = x.data()[at];
      for (std::size_t other = 0; other < 3; ++other)
        if (other != mode) product *= f[other][index[other]];
      sum[index[mode]] += product;
    }
    long double norm = 0;
    for (const long double v : sum) norm += v * v;
    norm = std::sqrt(norm);
    // From the second mode on one of the others may still have its first length.
    for (std::size_t i = 0; i < sum.size(); ++i) f[mode][i] = sum[i] / norm;
    weight = norm;
  }
  EXPECT_NEAR(m.weights(0), double(weight), 16 * this->epsilon * double(weight));
  for (std::size_t mode = 0; mode < 3; ++mode) {
    const double sign = double(f[mode][0]) * double(m.factors[mode](0, 0)) < 0 ? -1 : 1;
    for (std::size_t i = 0; i < extents[mode]; ++i)
      EXPECT_NEAR(m.factors[mode](i, 0), sign * double(f[mode][i]), 16 * this->epsilon);
  }
}

TYPED_TEST(cp, nonnegative_components_are_found) {
  using T = TypeParam;
  auto source = normal_cp<T>({7, 8, 6, 3}, 3, 7);
  for (auto& f : source.factors)
    for (T& v : f) v = std::abs(v);
  const auto x = naive_tensor<T>(source);
  const auto m = best_of<T>(x, 3, {.max_iterations = 1500, .tolerance = 0, .nonnegative = true});
  EXPECT_LT(naive_error(x, m), 1e-3);
  for (const auto& f : m.factors)
    for (const T v : f) EXPECT_GE(v, T(0));
}

TYPED_TEST(cp, nonnegative_errors_fall) {
  using T = TypeParam;
  auto x = normal_tensor<T>({6, 5, 7}, 8);
  for (T& v : x.flat()) v = std::abs(v);
  const auto m = cp_als(x, 3, {.max_iterations = 60, .tolerance = 0, .nonnegative = true});
  for (std::size_t i = 1; i < 60; ++i)
    EXPECT_LE(m.iteration.history[i], m.iteration.history[i - 1] + 16 * this->epsilon);
  EXPECT_NEAR(m.relative_error, naive_error(x, m), 16 * this->epsilon);
}

TYPED_TEST(cp, a_warm_start_goes_on) {
  using T = TypeParam;
  const auto x = normal_tensor<T>({6, 5, 7}, 9);
  const auto first = cp_als(x, 3, {.max_iterations = 20, .tolerance = 0});
  for (const bool nonnegative : {false, true}) {
    const auto next = cp_als(
        x, 3,
        {.max_iterations = 1, .tolerance = 0, .nonnegative = nonnegative, .warm_start = &first});
    EXPECT_LE(next.relative_error, nonnegative ? 1 : first.relative_error + 16 * this->epsilon);
  }
}

TYPED_TEST(cp, seeds_decide_and_threads_and_strides_do_not_matter) {
  using T = TypeParam;
  const auto x = normal_tensor<T>({40, 45, 35}, 10);
  const scattered<T> y(x);
  const cp_options<T> options{.max_iterations = 5, .seed = 3, .on = {.threads = 1}};
  cp_options<T> other = options;
  other.on.threads = 3;
  const auto one = cp_als(x, 6, options);
  EXPECT_TRUE(same_bits<T>(one, cp_als(x, 6, other)));
  EXPECT_TRUE(same_bits<T>(one, cp_als(y.view(), 6, options)));
  other.seed = 4;
  EXPECT_FALSE(same_bits<T>(one, cp_als(x, 6, other)));
}

TYPED_TEST(cp, stops_when_told_and_when_nothing_changes) {
  using T = TypeParam;
  const auto x = normal_tensor<T>({6, 5, 7}, 11);
  const auto stopped =
      cp_als(x, 3, {.progress = [](const decomposition_progress& p) { return p.iteration < 3; }});
  EXPECT_EQ(stopped.iteration.iterations, 3u);
  EXPECT_TRUE(stopped.iteration.stopped);
  const auto done = cp_als(x, 3, {.max_iterations = 10000, .tolerance = 1e-4});
  EXPECT_TRUE(done.iteration.converged);
  const auto& h = done.iteration.history;
  ASSERT_GE(h.size(), 3u);
  EXPECT_LT(std::abs(h[h.size() - 1] - h[h.size() - 2]), 1e-4);
  EXPECT_GE(std::abs(h[h.size() - 2] - h[h.size() - 3]), 1e-4);
  EXPECT_THROW(cp_als(x, 3, {.progress = [](const auto&) -> bool { throw 5; }}), int);
}

// Of rank 1, asked for as 4: V is singular, and again and again nearly so.
TYPED_TEST(cp, ranks_beyond_that_of_the_array_are_finite) {
  using T = TypeParam;
  const auto x = naive_tensor<T>(normal_cp<T>({5, 4, 3}, 1, 12));
  const auto m = cp_als(x, 4, {.max_iterations = 300, .tolerance = 0});
  for (const auto& f : m.factors)
    for (const T v : f) EXPECT_TRUE(std::isfinite(v));
  EXPECT_LT(naive_error(x, m), 2 * std::sqrt(this->epsilon));
  const auto wide = cp_als(normal_tensor<T>({6, 5, 4}, 13), 80, {.max_iterations = 5});
  EXPECT_LT(wide.relative_error, 0.1);
}

TYPED_TEST(cp, elements_are_those_of_the_sum) {
  using T = TypeParam;
  const auto m = normal_cp<T>({5, 4, 3, 2}, 3, 14);
  const tensor<T> all = reconstruct(m), expected = naive_tensor<T>(m);
  for (std::size_t i = 0; i < all.size(); ++i)
    EXPECT_NEAR(all.data()[i], expected.data()[i], 50 * this->epsilon);
  array<std::size_t, 2> indices({1, 4});
  const std::size_t some[] = {4, 3, 1, 1};
  std::ranges::copy(some, indices.begin());
  const T expected_value = expected.data()[(4 * 4 + 3) * 6 + 3];
  EXPECT_NEAR(reconstruct_at(m, indices.view())(0), expected_value,
              4 * this->epsilon * std::abs(expected_value));
  EXPECT_EQ(m.parameters(), 3u * (5 + 4 + 3 + 2 + 1));
  EXPECT_DOUBLE_EQ(m.compression_ratio(), 120.0 / 45);
}

TYPED_TEST(cp, magnitudes_near_the_limits_of_the_type_are_no_matter) {
  using T = TypeParam;
  auto x = naive_tensor<T>(normal_cp<T>({6, 5, 4}, 2, 15));
  const auto plain = cp_als(x, 2, {.max_iterations = 10});
  const int exponent = std::numeric_limits<T>::max_exponent - 30;
  for (T& v : x.flat()) v = std::ldexp(v, exponent);
  const auto large = cp_als(x, 2, {.max_iterations = 10});
  EXPECT_NEAR(large.relative_error, plain.relative_error, 100 * this->epsilon);
  EXPECT_NEAR(std::ldexp(large.weights(0), -exponent), plain.weights(0),
              1000 * this->epsilon * double(plain.weights(0)));
}

// Small arrays of exact rank with more components than that: some of them cancel, with weights far
// above |x|. What is told and what is, both of residuals in double where it is small.
TEST(cp_of_doubles, the_error_is_told_truly_where_components_cancel) {
  std::mt19937 generator(21);
  for (unsigned seed = 0; seed < 400; ++seed) {
    sizes extents(2 + generator() % 2);
    for (std::size_t& e : extents) e = 2 + generator() % 7;
    const std::size_t rank = 1 + generator() % 3, components = rank + generator() % 3;
    const auto x = naive_tensor<double>(normal_cp<double>(extents, rank, 3 * seed));
    const auto m = cp_als(x, components, {.max_iterations = 30});
    const double error = naive_error(x, m);
    EXPECT_NEAR(m.relative_error, error, 0.1 * std::max(error, m.relative_error) + 1e-12)
        << "seed " << seed;
  }
}

}  // namespace
}  // namespace papilio::test
