#include <gtest/gtest.h>

#include "naive.hpp"

namespace papilio::test {
namespace {

template <class T>
class factorization_test : public testing::Test {};
using element_types = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(factorization_test, element_types);

constexpr extents_type<2> shapes[] = {{1, 1}, {5, 5}, {9, 4}, {4, 9}, {60, 33}, {1, 7}, {7, 1}};

// Long-double product of matrices, the first conjugate-transposed if asked.
template <class T>
std::vector<exact> product(view<const T, 2> x, matrix_op op_x, view<const T, 2> y, matrix_op op_y) {
  const bool tx = op_x == matrix_op::conjugate_transpose;
  const bool ty = op_y == matrix_op::conjugate_transpose;
  const std::size_t m = x.extent(tx ? 1 : 0), k = x.extent(tx ? 0 : 1), n = y.extent(ty ? 0 : 1);
  std::vector<exact> z(m * n);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t p = 0; p < k; ++p)
        z[i * n + j] += element(x, op_x, i, p) * element(y, op_y, p, j);
  return z;
}

// Backward stable: residuals are a modest multiple of epsilon times the size (Higham, chapters 10,
// 19 and 9; LAPACK Users' Guide, 4.7 and 4.9).
template <class T>
double tolerance(std::size_t n) {
  return 10 * static_cast<double>(n + 4) * epsilon_of<T>;
}

template <class T>
void expect_close(const std::vector<exact>& got, view<const T, 2> expected, double bound) {
  ASSERT_EQ(got.size(), expected.size());
  long double error = 0, norm = 0;
  for (std::size_t i = 0; i < expected.extent(0); ++i)
    for (std::size_t j = 0; j < expected.extent(1); ++j) {
      error += std::norm(got[i * expected.extent(1) + j] - exact_of(expected(i, j)));
      norm += std::norm(exact_of(expected(i, j)));
    }
  EXPECT_LE(std::sqrt(error), bound * std::sqrt(norm));
}

// X^H X = 1.
template <class T>
void expect_orthonormal(view<const T, 2> x, double bound) {
  const std::size_t k = x.extent(1);
  const auto gram = product(x, matrix_op::conjugate_transpose, x, matrix_op::none);
  for (std::size_t i = 0; i < k; ++i)
    for (std::size_t j = 0; j < k; ++j)
      EXPECT_LE(std::abs(gram[i * k + j] - exact(i == j ? 1 : 0)), bound);
}

template <class T>
array<T, 2> conjugate_transpose(view<const T, 2> x) {
  array<T, 2> y({x.extent(1), x.extent(0)});
  for (std::size_t i = 0; i < x.extent(0); ++i)
    for (std::size_t j = 0; j < x.extent(1); ++j) y(j, i) = conjugate(x(i, j));
  return y;
}

TYPED_TEST(factorization_test, qr) {
  using T = TypeParam;
  for (const auto& [m, n] : shapes)
    for (const form how : {form::rows, form::columns, form::reversed_both, form::spread}) {
      random_source<T> random(1);
      const stored_matrix<T> a(m, n, how, random);
      const qr_factors<T> f = qr(a.view());
      const view<const T, 2> q = f.q, r = f.r;
      const std::size_t k = std::min(m, n);
      ASSERT_EQ(q.extents(), (extents_type<2>{m, k}));
      ASSERT_EQ(r.extents(), (extents_type<2>{k, n}));
      expect_close(product(q, matrix_op::none, r, matrix_op::none), a.view(), tolerance<T>(m + n));
      expect_orthonormal(q, tolerance<T>(m));
      for (std::size_t i = 0; i < k; ++i)
        for (std::size_t j = 0; j < i; ++j) EXPECT_EQ(r(i, j), T(0));
    }
}

TYPED_TEST(factorization_test, svd) {
  using T = TypeParam;
  for (const auto& [m, n] : shapes)
    for (const form how : {form::rows, form::columns, form::spread})
      for (const auto vectors : {svd_vectors::reduced, svd_vectors::full}) {
        random_source<T> random(2);
        const stored_matrix<T> a(m, n, how, random);
        const svd_factors<T> f = svd(a.view(), vectors);
        const std::size_t k = std::min(m, n);
        const bool is_full = vectors == svd_vectors::full;
        ASSERT_EQ(f.u.extents(), (extents_type<2>{m, is_full ? m : k}));
        ASSERT_EQ(f.vh.extents(), (extents_type<2>{is_full ? n : k, n}));
        array<T, 2> scaled({m, k});
        for (std::size_t i = 0; i < m; ++i)
          for (std::size_t j = 0; j < k; ++j) scaled(i, j) = f.u(i, j) * f.s[j];
        const view<const T, 2> left = scaled, vh = f.vh;
        expect_close(product(left, matrix_op::none, vh.slice(0, 0, k), matrix_op::none), a.view(),
                     tolerance<T>(m + n));
        expect_orthonormal<T>(f.u, tolerance<T>(m + n));
        expect_orthonormal<T>(conjugate_transpose(vh), tolerance<T>(m + n));
        for (std::size_t j = 0; j + 1 < k; ++j) EXPECT_GE(f.s[j], f.s[j + 1]);
        const auto only = svd(a.view(), svd_vectors::none);
        EXPECT_TRUE(only.u.empty() && only.vh.empty());
        for (std::size_t j = 0; j < k; ++j)
          EXPECT_NEAR(only.s[j], f.s[j], tolerance<T>(m + n) * f.s[0]);
      }
}

template <class T>
array<T, 2> hermitian(std::size_t n, double shift) {
  random_source<T> random(3);
  array<T, 2> x({n, n}), a({n, n});
  for (T& v : x) v = random();
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) a(i, j) = x(i, j) + conjugate(x(j, i));
  for (std::size_t i = 0; i < n; ++i) a(i, i) = T(std::real(a(i, i)) + real_of<T>(shift));
  return a;
}

template <class T>
array<T, 2> poisoned_half(const array<T, 2>& a, matrix_triangle kept) {
  array<T, 2> x = a;
  for (std::size_t i = 0; i < a.extent(0); ++i)
    for (std::size_t j = 0; j < a.extent(1); ++j)
      if (kept == matrix_triangle::lower ? j > i : j < i) x(i, j) = not_a_number<T>();
  return x;
}

TYPED_TEST(factorization_test, eigh) {
  using T = TypeParam;
  for (const std::size_t n : {1, 2, 7, 40})
    for (const auto triangle : {matrix_triangle::lower, matrix_triangle::upper}) {
      const auto a = hermitian<T>(n, 0);
      const auto f = eigh(poisoned_half(a, triangle), eigen_vectors::all, triangle);
      const view<const T, 2> v = f.vectors;
      array<T, 2> scaled({n, n});
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) scaled(i, j) = v(i, j) * f.values[j];
      expect_close<T>(product<T>(scaled, matrix_op::none, v, matrix_op::conjugate_transpose), a,
                      tolerance<T>(n));
      expect_orthonormal(v, tolerance<T>(n));
      for (std::size_t j = 0; j + 1 < n; ++j) EXPECT_LE(f.values[j], f.values[j + 1]);
      const auto only = eigh(a, eigen_vectors::none);
      EXPECT_TRUE(only.vectors.empty());
      for (std::size_t j = 0; j < n; ++j)
        EXPECT_NEAR(only.values[j], f.values[j],
                    tolerance<T>(n) * std::max(std::abs(f.values[0]), std::abs(f.values[n - 1])));
    }
}

// Residuals |A v - w v| and orthogonality; the triangle that is not read holds something else.
template <class T>
void check_leading(std::size_t n, std::size_t count, matrix_triangle triangle) {
  const auto random = test::random_real<T>(n * n, 7);
  array<T, 2> a({n, n}), read({n, n});
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      a(i, j) = random[std::min(i, j) * n + std::max(i, j)];
      const bool is_read = triangle == matrix_triangle::lower ? j <= i : j >= i;
      read(i, j) = is_read ? a(i, j) : T(1e6);
    }
  const auto all = eigh(a);
  const auto leading = eigh_leading(read, count, triangle);
  ASSERT_EQ(leading.vectors.extents(), (extents_type<2>{n, count}));
  const double scale = std::max(std::abs(all.values(0)), std::abs(all.values(n - 1)));
  expect_orthonormal<T>(leading.vectors.view(), tolerance<T>(n));
  for (std::size_t r = 0; r < count; ++r) {
    EXPECT_NEAR(leading.values(r), all.values(n - 1 - r), tolerance<T>(n) * scale);
    for (std::size_t i = 0; i < n; ++i) {
      long double residual = -static_cast<long double>(leading.values(r)) * leading.vectors(i, r);
      for (std::size_t j = 0; j < n; ++j)
        residual += static_cast<long double>(a(i, j)) * leading.vectors(j, r);
      EXPECT_LE(std::abs(residual), tolerance<T>(n) * scale);
    }
  }
}

TEST(eigh_leading_test, is_the_end_of_eigh) {
  for (const auto& [n, count] : {std::pair<std::size_t, std::size_t>{1, 1}, {7, 7}, {40, 5}})
    for (const auto triangle : {matrix_triangle::lower, matrix_triangle::upper}) {
      check_leading<float>(n, count, triangle);
      check_leading<double>(n, count, triangle);
    }
  const array<double, 2> a({4, 4}), wide({4, 5});
  EXPECT_EQ(eigh_leading(a, 0).vectors.extents(), (extents_type<2>{4, 0}));
  EXPECT_THROW(eigh_leading(a, 5), invalid_argument);
  EXPECT_THROW(eigh_leading(wide, 1), shape_error);
}

TYPED_TEST(factorization_test, cholesky) {
  using T = TypeParam;
  for (const std::size_t n : {1, 2, 7, 40})
    for (const auto triangle : {matrix_triangle::lower, matrix_triangle::upper}) {
      const auto a = hermitian<T>(n, 8 * std::sqrt(static_cast<double>(n)) + 8);
      const array<T, 2> factor = cholesky(poisoned_half(a, triangle), triangle);
      const view<const T, 2> l = factor;
      expect_close<T>(product(l, matrix_op::none, l, matrix_op::conjugate_transpose), a,
                      tolerance<T>(n));
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = i + 1; j < n; ++j) EXPECT_EQ(l(i, j), T(0));
    }
}

TYPED_TEST(factorization_test, solve) {
  using T = TypeParam;
  for (const std::size_t n : {1, 3, 30})
    for (const std::size_t columns : {0, 1, 5})
      for (const form how : {form::rows, form::padded_columns, form::reversed_rows}) {
        random_source<T> random(4);
        stored_matrix<T> a(n, n, how, random);
        for (std::size_t i = 0; i < n; ++i) a.view()(i, i) += T(8);
        const stored_matrix<T> b(n, columns, how, random);
        const array<T, 2> x = solve(a.view(), b.view());
        expect_close<T>(product<T>(std::as_const(a).view(), matrix_op::none, x, matrix_op::none),
                        b.view(), 4 * tolerance<T>(n));
      }
}

TYPED_TEST(factorization_test, empty_matrices) {
  using T = TypeParam;
  const array<T, 2> tall({3, 0}), none({0, 0});
  EXPECT_EQ(qr(tall).q.extents(), (extents_type<2>{3, 0}));
  EXPECT_EQ(svd(tall).vh.extents(), (extents_type<2>{0, 0}));
  EXPECT_EQ(svd(tall, svd_vectors::full).u(2, 2), T(1));
  EXPECT_TRUE(eigh(none).values.empty());
  EXPECT_TRUE(cholesky(none).empty());
  EXPECT_TRUE(solve(none, tall.view().slice(0, 0, 0)).empty());
}

TEST(factorization_errors, singular_indefinite_and_not_finite) {
  array<double, 2> a({3, 3});
  const auto message = [](const auto& work) {
    try {
      work();
    } catch (const invalid_argument& e) {
      return std::string(e.what());
    }
    return std::string("nothing");
  };
  for (std::size_t i = 0; i < 3; ++i) a(i, i) = 1;
  a(1, 1) = -1;
  EXPECT_EQ(message([&] { cholesky(a); }),
            "cholesky: a is not positive definite: its leading minor of order 2 is not");
  a(1, 1) = 0;
  EXPECT_EQ(message([&] { solve(a, a); }), "solve: a is singular: pivot 1 is zero");
  a(0, 2) = std::numeric_limits<double>::infinity();
  EXPECT_EQ(message([&] { svd(a); }), "svd: a(0, 2) is not finite: inf");
  EXPECT_EQ(message([&] { qr(a); }), "qr: a(0, 2) is not finite: inf");
  EXPECT_EQ(message([&] { eigh(a); }), "nothing");
  EXPECT_EQ(message([&] { eigh(a, eigen_vectors::all, matrix_triangle::upper); }),
            "eigh: a(0, 2) is not finite: inf");
  const array<double, 2> wide({2, 3});
  EXPECT_THROW(eigh(wide), shape_error);
  EXPECT_THROW(cholesky(wide), shape_error);
  EXPECT_THROW(solve(wide, wide), shape_error);
  EXPECT_THROW(solve(array<double, 2>({2, 2}), array<double, 2>({3, 1})), shape_error);
}

}  // namespace
}  // namespace papilio::test
