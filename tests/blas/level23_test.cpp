#include <gtest/gtest.h>

#include <cstring>

#include "naive.hpp"

namespace papilio::test {
namespace {

template <class T>
class level23_test : public testing::Test {};
using element_types = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(level23_test, element_types);

constexpr matrix_op all_ops[] = {matrix_op::none, matrix_op::transpose, matrix_op::conjugate,
                                 matrix_op::conjugate_transpose};
constexpr matrix_triangle triangles[] = {matrix_triangle::upper, matrix_triangle::lower};
constexpr matrix_diagonal diagonals[] = {matrix_diagonal::stored, matrix_diagonal::unit};
constexpr matrix_side sides[] = {matrix_side::left, matrix_side::right};
constexpr form some_forms[] = {form::rows, form::padded_columns, form::spread, form::reversed_rows};

bool is_in(matrix_triangle t, std::size_t i, std::size_t j) {
  return t == matrix_triangle::upper ? i <= j : i >= j;
}

// A half of a random matrix; the other half is poison.
template <class T>
stored_matrix<T> half(std::size_t n, matrix_triangle t, form how, bool hermitian,
                      bool unit_diagonal = false) {
  random_source<T> random(static_cast<unsigned>(n) + 17);
  stored_matrix<T> a(n, n, how);
  a.fill([&](std::size_t i, std::size_t j) {
    if (!is_in(t, i, j) || (unit_diagonal && i == j)) return not_a_number<T>();
    if (i != j) return random() / real_of<T>(n);
    const T d = random() + T(3);  // well conditioned
    return hermitian ? T(std::real(d)) : d;
  });
  return a;
}

template <class T>
array<T, 2> expanded(view<const T, 2> a, matrix_triangle t, bool hermitian) {
  array<T, 2> full(a.extents());
  for (std::size_t i = 0; i < a.extent(0); ++i)
    for (std::size_t j = 0; j < a.extent(1); ++j)
      full(i, j) = is_in(t, i, j) ? a(i, j) : hermitian ? conjugate(a(j, i)) : a(j, i);
  return full;
}

template <class T>
array<T, 2> triangle_of(view<const T, 2> a, matrix_triangle t, matrix_diagonal d) {
  array<T, 2> full(a.extents());
  for (std::size_t i = 0; i < a.extent(0); ++i)
    for (std::size_t j = 0; j < a.extent(1); ++j)
      full(i, j) = i == j && d == matrix_diagonal::unit ? T(1) : is_in(t, i, j) ? a(i, j) : T(0);
  return full;
}

template <class T>
array<T, 2> values_of(view<const T, 2> a) {
  array<T, 2> x(a.extents());
  for (std::size_t i = 0; i < a.extent(0); ++i)
    for (std::size_t j = 0; j < a.extent(1); ++j) x(i, j) = a(i, j);
  return x;
}

template <class T>
void add(bounded& sum, T factor, T x) {
  sum.value += exact_of(factor) * exact_of(x);
  sum.magnitude += std::abs(exact_of(factor) * exact_of(x));
}

TYPED_TEST(level23_test, gemv_in_every_form) {
  using T = TypeParam;
  for (const form how : all_forms)
    for (const matrix_op op : all_ops)
      for (const std::ptrdiff_t step : {1, 3, -2})
        for (const T beta : {T(0), T(-0.5)}) {
          const bool t = op == matrix_op::transpose || op == matrix_op::conjugate_transpose;
          const std::size_t m = 9, n = 6;
          random_source<T> random(1);
          const stored_matrix<T> a(t ? n : m, t ? m : n, how, random);
          std::vector<T> xs(3 * n), ys(3 * m, not_a_number<T>());
          for (T& v : xs) v = random();
          const view<const T, 1> x(xs.data() + (step < 0 ? 3 * n - 1 : 0), {n}, {step});
          const view<T, 1> y(ys.data() + (step < 0 ? 3 * m - 1 : 0), {m}, {step});
          if (beta != T(0))
            for (std::size_t i = 0; i < m; ++i) y[i] = random();
          const auto before = ys;
          gemv(T(2), a.view(), x, beta, y, op);
          for (std::size_t i = 0; i < m; ++i) {
            bounded sum;
            for (std::size_t j = 0; j < n; ++j) {
              const exact term = exact(2) * element(a.view(), op, i, j) * exact_of(x[j]);
              sum.value += term;
              sum.magnitude += std::abs(term);
            }
            if (beta != T(0)) add(sum, beta, before[static_cast<std::size_t>(&y[i] - ys.data())]);
            ASSERT_TRUE(is_within(y[i], sum, n));
          }
        }
}

TYPED_TEST(level23_test, gemv_without_terms_scales) {
  using T = TypeParam;
  array<T, 2> a({3, 0}), b({3, 3});
  array<T, 1> x(0), y(3), z(3);
  for (T& v : y) v = T(4);
  gemv(1, a, x, 0.5, y);
  EXPECT_EQ(y[2], T(2));
  b(1, 1) = not_a_number<T>();
  gemv(0, b, z, 0.5, y);
  EXPECT_EQ(y[1], T(1));
}

TYPED_TEST(level23_test, rank_one_updates) {
  using T = TypeParam;
  for (const form how : all_forms) {
    random_source<T> random(2);
    stored_matrix<T> a(5, 4, how, random), c = stored_matrix<T>(5, 4, how);
    array<T, 1> x(5), y(4);
    for (T& v : x) v = random();
    for (T& v : y) v = random();
    const auto before = values_of<T>(a.view());
    c.fill([&](std::size_t i, std::size_t j) { return before(i, j); });
    const T alpha = random();
    ger(alpha, x, y, a.view());
    gerc(alpha, x, y, c.view());
    for (std::size_t i = 0; i < 5; ++i)
      for (std::size_t j = 0; j < 4; ++j) {
        for (const bool conjugated : {false, true}) {
          bounded sum{exact_of(before(i, j)), std::abs(exact_of(before(i, j)))};
          const exact term = exact_of(alpha) * exact_of(x[i]) *
                             (conjugated ? std::conj(exact_of(y[j])) : exact_of(y[j]));
          sum.value += term;
          sum.magnitude += std::abs(term);
          EXPECT_TRUE(is_within(conjugated ? c.view()(i, j) : a.view()(i, j), sum, 2));
        }
      }
  }
}

TYPED_TEST(level23_test, symmetric_and_hermitian_products) {
  using T = TypeParam;
  for (const auto side : sides)
    for (const auto triangle : triangles)
      for (const bool hermitian : {false, true})
        for (const form in_a : some_forms)
          for (const form in_b : some_forms)
            for (const form in_c : some_forms) {
              const std::size_t m = 5, n = 4, k = side == matrix_side::left ? m : n;
              random_source<T> random(3);
              const auto a = half<T>(k, triangle, in_a, hermitian);
              const stored_matrix<T> b(m, n, in_b, random);
              stored_matrix<T> c(m, n, in_c);
              const auto full = expanded<T>(a.view(), triangle, hermitian);
              const T alpha = random();
              const symm_options options{.side = side, .triangle = triangle};
              if (hermitian)
                hemm(alpha, a.view(), b.view(), T(0), c.view(), options);
              else
                symm(alpha, a.view(), b.view(), T(0), c.view(), options);
              const view<const T, 2> f = full.view();
              const auto& [l, r] =
                  side == matrix_side::left ? std::pair(f, b.view()) : std::pair(b.view(), f);
              for (std::size_t i = 0; i < m; ++i)
                for (std::size_t j = 0; j < n; ++j)
                  ASSERT_TRUE(is_within(
                      c.view()(i, j),
                      product_element(alpha, l, matrix_op::none, r, matrix_op::none, k, i, j), k));
              EXPECT_TRUE(c.is_clean());
            }
}

TYPED_TEST(level23_test, symmetric_and_hermitian_products_with_vectors) {
  using T = TypeParam;
  const std::size_t n = 7;
  for (const auto triangle : triangles)
    for (const bool hermitian : {false, true})
      for (const form how : all_forms)
        for (const std::ptrdiff_t step : {1, 2, -1}) {
          const auto a = half<T>(n, triangle, how, hermitian);
          const auto full = expanded<T>(a.view(), triangle, hermitian);
          random_source<T> random(4);
          std::vector<T> xs(2 * n), ys(2 * n);
          for (T& v : xs) v = random();
          for (T& v : ys) v = random();
          const auto before = ys;
          const view<const T, 1> x(xs.data() + (step < 0 ? n : 0), {n}, {step});
          const view<T, 1> y(ys.data() + (step < 0 ? n : 0), {n}, {step});
          if (hermitian)
            hemv(T(2), a.view(), x, T(3), y, triangle);
          else
            symv(T(2), a.view(), x, T(3), y, triangle);
          for (std::size_t i = 0; i < n; ++i) {
            bounded sum;
            for (std::size_t j = 0; j < n; ++j) add(sum, T(2) * full(i, j), x[j]);
            add(sum, T(3), before[static_cast<std::size_t>(&y[i] - ys.data())]);
            ASSERT_TRUE(is_within(y[i], sum, n));
          }
        }
}

TYPED_TEST(level23_test, rank_k_updates_write_one_half) {
  using T = TypeParam;
  for (const bool hermitian : {false, true})
    for (const bool starred : {false, true})
      for (const auto triangle : triangles)
        for (const form in_a : some_forms)
          for (const form in_c : some_forms)
            for (const real_of<T> beta : {real_of<T>(0), real_of<T>(2)})
              for (const std::size_t k : {0, 3}) {
                const std::size_t n = 5;
                random_source<T> random(5);
                const stored_matrix<T> a(starred ? k : n, starred ? n : k, in_a, random);
                stored_matrix<T> c(n, n, in_c);
                c.fill([&](std::size_t i, std::size_t j) {
                  const T x = random();
                  if (beta == 0 && is_in(triangle, i, j)) return not_a_number<T>();
                  return i == j && hermitian ? T(std::real(x)) : x;
                });
                const auto before = values_of<T>(c.view());
                const auto star = hermitian ? matrix_op::conjugate_transpose : matrix_op::transpose;
                const syrk_options options{.a = starred ? star : matrix_op::none,
                                           .triangle = triangle};
                if (hermitian)
                  herk(real_of<T>(0.5), a.view(), beta, c.view(), options);
                else
                  syrk(T(0.5), a.view(), T(beta), c.view(), options);
                for (std::size_t i = 0; i < n; ++i)
                  for (std::size_t j = 0; j < n; ++j) {
                    if (!is_in(triangle, i, j)) {
                      ASSERT_EQ(c.view()(i, j), before(i, j));
                      continue;
                    }
                    auto sum = product_element(T(0.5), a.view(), starred ? star : matrix_op::none,
                                               a.view(), starred ? matrix_op::none : star, k, i, j);
                    if (beta != 0) add(sum, T(beta), before(i, j));
                    ASSERT_TRUE(is_within(c.view()(i, j), sum, k)) << i << ' ' << j;
                  }
              }
}

TYPED_TEST(level23_test, triangular_products_and_solutions) {
  using T = TypeParam;
  for (const auto side : sides)
    for (const auto triangle : triangles)
      for (const auto op : all_ops)
        for (const auto diagonal : diagonals)
          for (const form in_a : some_forms)
            for (const form in_b : some_forms) {
              const std::size_t m = 5, n = 4, k = side == matrix_side::left ? m : n;
              random_source<T> random(6);
              const auto a = half<T>(k, triangle, in_a, false, diagonal == matrix_diagonal::unit);
              const auto full = triangle_of<T>(a.view(), triangle, diagonal);
              stored_matrix<T> b(m, n, in_b, random);
              const auto before = values_of<T>(b.view());
              const triangular_options options{triangle, op, diagonal};
              const view<const T, 2> f = full.view(), x = before.view();
              const auto product = [&](view<const T, 2> y, std::size_t i, std::size_t j) {
                return side == matrix_side::left
                           ? product_element(T(2), f, op, y, matrix_op::none, k, i, j)
                           : product_element(T(2), y, matrix_op::none, f, op, k, i, j);
              };
              trmm(side, T(2), a.view(), b.view(), options);
              for (std::size_t i = 0; i < m; ++i)
                for (std::size_t j = 0; j < n; ++j)
                  ASSERT_TRUE(is_within(b.view()(i, j), product(x, i, j), k));
              // Solving with twice the right side undoes it: the residual of the solution.
              const auto right = values_of<T>(b.view());
              trsm(side, T(2), a.view(), b.view(), options);
              for (std::size_t i = 0; i < m; ++i)
                for (std::size_t j = 0; j < n; ++j) {
                  const auto got = product(b.view(), i, j);
                  ASSERT_TRUE(is_within(right(i, j), {got.value / 4.0L, got.magnitude}, 2 * k));
                }
              EXPECT_TRUE(b.is_clean());
            }
}

TYPED_TEST(level23_test, triangular_products_and_solutions_of_vectors) {
  using T = TypeParam;
  const std::size_t n = 6;
  for (const auto triangle : triangles)
    for (const auto op : all_ops)
      for (const auto diagonal : diagonals)
        for (const form how : all_forms)
          for (const std::ptrdiff_t step : {1, 2, -1}) {
            const auto a = half<T>(n, triangle, how, false, diagonal == matrix_diagonal::unit);
            const auto full = triangle_of<T>(a.view(), triangle, diagonal);
            random_source<T> random(7);
            std::vector<T> xs(2 * n);
            for (T& v : xs) v = random();
            const auto before = xs;
            const view<T, 1> x(xs.data() + (step < 0 ? n : 0), {n}, {step});
            const auto old = [&](std::size_t i) {
              return before[static_cast<std::size_t>(&x[i] - xs.data())];
            };
            const triangular_options options{triangle, op, diagonal};
            trmv(a.view(), x, options);
            const auto multiplied = xs;
            for (std::size_t i = 0; i < n; ++i) {
              bounded sum;
              for (std::size_t j = 0; j < n; ++j) {
                const exact term =
                    element<T>(std::as_const(full).view(), op, i, j) * exact_of(old(j));
                sum.value += term;
                sum.magnitude += std::abs(term);
              }
              ASSERT_TRUE(is_within(x[i], sum, n));
            }
            trsv(a.view(), x, options);
            for (std::size_t i = 0; i < n; ++i)
              EXPECT_LE(std::abs(x[i] - old(i)), 1e3 * epsilon_of<T>);
          }
}

TYPED_TEST(level23_test, the_same_bits_on_any_number_of_threads) {
  using T = TypeParam;
  const std::size_t n = 230, m = 300;
  random_source<T> random(8);
  const auto a = half<T>(n, matrix_triangle::lower, form::rows, true);
  const stored_matrix<T> b(n, m, form::rows, random);
  array<T, 2> symmetric({n, m}), solved({n, m}), updated({n, n});
  const auto run = [&](int threads, auto& s, auto& t, auto& u) {
    symm(T(1), a.view(), b.view(), T(0), s,
         {.triangle = matrix_triangle::lower, .threads = threads});
    t = values_of<T>(b.view());
    trsm(matrix_side::left, T(1), a.view(), t, {.triangle = matrix_triangle::lower}, threads);
    syrk(T(1), b.view(), T(0), u, {.threads = threads});
  };
  run(1, symmetric, solved, updated);
  for (const int threads : {0, 2, 3}) {
    array<T, 2> s({n, m}), t({n, m}), u({n, n});
    run(threads, s, t, u);
    EXPECT_EQ(0, std::memcmp(s.data(), symmetric.data(), s.size() * sizeof(T)));
    EXPECT_EQ(0, std::memcmp(t.data(), solved.data(), t.size() * sizeof(T)));
    EXPECT_EQ(0, std::memcmp(u.data(), updated.data(), u.size() * sizeof(T)));
  }
  for (std::size_t i = 0; i < n; i += 11)
    for (std::size_t j = i; j < n; j += 7)
      EXPECT_TRUE(is_within(
          updated(i, j),
          product_element(T(1), b.view(), matrix_op::none, b.view(), matrix_op::transpose, m, i, j),
          m));
}

TEST(level23_errors, shapes_operations_and_overlaps) {
  array<double, 2> a({3, 3}), b({3, 4}), c({4, 4});
  array<double, 1> x(3), y(4);
  EXPECT_THROW(gemv(1, b, x, 0, y), shape_error);
  EXPECT_THROW(gemv(1, a, x, 0, x), invalid_argument);
  EXPECT_THROW(ger(1, x, x, b), shape_error);
  EXPECT_THROW(symm(1, c, b, 0, b), shape_error);
  EXPECT_THROW(symm(1, a, b, 0, b), invalid_argument);
  EXPECT_THROW(syrk(1, b, 0, c), shape_error);
  EXPECT_THROW(syrk(1, a, 0, a), invalid_argument);
  EXPECT_THROW(trsm(matrix_side::right, 1, a, b), shape_error);
  EXPECT_THROW(trsm(matrix_side::left, 1, a, a), invalid_argument);
  EXPECT_THROW(trmv(b, x), shape_error);
  array<std::complex<double>, 2> z({3, 3}), w({3, 3});
  EXPECT_THROW(syrk(1, z, 0, w, {.a = matrix_op::conjugate_transpose}), invalid_argument);
  EXPECT_THROW(herk(1, z, 0, w, {.a = matrix_op::transpose}), invalid_argument);
}

}  // namespace
}  // namespace papilio::test
