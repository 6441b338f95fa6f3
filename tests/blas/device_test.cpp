// Products and systems with triangles where an execution says: values of an accelerator against
// sums in long double, the policy's choice, device arrays, and refusals.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "blas/naive.hpp"
#include "papilio/blas.hpp"
#include "papilio/dispatch.hpp"
#include "papilio/engine.hpp"

namespace papilio::test {
namespace {

using matrix = array<float, 2>;
using exact_matrix = array<long double, 2>;

matrix random_matrix(std::size_t rows, std::size_t columns, unsigned seed) {
  random_source<float> next(seed);
  matrix m({rows, columns});
  for (float& x : m) x = next();
  return m;
}

// NaN in the triangle that is not given.
matrix triangle_of(std::size_t n, matrix_triangle part, unsigned seed, bool is_solved = false) {
  matrix m = random_matrix(n, n, seed);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      if (is_solved) m(i, j) *= 0.5F / static_cast<float>(n);
      if (is_solved && i == j) m(i, j) = 1 + std::abs(m(i, j));
      if (part == matrix_triangle::lower ? j > i : j < i) m(i, j) = not_a_number<float>();
    }
  return m;
}

bool is_given(matrix_triangle part, std::size_t i, std::size_t j) {
  return part == matrix_triangle::lower ? j <= i : j >= i;
}

// What the square matrix stands for.
exact_matrix whole(const matrix& a, const triangular_options& o, bool is_symmetric) {
  const std::size_t n = a.extent(0);
  exact_matrix m({n, n});
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      const bool given = is_given(o.triangle, i, j);
      long double x = given ? a(i, j) : is_symmetric ? a(j, i) : 0.0F;
      if (o.diagonal == matrix_diagonal::unit && i == j) x = 1;
      (o.op == matrix_op::transpose ? m(j, i) : m(i, j)) = x;
    }
  return m;
}

struct bounded {
  long double value = 0, magnitude = 0;
};

// (A B)(i, j), or (B A)(i, j) on the right.
template <class B>
bounded product_at(const exact_matrix& a, const B& b, matrix_side side, std::size_t i,
                   std::size_t j) {
  bounded sum;
  for (std::size_t k = 0; k < a.extent(0); ++k) {
    const long double term =
        side == matrix_side::left ? a(i, k) * b(k, j) : static_cast<long double>(b(i, k)) * a(k, j);
    sum.value += term;
    sum.magnitude += std::abs(term);
  }
  return sum;
}

// Sums of n products in float, in any order, with a factor and one more term.
long double gamma(std::size_t n) {
  return static_cast<long double>(n + 6) * std::numeric_limits<float>::epsilon();
}

void expect_same(const matrix& a, const matrix& b) {
  EXPECT_TRUE(std::ranges::equal(a.flat(), b.flat()));
}

class blas_device : public testing::Test {
 protected:
  engine::device dev_{engine::trainium1(), engine::sdk_2_29()};
  execution there() { return {.where = policy::device, .on = &dev_}; }
};

constexpr matrix_triangle triangles[] = {matrix_triangle::lower, matrix_triangle::upper};
constexpr matrix_side sides[] = {matrix_side::left, matrix_side::right};
constexpr extents_type<2> extents_of_b[] = {{1, 1}, {5, 130}, {131, 3}};

TEST_F(blas_device, symm) {
  for (const auto& [m, n] : extents_of_b)
    for (const matrix_side side : sides)
      for (const matrix_triangle part : triangles) {
        const std::size_t order = side == matrix_side::left ? m : n;
        const matrix a = triangle_of(order, part, 1), b = random_matrix(m, n, 2);
        const matrix c = random_matrix(m, n, 3);
        const exact_matrix all = whole(a, {.triangle = part}, true);
        for (const float beta : {0.0F, -0.75F}) {
          matrix got = c;
          if (beta == 0) got(0, 0) = not_a_number<float>();
          symm(1.5F, a, b, beta, got, {.side = side, .triangle = part}, there());
          EXPECT_EQ(last_run().backend, "device");
          for (std::size_t i = 0; i < m; ++i)
            for (std::size_t j = 0; j < n; ++j) {
              const bounded sum = product_at(all, b, side, i, j);
              const long double rest = static_cast<long double>(beta) * c(i, j);
              EXPECT_NEAR(got(i, j), double(1.5L * sum.value + rest),
                          double(gamma(order) * (1.5L * sum.magnitude + std::abs(rest))));
            }
        }
      }
}

TEST_F(blas_device, trmm_and_trsm) {
  for (const auto& [m, n] : extents_of_b)
    for (const matrix_side side : sides)
      for (const matrix_triangle part : triangles)
        for (const matrix_op op : {matrix_op::none, matrix_op::transpose})
          for (const matrix_diagonal diagonal : {matrix_diagonal::stored, matrix_diagonal::unit}) {
            const std::size_t order = side == matrix_side::left ? m : n;
            const triangular_options o{part, op, diagonal};
            const matrix a = triangle_of(order, part, 4, true), b = random_matrix(m, n, 5);
            const exact_matrix all = whole(a, o, false);
            matrix product = b, x = b;
            trmm(side, -0.5F, a, product, o, there());
            trsm(side, -0.5F, a, x, o, there());
            EXPECT_EQ(last_run().backend, "device");
            for (std::size_t i = 0; i < m; ++i)
              for (std::size_t j = 0; j < n; ++j) {
                const bounded sum = product_at(all, b, side, i, j);
                EXPECT_NEAR(product(i, j), double(-0.5L * sum.value),
                            double(gamma(order) * sum.magnitude));
                // The residual, as stated: |op(A) X - alpha B| <= q u (|op(A)| |X| + |alpha B|).
                const bounded back = product_at(all, x, side, i, j);
                const long double right = -0.5L * b(i, j);
                EXPECT_NEAR(double(back.value), double(right),
                            double(gamma(order) * (back.magnitude + std::abs(right))));
              }
          }
}

TEST_F(blas_device, syrk_leaves_the_other_triangle) {
  for (const auto& [n, k] : {std::pair<std::size_t, std::size_t>{1, 3}, {130, 7}, {257, 40}})
    for (const matrix_triangle part : triangles)
      for (const matrix_op op : {matrix_op::none, matrix_op::transpose})
        for (const float beta : {0.0F, 0.5F}) {
          const bool is_turned = op == matrix_op::transpose;
          const matrix a = random_matrix(is_turned ? k : n, is_turned ? n : k, 6);
          const matrix c = random_matrix(n, n, 7);
          matrix got = c;
          syrk(2.0F, a, beta, got, {.a = op, .triangle = part}, there());
          EXPECT_EQ(last_run().backend, "device");
          for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j) {
              if (!is_given(part, i, j)) {
                EXPECT_EQ(got(i, j), c(i, j));
                continue;
              }
              long double sum = 0, magnitude = 0;
              for (std::size_t p = 0; p < k; ++p) {
                const long double term =
                    is_turned ? (long double)(a(p, i)) * a(p, j) : (long double)(a(i, p)) * a(j, p);
                sum += term;
                magnitude += std::abs(term);
              }
              const long double rest = static_cast<long double>(beta) * c(i, j);
              EXPECT_NEAR(got(i, j), double(2 * sum + rest),
                          double(gamma(k) * (2 * magnitude + std::abs(rest))));
            }
        }
}

TEST_F(blas_device, views_of_any_strides) {
  const matrix a = triangle_of(9, matrix_triangle::lower, 8, true);
  const matrix b = random_matrix(9, 14, 9);
  matrix straight({9, 7});
  for (std::size_t i = 0; i < 9; ++i)
    for (std::size_t j = 0; j < 7; ++j) straight(i, j) = b(i, 12 - 2 * j);
  matrix strided = b;
  const view<float, 2> every_second(&strided(0, 12), {9, 7}, {14, -2});
  const triangular_options o{.triangle = matrix_triangle::lower};
  trsm(matrix_side::left, 1.0F, a, straight, o, there());
  trsm(matrix_side::left, 1.0F, a, every_second, o, there());
  for (std::size_t i = 0; i < 9; ++i)
    for (std::size_t j = 0; j < 7; ++j) {
      EXPECT_EQ(strided(i, 12 - 2 * j), straight(i, j));
      EXPECT_EQ(strided(i, 1 + 2 * j), b(i, 1 + 2 * j));
    }
}

TEST_F(blas_device, device_arrays_stay_there) {
  const triangular_options o{.triangle = matrix_triangle::lower};
  const matrix a = triangle_of(40, matrix_triangle::lower, 10, true), b = random_matrix(40, 6, 11);
  matrix x = b, product = b, c({40, 6});
  trsm(matrix_side::left, 1.0F, a, x, o, there());
  trmm(matrix_side::left, 1.0F, a, product, o, there());
  symm(1.0F, a, b, 0.0F, c, {.triangle = matrix_triangle::lower}, there());
  const auto there_a = to_device(dev_, a), there_b = to_device(dev_, b);
  const std::size_t uploads = dev_.record().upload.tensors, fetches = dev_.record().fetch.tensors;
  const auto there_x = trsm(matrix_side::left, 1.0F, there_a, there_b, o);
  const auto there_product = trmm(matrix_side::left, 1.0F, there_a, there_b, o);
  const auto there_c = symm(1.0F, there_a, there_b, {.triangle = matrix_triangle::lower});
  EXPECT_EQ(dev_.record().upload.tensors, uploads);
  EXPECT_EQ(dev_.record().fetch.tensors, fetches);
  expect_same(to_host(there_x), x);
  expect_same(to_host(there_product), product);
  expect_same(to_host(there_c), c);
  EXPECT_THROW(trsm(matrix_side::right, 1.0F, there_a, there_b, o), shape_error);
}

TEST_F(blas_device, the_policy_decides) {
  const triangular_options o{.triangle = matrix_triangle::lower};
  const matrix a = triangle_of(8, matrix_triangle::lower, 12, true), b = random_matrix(8, 3, 13);
  matrix plain = b, chosen = b;
  trsm(matrix_side::left, 1.0F, a, plain, o);
  trsm(matrix_side::left, 1.0F, a, chosen, o, {.where = policy::automatic, .on = &dev_});
  EXPECT_EQ(last_run().backend, "host");  // so few numbers are not worth a launch
  expect_same(chosen, plain);
  const auto sides = explain_call(
      {.on = &dev_}, [&](const execution& on) { trsm(matrix_side::left, 1.0F, a, chosen, o, on); });
  ASSERT_TRUE(sides);
  EXPECT_EQ(sides->name, "trsm of 8x3 by a lower triangle in float");
  EXPECT_TRUE(sides->host_can() && sides->device_can());
  EXPECT_GT(sides->device.seconds(), sides->host.seconds);
  expect_same(chosen, plain);  // it was left before anything ran
}

TEST_F(blas_device, refuses) {
  array<double, 2> a({3, 3}), b({3, 2});
  array<std::complex<float>, 2> ca({3, 3}), cb({3, 2});
  matrix fa({3, 3}), fb({3, 2}), fc({3, 3});
  const triangular_options o{};
  EXPECT_THROW(trsm(matrix_side::left, 1.0, a, b, o, there()), device_error);
  EXPECT_THROW(trmm(matrix_side::left, std::complex<float>(1), ca, cb, o, there()), device_error);
  EXPECT_THROW(trsm(matrix_side::right, 1.0F, fa, fb, o, there()), shape_error);
  EXPECT_THROW(trsm(matrix_side::left, 1.0F, fa, fb, o, {.where = policy::device}), device_error);
  EXPECT_THROW(trsm(matrix_side::left, 1.0F, fa, fb, o, {.threads = -1}), invalid_argument);
  EXPECT_THROW(symm(1.0F, fa, fb, 0.0F, fb, {}, there()), invalid_argument);
  EXPECT_THROW(syrk(1.0F, fb, 0.0F, fc, {.threads = 2}, there()), invalid_argument);
  EXPECT_THROW(syrk(1.0F, fb, 0.0F, fb, {}, there()), shape_error);
  execution bf16 = there();
  bf16.precision.mode = precision::bf16;
  EXPECT_THROW(symm(1.0F, fa, fa, 0.0F, fc, {}, bf16), device_error);
  execution exact = there();
  exact.precision = {.target_error = 1e-3};
  EXPECT_THROW(trsm(matrix_side::left, 1.0F, fa, fb, o, exact), device_error);  // none is stated
  exact.precision = {.target_error = 1e-9};
  EXPECT_THROW(trmm(matrix_side::left, 1.0F, fa, fb, o, exact), device_error);
  // Under automatic the host takes what the accelerator does not.
  const execution automatic{.where = policy::automatic, .on = &dev_};
  trmm(matrix_side::left, 1.0, a, b, o, automatic);
  EXPECT_EQ(last_run().backend, "host");
  EXPECT_THROW(trmm(matrix_side::left, INFINITY, fa, fb, o, there()), device_error);
  fa(0, 0) = fb(0, 0) = 1;
  trmm(matrix_side::left, INFINITY, fa, fb, o, automatic);
  EXPECT_EQ(last_run().backend, "host");
  EXPECT_FALSE(std::isfinite(fb(0, 0)));
}

TEST_F(blas_device, matrices_without_elements_run_nowhere) {
  matrix a({3, 3}), b({3, 0});
  trsm(matrix_side::left, 1.0F, a, b, {}, there());
  EXPECT_EQ(last_run().backend, "host");
  EXPECT_THROW(trsm(matrix_side::left, 1.0F, a, b, {}, {.where = policy::device}), device_error);
}

}  // namespace
}  // namespace papilio::test
