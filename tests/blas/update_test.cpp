#include <gtest/gtest.h>

#include <cstring>

#include "naive.hpp"

namespace papilio::test {
namespace {

template <class T>
class update_test : public testing::Test {};
using element_types = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(update_test, element_types);

constexpr matrix_op all_ops[] = {matrix_op::none, matrix_op::transpose, matrix_op::conjugate,
                                 matrix_op::conjugate_transpose};
constexpr matrix_triangle triangles[] = {matrix_triangle::upper, matrix_triangle::lower};
constexpr form some_forms[] = {form::rows, form::padded_columns, form::spread, form::reversed_rows};

bool is_in(matrix_triangle t, std::size_t i, std::size_t j) {
  return t == matrix_triangle::upper ? i <= j : i >= j;
}

// Random in one half and poisoned in the other, which may not even be read.
template <class T>
void fill_half(stored_matrix<T>& a, matrix_triangle triangle, bool real_diagonal) {
  random_source<T> random(3);
  a.fill([&](std::size_t i, std::size_t j) {
    if (!is_in(triangle, i, j)) return not_a_number<T>();
    const T x = random();
    return real_diagonal && i == j ? T(std::real(x)) : x;
  });
}

template <class T>
std::vector<T> elements(const stored_matrix<T>& a) {
  std::vector<T> x;
  for (std::size_t i = 0; i < a.view().extent(0); ++i)
    for (std::size_t j = 0; j < a.view().extent(1); ++j) x.push_back(a.view()(i, j));
  return x;
}

// Each element of the half within the bound of `expected(i, j)` + beta old; the other untouched.
template <class T, class Expected>
void expect_half(stored_matrix<T>& got, const std::vector<T>& before, matrix_triangle triangle,
                 T beta, bool hermitian, std::size_t terms, const Expected& expected) {
  const std::size_t n = got.view().extent(0);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      const T x = got.view()(i, j);
      if (!is_in(triangle, i, j)) {
        ASSERT_TRUE(std::isnan(std::real(x)));
        continue;
      }
      bounded sum = expected(i, j);
      if (beta != T(0)) {
        sum.value += exact_of(beta) * exact_of(before[i * n + j]);
        sum.magnitude += std::abs(exact_of(beta) * exact_of(before[i * n + j]));
      }
      ASSERT_TRUE(is_within(x, sum, terms)) << i << ' ' << j;
      if (hermitian && i == j) {
        ASSERT_EQ(std::imag(x), 0);
      }
    }
}

template <class T>
struct strided_vector {
  strided_vector(std::size_t n, std::ptrdiff_t stride, unsigned seed)
      : memory(2 * n + 2), v(memory.data() + (stride < 0 ? 2 * n : 0), {n}, {stride}) {
    random_source<T> random(seed);
    for (T& x : memory) x = random();
  }
  std::vector<T> memory;
  view<const T, 1> v;
};

TYPED_TEST(update_test, of_rank_one_and_two) {
  using T = TypeParam;
  const std::size_t n = 7;
  for (const bool hermitian : {false, true})
    for (const int rank : {1, 2})
      for (const auto triangle : triangles)
        for (const form how : all_forms)
          for (const std::ptrdiff_t stride : {1, 2, -1, 0}) {
            const strided_vector<T> x(n, stride, 1), y(n, -stride, 2);
            stored_matrix<T> a(n, n, how);
            fill_half(a, triangle, hermitian);
            const auto before = elements(a);
            const T alpha = rank == 1 && hermitian ? T(real_of<T>(0.7)) : random_source<T>(9)();
            if (rank == 1 && hermitian)
              her(std::real(alpha), x.v, a.view(), triangle);
            else if (rank == 1)
              syr(alpha, x.v, a.view(), triangle);
            else if (hermitian)
              her2(alpha, x.v, y.v, a.view(), triangle);
            else
              syr2(alpha, x.v, y.v, a.view(), triangle);
            const auto star = [&](exact z) { return hermitian ? std::conj(z) : z; };
            expect_half(a, before, triangle, T(1), hermitian, 4, [&](std::size_t i, std::size_t j) {
              const exact f = exact_of(alpha), xi = exact_of(x.v[i]), xj = exact_of(x.v[j]);
              const exact yi = exact_of(y.v[i]), yj = exact_of(y.v[j]);
              if (rank == 1) return bounded{f * xi * star(xj), 2 * std::abs(f * xi * xj)};
              return bounded{f * xi * star(yj) + star(f) * yi * star(xj),
                             2 * (std::abs(f * xi * yj) + std::abs(f * yi * xj))};
            });
          }
}

TYPED_TEST(update_test, gemmt_in_every_form) {
  using T = TypeParam;
  for (const auto triangle : triangles)
    for (const auto op_a : all_ops)
      for (const auto op_b : all_ops)
        for (const form in : some_forms)
          for (const form out : some_forms)
            for (const T beta : {T(0), T(-0.5)})
              for (const std::size_t k : {0, 4}) {
                const auto turns = [](matrix_op op) {
                  return op == matrix_op::transpose || op == matrix_op::conjugate_transpose;
                };
                const std::size_t n = 5;
                random_source<T> random(1);
                const stored_matrix<T> a(turns(op_a) ? k : n, turns(op_a) ? n : k, in, random);
                const stored_matrix<T> b(turns(op_b) ? n : k, turns(op_b) ? k : n, out, random);
                stored_matrix<T> c(n, n, out);
                fill_half(c, triangle, false);
                const auto before = elements(c);
                gemmt(T(2), a.view(), b.view(), beta, c.view(), triangle, {op_a, op_b});
                expect_half(c, before, triangle, beta, false, k, [&](std::size_t i, std::size_t j) {
                  return product_element(T(2), a.view(), op_a, b.view(), op_b, k, i, j);
                });
              }
}

TYPED_TEST(update_test, of_rank_two_k) {
  using T = TypeParam;
  for (const bool hermitian : {false, true})
    for (const bool starred : {false, true})
      for (const auto triangle : triangles)
        for (const form in_a : some_forms)
          for (const form in_b : some_forms)
            for (const real_of<T> beta : {real_of<T>(0), real_of<T>(2)})
              for (const std::size_t k : {0, 3}) {
                const std::size_t n = 5;
                random_source<T> random(5);
                const stored_matrix<T> a(starred ? k : n, starred ? n : k, in_a, random);
                const stored_matrix<T> b(starred ? k : n, starred ? n : k, in_b, random);
                stored_matrix<T> c(n, n, in_b);
                fill_half(c, triangle, hermitian);
                const auto before = elements(c);
                const auto star = hermitian ? matrix_op::conjugate_transpose : matrix_op::transpose;
                const auto first = starred ? star : matrix_op::none;
                const auto second = starred ? matrix_op::none : star;
                const syrk_options options{.a = first, .triangle = triangle};
                const T alpha = random(), other = hermitian ? conjugate(alpha) : alpha;
                if (hermitian)
                  her2k(alpha, a.view(), b.view(), beta, c.view(), options);
                else
                  syr2k(alpha, a.view(), b.view(), T(beta), c.view(), options);
                expect_half(
                    c, before, triangle, T(beta), hermitian, 2 * k,
                    [&](std::size_t i, std::size_t j) {
                      auto sum = product_element(alpha, a.view(), first, b.view(), second, k, i, j);
                      const auto more =
                          product_element(other, b.view(), first, a.view(), second, k, i, j);
                      sum.value += more.value;
                      sum.magnitude += more.magnitude;
                      return sum;
                    });
              }
}

TYPED_TEST(update_test, large_ones_have_the_same_bits_on_any_number_of_threads) {
  using T = TypeParam;
  const std::size_t n = 331, k = 120;
  random_source<T> random(8);
  const stored_matrix<T> a(n, k, form::rows, random), b(n, k, form::spread, random);
  array<T, 2> one({n, n}), halves({n, n});
  syr2k(T(1), a.view(), b.view(), T(0), one, {.threads = 1});
  gemmt(T(1), a.view(), b.view(), T(0), halves, matrix_triangle::lower,
        {.b = matrix_op::transpose, .threads = 1});
  for (const int threads : {0, 2, 3}) {
    array<T, 2> c({n, n});
    syr2k(T(1), a.view(), b.view(), T(0), c, {.threads = threads});
    EXPECT_EQ(0, std::memcmp(c.data(), one.data(), c.size() * sizeof(T)));
    array<T, 2> h({n, n});
    gemmt(T(1), a.view(), b.view(), T(0), h, matrix_triangle::lower,
          {.b = matrix_op::transpose, .threads = threads});
    EXPECT_EQ(0, std::memcmp(h.data(), halves.data(), h.size() * sizeof(T)));
  }
  for (std::size_t i = 0; i < n; i += 7)
    for (std::size_t j = 0; j < n; j += 11) {
      const auto sum =
          product_element(T(1), a.view(), matrix_op::none, b.view(), matrix_op::transpose, k, i, j);
      if (j <= i)
        EXPECT_TRUE(is_within(halves(i, j), sum, k));
      else
        EXPECT_EQ(halves(i, j), T(0));
    }
}

TEST(update_errors, shapes_operations_and_overlaps) {
  array<double, 2> a({3, 3}), b({3, 4}), c({4, 4});
  array<double, 1> x(3), y(4);
  EXPECT_THROW(syr(1, x, b), shape_error);
  EXPECT_THROW(syr(1, x, c), shape_error);
  EXPECT_THROW(her2(1, x, y, a), shape_error);
  EXPECT_THROW(syr(1, view<double, 1>(a.data(), {3}), a), invalid_argument);
  EXPECT_THROW(syr2(1, x, view<double, 1>(a.data(), {3}), a), invalid_argument);
  EXPECT_THROW(syr2k(1, b, a, 0, c), shape_error);
  EXPECT_THROW(syr2k(1, b, b, 0, c), shape_error);
  EXPECT_THROW(syr2k(1, a, a, 0, a), invalid_argument);
  EXPECT_THROW(gemmt(1, a, b, 0, b), shape_error);
  EXPECT_THROW(gemmt(1, b, b, 0, c), shape_error);
  EXPECT_THROW(gemmt(1, a, a, 0, a), invalid_argument);
  array<std::complex<double>, 2> z({3, 3}), w({3, 3}), v({3, 3});
  EXPECT_THROW(syr2k(1, z, w, 0, v, {.a = matrix_op::conjugate_transpose}), invalid_argument);
  EXPECT_THROW(her2k(1, z, w, 0, v, {.a = matrix_op::transpose}), invalid_argument);
}

}  // namespace
}  // namespace papilio::test
