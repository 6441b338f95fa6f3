#include <gtest/gtest.h>

#include <cstring>

#include "naive.hpp"

namespace papilio::test {
namespace {

template <class T>
class gemm_blocks_test : public testing::Test {};
using element_types = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(gemm_blocks_test, element_types);

const extents_type<3> shapes[] = {{5, 7, 3}, {230, 200, 99}, {3, 4, 0}, {0, 4, 2}, {1, 1, 1}};

TYPED_TEST(gemm_blocks_test, an_epilogue_is_the_function_of_the_product) {
  using T = TypeParam;
  for (const auto& [m, n, k] : shapes)
    for (const form how : all_forms)
      for (const T beta : {T(0), T(2)}) {
        random_source<T> random(9);
        const stored_matrix<T> a(m, k, form::rows, random), b(k, n, form::spread, random);
        stored_matrix<T> c(m, n, how), plain(m, n, how);
        if (beta != T(0)) {
          c.fill([&](std::size_t i, std::size_t j) { return T(static_cast<real_of<T>>(i + j)); });
          plain.fill(
              [&](std::size_t i, std::size_t j) { return T(static_cast<real_of<T>>(i + j)); });
        }
        const auto f = [](T x, std::size_t i, std::size_t j) {
          return x * x + T(static_cast<real_of<T>>(i)) - T(static_cast<real_of<T>>(2 * j));
        };
        gemm_epilogue(T(1), a.view(), b.view(), beta, c.view(), f);
        gemm(T(1), a.view(), b.view(), beta, plain.view());
        for (std::size_t i = 0; i < m; ++i)
          for (std::size_t j = 0; j < n; ++j)
            ASSERT_EQ(c.view()(i, j), f(plain.view()(i, j), i, j)) << i << ' ' << j;
        EXPECT_TRUE(c.is_clean());
      }
}

TYPED_TEST(gemm_blocks_test, a_reduction_sees_every_element_once) {
  using T = TypeParam;
  for (const auto& [m, n, k] : shapes) {
    random_source<T> random(9);
    const stored_matrix<T> a(k, m, form::rows, random), b(k, n, form::padded_columns, random);
    const gemm_options options{.a = matrix_op::transpose};
    const auto map = [](T x, std::size_t i, std::size_t j) {
      return static_cast<double>(std::norm(x)) * static_cast<double>(i + 1) +
             static_cast<double>(j);
    };
    const auto sum = [&](int threads) {
      gemm_options with = options;
      with.threads = threads;
      return gemm_reduce(T(2), a.view(), b.view(), 0.0, map, std::plus<>(), with);
    };
    long double expected = 0;
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j < n; ++j)
        expected += std::norm(product_element(T(2), a.view(), matrix_op::transpose, b.view(),
                                              matrix_op::none, k, i, j)
                                  .value) *
                        static_cast<long double>(i + 1) +
                    static_cast<long double>(j);
    const double tolerance =
        8 * static_cast<double>(k + 8) * epsilon_of<T> * static_cast<double>(expected);
    EXPECT_NEAR(sum(1), static_cast<double>(expected), tolerance);
    for (const int threads : {0, 2, 3}) EXPECT_EQ(sum(threads), sum(1));
  }
}

TEST(gemm_blocks, cover_the_product_and_are_counted) {
  const array<float, 2> a({300, 100}), b({100, 400});
  array<int, 2> seen({300, 400});
  std::vector<int> indices(gemm_block_count<float>(300, 400, 100));
  gemm_for_blocks<float>(1, a, b, [&](const gemm_block<float>& block) {
    ++indices[block.index];
    for (std::size_t i = 0; i < block.values.extent(0); ++i)
      for (std::size_t j = 0; j < block.values.extent(1); ++j)
        ++seen(block.row + i, block.column + j);
  });
  EXPECT_GT(indices.size(), 1u);
  for (const int count : indices) EXPECT_EQ(count, 1);
  for (const int count : seen) EXPECT_EQ(count, 1);
}

TEST(gemm_blocks, what_a_functor_throws_arrives) {
  array<double, 2> a({300, 300}), b({300, 300}), c({300, 300});
  const auto fails = [](double, std::size_t i, std::size_t j) -> double {
    if (i == 299 && j == 299) throw io_error("x", "y");
    return 0;
  };
  EXPECT_THROW(gemm_epilogue(1, a, b, 0, c, fails), io_error);
  EXPECT_THROW(gemm_reduce(1, a, b, 0.0, fails, std::plus<>()), io_error);
  EXPECT_THROW(gemm_reduce(1, a, array<double, 2>({2, 2}), 0.0, fails, std::plus<>()), shape_error);
}

}  // namespace
}  // namespace papilio::test
