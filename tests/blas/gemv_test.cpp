#include <gtest/gtest.h>

#include <cstring>

#include "naive.hpp"

namespace papilio::test {
namespace {

template <class T>
class gemv_test : public testing::Test {};
using element_types = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(gemv_test, element_types);

// Cut along y and along the sum, rows and columns stored: right, and the same on any number of
// threads.
TYPED_TEST(gemv_test, large_gemv_in_pieces) {
  using T = TypeParam;
  constexpr extents_type<2> shapes[] = {{1100, 610}, {5, 130001}, {130001, 5}};
  for (const auto& [m, n] : shapes)
    for (const bool by_columns : {false, true})
      for (const auto op : {matrix_op::none, matrix_op::conjugate_transpose}) {
        const bool turned = op != matrix_op::none;
        const std::size_t rows = turned ? n : m, columns = turned ? m : n;
        std::vector<T> memory(m * n);
        std::uint64_t state = 5;
        for (T& v : memory) {
          state = state * 6364136223846793005u + 1442695040888963407u;
          v = T(static_cast<real_of<T>>(static_cast<double>(state >> 40) * 0x1p-24 - 0.5));
        }
        const auto r = static_cast<std::ptrdiff_t>(rows), c = static_cast<std::ptrdiff_t>(columns);
        const view<const T, 2> a(memory.data(), {rows, columns},
                                 {by_columns ? 1 : c, by_columns ? r : 1});
        random_source<T> random(3);
        array<T, 1> x(n), before(m);
        for (T& v : x) v = random();
        for (T& v : before) v = random();
        const view<const T, 1> backwards(&x[n - 1], {n}, {-1});
        auto y = before;
        gemv(T(2), a, backwards, T(3), y, op, 1);
        for (const int threads : {2, 3}) {
          auto z = before;
          gemv(T(2), a, backwards, T(3), z, op, threads);
          ASSERT_EQ(0, std::memcmp(y.data(), z.data(), m * sizeof(T)));
        }
        for (std::size_t i = 0; i < m; i += 1 + m / 7) {
          bounded sum;
          for (std::size_t j = 0; j < n; ++j) {
            const exact term = exact(2) * element(a, op, i, j) * exact_of(backwards[j]);
            sum.value += term;
            sum.magnitude += std::abs(term);
          }
          sum.value += exact(3) * exact_of(before[i]);
          sum.magnitude += 3 * std::abs(exact_of(before[i]));
          ASSERT_TRUE(is_within(y[i], sum, n));
        }
      }
}

TEST(gemv_errors, negative_threads) {
  array<double, 2> a({2, 2});
  array<double, 1> x(2), y(2);
  EXPECT_THROW(gemv(1, a, x, 0, y, matrix_op::none, -1), invalid_argument);
}

}  // namespace
}  // namespace papilio::test
