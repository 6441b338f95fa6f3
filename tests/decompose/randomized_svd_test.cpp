#include "decompose/sample.hpp"

#include <algorithm>

namespace papilio::test {
namespace {

template <class T>
class random_svd : public testing::Test {
 protected:
  static constexpr double epsilon = std::numeric_limits<T>::epsilon();
};
using elements = testing::Types<float, double>;
TYPED_TEST_SUITE(random_svd, elements);

// Orthonormal columns times 2^-k times orthonormal rows.
template <class T>
array<T, 2> falling(std::size_t m, std::size_t n, std::size_t rank) {
  const auto left = qr(normal_matrix<double>(m, rank, 1)).q;
  const auto right = qr(normal_matrix<double>(n, rank, 2)).q;
  array<T, 2> a({m, n});
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      double sum = 0;
      for (std::size_t r = 0; r < rank; ++r)
        sum += std::exp2(-double(r)) * left(i, r) * right(j, r);
      a(i, j) = static_cast<T>(sum);
    }
  return a;
}

TYPED_TEST(random_svd, singular_values_and_vectors) {
  using T = TypeParam;
  for (const auto& [m, n] : {std::pair<std::size_t, std::size_t>{60, 40}, {30, 90}, {20, 20}}) {
    const array<T, 2> a = falling<T>(m, n, 15);
    const svd_factors<T> f = randomized_svd(a, 5);
    ASSERT_EQ(f.u.extents(), (extents_type<2>{m, 5}));
    ASSERT_EQ(f.vh.extents(), (extents_type<2>{5, n}));
    EXPECT_LT(orthogonality_error(f.u.view()), 16 * this->epsilon);
    for (std::size_t r = 0; r < 5; ++r)
      EXPECT_NEAR(f.s(r), std::exp2(-double(r)), 16 * this->epsilon);
    long double error = 0;
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        long double value = a(i, j);
        for (std::size_t r = 0; r < 5; ++r)
          value -= static_cast<long double>(f.u(i, r)) * f.s(r) * f.vh(r, j);
        error += value * value;
      }
    // What is left of the squares 4^-5 + 4^-6 + ...
    EXPECT_NEAR(double(std::sqrt(error)), std::sqrt(4.0 / 3 * std::pow(0.25, 5)), 1e-5);
  }
}

TYPED_TEST(random_svd, seeds_decide_and_threads_do_not_matter) {
  using T = TypeParam;
  const auto a = normal_matrix<T>(80, 70, 3);
  const auto one = randomized_svd(a, 4, {.seed = 1, .threads = 1});
  EXPECT_TRUE(std::ranges::equal(one.u, randomized_svd(a, 4, {.seed = 1, .threads = 3}).u));
  EXPECT_FALSE(std::ranges::equal(one.u, randomized_svd(a, 4, {.seed = 2}).u));
  const auto whole = randomized_svd(a, 70, {.oversampling = 0, .power_iterations = 0});
  const auto exact = svd(a, svd_vectors::none);
  EXPECT_NEAR(whole.s(69), exact.s(69), 100 * this->epsilon * double(exact.s(0)));
}

}  // namespace
}  // namespace papilio::test
