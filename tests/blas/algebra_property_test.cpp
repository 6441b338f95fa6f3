#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "naive.hpp"
#include "random_view.hpp"

// Identities of matrix algebra on views of random strides, within the bounds of rounding.
namespace papilio::test {
namespace {

std::size_t any_extent() { return *rc::gen::inRange<std::size_t>(1, 10); }
matrix_op any_op() {
  return *rc::gen::element(matrix_op::none, matrix_op::transpose, matrix_op::conjugate,
                           matrix_op::conjugate_transpose);
}
bool turns(matrix_op op) {
  return op == matrix_op::transpose || op == matrix_op::conjugate_transpose;
}
matrix_triangle any_triangle() {
  return *rc::gen::element(matrix_triangle::upper, matrix_triangle::lower);
}

template <class T>
random_view<T> any_operand(matrix_op op, std::size_t rows, std::size_t columns,
                           random_source<T>& random) {
  return turns(op) ? any_view<T>(columns, rows, false, random)
                   : any_view<T>(rows, columns, false, random);
}

// |x - y| of two ways to compute what is `sum.magnitude` large at most.
template <class T>
bool agree(T x, T y, long double magnitude, std::size_t terms) {
  return is_within(x, {exact_of(y), 2 * magnitude}, terms);
}

// Sums of magnitudes: |op(A)| |op(B)|.
template <class T>
array<double, 2> magnitudes(view<const T, 2> a, matrix_op op_a, view<const T, 2> b,
                            matrix_op op_b) {
  const std::size_t m = a.extent(turns(op_a) ? 1 : 0), k = a.extent(turns(op_a) ? 0 : 1);
  const std::size_t n = b.extent(turns(op_b) ? 0 : 1);
  array<double, 2> x({m, n});
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j)
      x(i, j) = static_cast<double>(product_element(T(1), a, op_a, b, op_b, k, i, j).magnitude);
  return x;
}

// (op(A) op(B))^H = op(B)^H op(A)^H, bit by bit a matter of the library, in value of ours.
template <class T>
void check_adjoint() {
  const std::size_t m = any_extent(), n = any_extent(), k = any_extent();
  const matrix_op op_a = any_op(), op_b = any_op();
  random_source<T> random(*rc::gen::arbitrary<unsigned>());
  const auto a = any_operand(op_a, m, k, random), b = any_operand(op_b, k, n, random);
  auto c = any_view<T>(m, n, true, random), d = any_view<T>(n, m, true, random);
  const auto adjoint = [](matrix_op op) {
    switch (op) {
      case matrix_op::none:
        return matrix_op::conjugate_transpose;
      case matrix_op::transpose:
        return matrix_op::conjugate;
      case matrix_op::conjugate:
        return matrix_op::transpose;
      default:
        return matrix_op::none;
    }
  };
  gemm(1, a.v, b.v, 0, c.v, {.a = op_a, .b = op_b});
  gemm(1, b.v, a.v, 0, d.v, {.a = adjoint(op_b), .b = adjoint(op_a)});
  const auto size = magnitudes<T>(a.v, op_a, b.v, op_b);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j)
      RC_ASSERT(agree(c.v(i, j), conjugate(d.v(j, i)), size(i, j), k));
}

// alpha A B + beta C twice is what alpha + alpha' and beta beta' give.
template <class T>
void check_linearity() {
  const std::size_t m = any_extent(), n = any_extent(), k = any_extent();
  random_source<T> random(*rc::gen::arbitrary<unsigned>());
  const auto a = any_operand(matrix_op::none, m, k, random);
  const auto b = any_operand(matrix_op::none, k, n, random);
  auto c = any_view<T>(m, n, true, random), d = any_view<T>(m, n, true, random);
  array<double, 2> old({m, n});
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      d.v(i, j) = c.v(i, j);
      old(i, j) = std::abs(c.v(i, j));
    }
  const T alpha = random(), other = random(), beta = random(), next = random();
  gemm(alpha, a.v, b.v, beta, c.v);
  gemm(other, a.v, b.v, next, c.v);
  gemm(other + next * alpha, a.v, b.v, next * beta, d.v);
  const auto size = magnitudes<T>(a.v, matrix_op::none, b.v, matrix_op::none);
  const double of_product = std::abs(other) + std::abs(next) * std::abs(alpha);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j)
      RC_ASSERT(agree(c.v(i, j), d.v(i, j),
                      of_product * size(i, j) + std::abs(next) * std::abs(beta) * old(i, j),
                      k + 4));
}

// (A B) C = A (B C) within the sum of both bounds: |A| |B| |C| times the terms of either product.
template <class T>
void check_associativity() {
  const std::size_t m = any_extent(), n = any_extent(), k = any_extent(), l = any_extent();
  random_source<T> random(*rc::gen::arbitrary<unsigned>());
  const auto a = any_operand(matrix_op::none, m, k, random);
  const auto b = any_operand(matrix_op::none, k, l, random);
  const auto c = any_operand(matrix_op::none, l, n, random);
  auto ab = any_view<T>(m, l, true, random), bc = any_view<T>(k, n, true, random);
  auto left = any_view<T>(m, n, true, random), right = any_view<T>(m, n, true, random);
  gemm(1, a.v, b.v, 0, ab.v);
  gemm(1, ab.v, c.v, 0, left.v);
  gemm(1, b.v, c.v, 0, bc.v);
  gemm(1, a.v, bc.v, 0, right.v);
  const auto size = magnitudes<T>(b.v, matrix_op::none, c.v, matrix_op::none);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      double all = 0;
      for (std::size_t p = 0; p < k; ++p) all += 2 * std::abs(a.v(i, p)) * size(p, j);
      RC_ASSERT(agree(left.v(i, j), right.v(i, j), all, k + l));
    }
}

// A triangle of random strides; what is not read is poison.
template <class T>
random_view<T> any_triangular(std::size_t n, const triangular_options& options,
                              random_source<T>& random) {
  auto a = any_view<T>(n, n, true, random);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      const bool is_half = options.triangle == matrix_triangle::upper ? i < j : i > j;
      if (i == j && options.diagonal == matrix_diagonal::stored)
        a.v(i, j) = random() + T(4);
      else
        a.v(i, j) = is_half ? a.v(i, j) / real_of<T>(2 * n) : not_a_number<T>();
    }
  return a;
}

// trsm undoes trmm: the condition of these triangles is below 100.
template <class T>
void check_solutions() {
  const std::size_t m = any_extent(), n = any_extent();
  const auto side = *rc::gen::element(matrix_side::left, matrix_side::right);
  const triangular_options options{
      any_triangle(), any_op(), *rc::gen::element(matrix_diagonal::stored, matrix_diagonal::unit)};
  random_source<T> random(*rc::gen::arbitrary<unsigned>());
  const auto a = any_triangular<T>(side == matrix_side::left ? m : n, options, random);
  auto x = any_view<T>(m, n, true, random);
  array<T, 2> before({m, n});
  double norm = 0;
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      before(i, j) = x.v(i, j);
      norm = std::max(norm, static_cast<double>(std::abs(x.v(i, j))));
    }
  const T alpha = random() + T(3);
  trmm(side, alpha, a.v, x.v, options);
  trsm(side, T(1) / alpha, a.v, x.v, options);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j)
      RC_ASSERT(std::abs(x.v(i, j) - before(i, j)) <= 3e3 * epsilon_of<T> * norm);
}

// symm and hemm on one half are gemm on the whole; alpha and beta as gemm's.
template <class T>
void check_symmetric() {
  const std::size_t m = any_extent(), n = any_extent();
  const bool hermitian = *rc::gen::arbitrary<bool>();
  const symm_options options{.side = *rc::gen::element(matrix_side::left, matrix_side::right),
                             .triangle = any_triangle()};
  const bool is_left = options.side == matrix_side::left;
  const std::size_t k = is_left ? m : n;
  random_source<T> random(*rc::gen::arbitrary<unsigned>());
  auto a = any_view<T>(k, k, true, random);
  array<T, 2> whole({k, k});
  for (std::size_t i = 0; i < k; ++i)
    for (std::size_t j = 0; j < k; ++j) {
      const bool is_half = options.triangle == matrix_triangle::upper ? i < j : i > j;
      if (i == j) {
        whole(i, i) = hermitian ? T(std::real(a.v(i, i))) : a.v(i, i);
      } else if (is_half) {
        whole(i, j) = a.v(i, j);
        whole(j, i) = hermitian ? conjugate(a.v(i, j)) : a.v(i, j);
      } else {
        a.v(i, j) = not_a_number<T>();
      }
    }
  const auto b = any_operand(matrix_op::none, m, n, random);
  auto c = any_view<T>(m, n, true, random);
  array<T, 2> d({m, n}), old({m, n});
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j) d(i, j) = old(i, j) = c.v(i, j);
  const T alpha = random(), beta = *rc::gen::arbitrary<bool>() ? random() : T(0);
  if (hermitian)
    hemm(alpha, a.v, b.v, beta, c.v, options);
  else
    symm(alpha, a.v, b.v, beta, c.v, options);
  const view<const T, 2> square = whole, other = b.v;
  gemm(alpha, is_left ? square : other, is_left ? other : square, beta, d);
  const auto size = magnitudes<T>(is_left ? square : other, matrix_op::none,
                                  is_left ? other : square, matrix_op::none);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j)
      RC_ASSERT(agree(c.v(i, j), d(i, j),
                      std::abs(alpha) * size(i, j) + std::abs(beta) * std::abs(old(i, j)), k));
}

// herk and her2k are one half of gemm, from operands of any strides.
template <class T>
void check_rank_updates() {
  const std::size_t n = any_extent(), k = any_extent();
  const bool starred = *rc::gen::arbitrary<bool>();
  const matrix_op op = starred ? matrix_op::conjugate_transpose : matrix_op::none;
  const matrix_op star = starred ? matrix_op::none : matrix_op::conjugate_transpose;
  const syrk_options options{.a = op, .triangle = any_triangle()};
  random_source<T> random(*rc::gen::arbitrary<unsigned>());
  const auto a = any_operand(op, n, k, random), b = any_operand(op, n, k, random);
  auto one = any_view<T>(n, n, true, random), two = any_view<T>(n, n, true, random);
  array<T, 2> expected_one({n, n}), expected_two({n, n});
  const T alpha = random();
  herk(real_of<T>(2), a.v, 0, one.v, options);
  her2k(alpha, a.v, b.v, 0, two.v, options);
  gemm(2, a.v, a.v, 0, expected_one, {.a = op, .b = star});
  gemm(alpha, a.v, b.v, 0, expected_two, {.a = op, .b = star});
  gemm(conjugate(alpha), b.v, a.v, 1, expected_two, {.a = op, .b = star});
  const auto of_a = magnitudes<T>(a.v, op, a.v, star), of_ab = magnitudes<T>(a.v, op, b.v, star);
  const auto of_ba = magnitudes<T>(b.v, op, a.v, star);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      if (options.triangle == matrix_triangle::upper ? i > j : i < j) continue;
      RC_ASSERT(agree(one.v(i, j), expected_one(i, j), 2 * of_a(i, j), k));
      RC_ASSERT(agree(two.v(i, j), expected_two(i, j),
                      std::abs(alpha) * (of_ab(i, j) + of_ba(i, j)), 2 * k));
    }
}

#define PAPILIO_PROPERTIES(name, T)                                                             \
  RC_GTEST_PROP(algebra_property, adjoint_of_a_product_##name, ()) { check_adjoint<T>(); }      \
  RC_GTEST_PROP(algebra_property, linearity_##name, ()) { check_linearity<T>(); }               \
  RC_GTEST_PROP(algebra_property, associativity_##name, ()) { check_associativity<T>(); }       \
  RC_GTEST_PROP(algebra_property, solutions_undo_products_##name, ()) { check_solutions<T>(); } \
  RC_GTEST_PROP(algebra_property, one_half_is_the_whole_##name, ()) { check_symmetric<T>(); }   \
  RC_GTEST_PROP(algebra_property, rank_updates_##name, ()) { check_rank_updates<T>(); }
PAPILIO_PROPERTIES(float, float)
PAPILIO_PROPERTIES(double, double)
PAPILIO_PROPERTIES(complex_float, std::complex<float>)
PAPILIO_PROPERTIES(complex_double, std::complex<double>)
#undef PAPILIO_PROPERTIES

}  // namespace
}  // namespace papilio::test
