// The published cases with vectors and small matrices, whose results are whole numbers or given.
#include <gtest/gtest.h>

#include <initializer_list>
#include <vector>

#include "naive.hpp"

namespace papilio::test {
namespace {

using numbers = std::vector<float>;
view<const float, 2> square(const numbers& x, std::size_t n) { return {x.data(), {n, n}}; }

TEST(blas_cases, trnblas_001) {
  const numbers x{1, 2, 3};
  numbers y{4, 5, 6};
  axpy(2, view<const float, 1>(x), view(y));
  EXPECT_EQ(y, (numbers{6, 9, 12}));
}
TEST(blas_cases, trnblas_002) {
  const numbers x{1, 2};
  numbers y{3, 4};
  axpy(0, view<const float, 1>(x), view(y));
  EXPECT_EQ(y, (numbers{3, 4}));
}
TEST(blas_cases, trnblas_003) {
  const numbers x{1, 2, 3}, y{4, 5, 6};
  EXPECT_EQ(dot(view(x), view(y)), 32);
}
TEST(blas_cases, trnblas_004) {
  const numbers x{1, 0}, y{0, 1};
  EXPECT_EQ(dot(view(x), view(y)), 0);
}
TEST(blas_cases, trnblas_005) { EXPECT_FLOAT_EQ(nrm2(view(numbers{3, 4})), 5); }
TEST(blas_cases, trnblas_006) {
  const auto x = random_real<float>(100, 42);
  double squares = 0;
  for (const double v : x) squares += v * v;
  EXPECT_NEAR(nrm2(view(x)), std::sqrt(squares), 1e-5 * std::sqrt(squares));
}
TEST(blas_cases, trnblas_007) {
  numbers x{1, 2, 3};
  scal(3, view(x));
  EXPECT_EQ(x, (numbers{3, 6, 9}));
}
TEST(blas_cases, trnblas_008) { EXPECT_EQ(asum(view(numbers{-1, 2, -3})), 6); }
TEST(blas_cases, trnblas_009) { EXPECT_EQ(iamax(view(numbers{1, -5, 3, -2})), 1u); }

void check_gemv(std::size_t m, std::size_t n, bool turned, float alpha, float beta) {
  const auto a = random_real<float>(m * n, 1), x = random_real<float>(turned ? m : n, 2);
  auto y = random_real<float>(turned ? n : m, 3);
  const auto start = y;
  gemv(alpha, view<const float, 2>(a.data(), {m, n}), view(x), beta, view(y),
       turned ? matrix_op::transpose : matrix_op::none);
  for (std::size_t i = 0; i < y.size(); ++i) {
    double sum = 0;
    for (std::size_t p = 0; p < x.size(); ++p)
      sum += static_cast<double>(turned ? a[p * n + i] : a[i * n + p]) * x[p];
    EXPECT_NEAR(y[i], alpha * sum + beta * start[i], 1e-5);
  }
}
TEST(blas_cases, trnblas_010) {
  const numbers eye{1, 0, 0, 0, 1, 0, 0, 0, 1}, x{1, 2, 3};
  numbers y(3);
  gemv(1, square(eye, 3), view(x), 0, view(y));
  EXPECT_EQ(y, x);
}
TEST(blas_cases, trnblas_011) { check_gemv(32, 32, false, 2, 0); }
TEST(blas_cases, trnblas_012) { check_gemv(16, 32, true, 1, 0); }
TEST(blas_cases, trnblas_013) { check_gemv(16, 16, false, 1, 2); }
TEST(blas_cases, trnblas_014) {
  auto a = random_real<float>(256, 1);
  const auto x = random_real<float>(16, 2);
  std::vector<float> y(16);
  symv(1, square(a, 16), view(x), 0, view(y), matrix_triangle::upper);
  for (std::size_t i = 0; i < 16; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < 16; ++j)
      sum += static_cast<double>(a[std::min(i, j) * 16 + std::max(i, j)]) * x[j];
    EXPECT_NEAR(y[i], sum, 1e-4);
  }
}
TEST(blas_cases, trnblas_015) {
  numbers x{1, 1};
  trmv(square({2, 1, 0, 3}, 2), view(x));
  EXPECT_EQ(x, (numbers{3, 3}));
}
TEST(blas_cases, trnblas_016) {
  numbers x{1, 1};
  trmv(square({99, 2, 0, 99}, 2), view(x), {.diagonal = matrix_diagonal::unit});
  EXPECT_EQ(x, (numbers{3, 1}));
}
TEST(blas_cases, trnblas_017) {
  const numbers x{1, 2}, y{3, 4};
  array<float, 2> a({2, 2});
  ger(1, view(x), view(y), a);
  EXPECT_EQ(numbers(a.begin(), a.end()), (numbers{3, 4, 6, 8}));
}
TEST(blas_cases, trnblas_018) {
  const numbers x{1, 2}, y{3, 4};
  array<float, 2> a({2, 2});
  a(0, 0) = a(1, 1) = 1;
  ger(1, view(x), view(y), a);
  EXPECT_EQ(numbers(a.begin(), a.end()), (numbers{4, 4, 6, 9}));
}

void check_symm(matrix_side side) {
  const auto a = random_real<float>(256, 1), b = random_real<float>(256, 2);
  array<float, 2> c({16, 16});
  symm(1, square(a, 16), square(b, 16), 0, c, {.side = side});
  for (std::size_t i = 0; i < 16; ++i)
    for (std::size_t j = 0; j < 16; ++j) {
      double sum = 0;
      const auto s = [&](std::size_t p, std::size_t q) {
        return static_cast<double>(a[std::min(p, q) * 16 + std::max(p, q)]);
      };
      for (std::size_t p = 0; p < 16; ++p)
        sum += side == matrix_side::left ? s(i, p) * b[p * 16 + j] : b[i * 16 + p] * s(p, j);
      EXPECT_NEAR(c(i, j), sum, 1e-4);
    }
}
TEST(blas_cases, trnblas_031) { check_symm(matrix_side::left); }
TEST(blas_cases, trnblas_032) { check_symm(matrix_side::right); }
TEST(blas_cases, trnblas_037) {
  array<float, 2> b({2, 1});
  b(0, 0) = 5;
  b(1, 0) = 9;
  trsm(matrix_side::left, 1, square({2, 1, 0, 3}, 2), b);
  EXPECT_FLOAT_EQ(b(0, 0), 1);
  EXPECT_FLOAT_EQ(b(1, 0), 3);
}
TEST(blas_cases, trnblas_039) {
  array<float, 2> b({2, 2});
  b(0, 0) = b(1, 1) = 1;
  trmm(matrix_side::left, 1, square({2, 1, 0, 3}, 2), b);
  EXPECT_EQ(numbers(b.begin(), b.end()), (numbers{2, 1, 0, 3}));
}

}  // namespace
}  // namespace papilio::test
