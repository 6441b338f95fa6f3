#include <gtest/gtest.h>

#include <cstring>

#include "naive.hpp"

namespace papilio::test {
namespace {

template <class T>
class gemm_test : public testing::Test {};
using element_types = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(gemm_test, element_types);

constexpr matrix_op all_ops[] = {matrix_op::none, matrix_op::transpose, matrix_op::conjugate,
                                 matrix_op::conjugate_transpose};

bool transposes(matrix_op op) {
  return op == matrix_op::transpose || op == matrix_op::conjugate_transpose;
}

template <class T>
stored_matrix<T> operand(std::size_t rows, std::size_t columns, matrix_op op, form how,
                         random_source<T>& random) {
  return transposes(op) ? stored_matrix<T>(columns, rows, how, random)
                        : stored_matrix<T>(rows, columns, how, random);
}

template <class T>
void expect_product(std::size_t m, std::size_t n, std::size_t k, form in_a, form in_b, form in_c,
                    T alpha, T beta, const gemm_options& options) {
  random_source<T> random(static_cast<unsigned>(m + 3 * n + 7 * k));
  const auto a = operand<T>(m, k, options.a, in_a, random);
  const auto b = operand<T>(k, n, options.b, in_b, random);
  stored_matrix<T> c(m, n, in_c);
  if (beta != T(0)) c.fill([&](std::size_t, std::size_t) { return random(); });
  const auto before = c;
  gemm(alpha, a.view(), b.view(), beta, c.view(), options);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      auto expected = product_element(alpha, a.view(), options.a, b.view(), options.b, k, i, j);
      if (beta != T(0)) {
        // The copy of the vector has its own memory: the same offset.
        const T old =
            before.memory()[static_cast<std::size_t>(&c.view()(i, j) - c.memory().data())];
        expected.value += exact_of(beta) * exact_of(old);
        expected.magnitude += std::abs(exact_of(beta) * exact_of(old));
      }
      ASSERT_TRUE(is_within(c.view()(i, j), expected, k))
          << m << ' ' << n << ' ' << k << " at " << i << ' ' << j << ": " << c.view()(i, j);
    }
  EXPECT_TRUE(c.is_clean());
}

template <class T>
T number(double re, double im) {
  if constexpr (std::is_floating_point_v<T>)
    return static_cast<T>(re + im);
  else
    return {static_cast<real_of<T>>(re), static_cast<real_of<T>>(im)};
}

TYPED_TEST(gemm_test, every_form_of_every_operand) {
  using T = TypeParam;
  for (const form in_a : all_forms)
    for (const form in_b : all_forms)
      for (const form in_c : all_forms)
        expect_product<T>(5, 7, 4, in_a, in_b, in_c, number<T>(1.5, 0.5), number<T>(0.5, -2), {});
}

TYPED_TEST(gemm_test, every_pair_of_operations) {
  using T = TypeParam;
  for (const matrix_op op_a : all_ops)
    for (const matrix_op op_b : all_ops)
      for (const form how : all_forms)
        for (const double beta : {0.0, 1.0, -0.5})
          expect_product<T>(6, 3, 9, how, form::padded_columns, form::rows, number<T>(1, -1),
                            number<T>(beta, 0), {.a = op_a, .b = op_b});
}

TYPED_TEST(gemm_test, extents_of_0_and_1_and_beyond_a_block) {
  using T = TypeParam;
  for (const std::size_t m : {0, 1, 2, 65})
    for (const std::size_t n : {0, 1, 3, 130})
      for (const std::size_t k : {0, 1, 33})
        for (const form how : {form::rows, form::columns, form::reversed_both})
          expect_product<T>(m, n, k, how, form::rows, how, T(1), m % 2 == 0 ? T(0) : T(1), {});
}

TYPED_TEST(gemm_test, beta_0_overwrites_what_is_not_a_number) {
  using T = TypeParam;
  for (const form how : all_forms) {
    expect_product<T>(40, 30, 20, form::rows, form::rows, how, T(1), T(0), {});
    expect_product<T>(40, 1, 20, form::rows, form::rows, how, T(1), T(0), {});
    expect_product<T>(3, 4, 0, form::rows, form::rows, how, T(1), T(0), {});
  }
}

TYPED_TEST(gemm_test, alpha_0_reads_neither_operand) {
  using T = TypeParam;
  const stored_matrix<T> a(4, 4, form::rows), b(4, 4, form::columns);  // poisoned
  for (const form how : all_forms) {
    stored_matrix<T> c(4, 4, how);
    c.fill([](std::size_t i, std::size_t j) { return T(static_cast<real_of<T>>(i + j)); });
    gemm(0, a.view(), b.view(), 2, c.view());
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t j = 0; j < 4; ++j)
        EXPECT_EQ(c.view()(i, j), T(static_cast<real_of<T>>(2 * (i + j))));
    gemm(0, a.view(), b.view(), 0, c.view());
    EXPECT_EQ(c.view()(3, 3), T(0));
  }
}

TYPED_TEST(gemm_test, broadcast_operands_and_sliding_windows) {
  using T = TypeParam;
  random_source<T> random(5);
  std::vector<T> line(64);
  for (T& x : line) x = random();
  const view<const T, 2> shared_row(line.data(), {9, 8}, {0, 1});
  const view<const T, 2> shared_column(line.data(), {8, 6}, {1, 0});
  const view<const T, 2> windows(line.data(), {8, 6}, {3, 1});
  for (const auto& b : {shared_column, windows}) {
    array<T, 2> c({9, 6}, uninitialized);
    gemm(T(1), shared_row, b, T(0), c);
    for (std::size_t i = 0; i < 9; ++i)
      for (std::size_t j = 0; j < 6; ++j)
        EXPECT_TRUE(is_within(
            c(i, j),
            product_element(T(1), shared_row, matrix_op::none, b, matrix_op::none, 8, i, j), 8));
  }
}

TYPED_TEST(gemm_test, the_same_bits_on_any_number_of_threads) {
  using T = TypeParam;
  random_source<T> random(11);
  for (const form how : {form::rows, form::spread, form::columns}) {
    const stored_matrix<T> a(301, 257, how, random), b(257, 290, form::rows, random);
    stored_matrix<T> one(301, 290, how), many(301, 290, how);
    gemm(T(1), a.view(), b.view(), T(0), one.view(), {.threads = 1});
    for (const int threads : {0, 2, 3, 5}) {
      gemm(T(1), a.view(), b.view(), T(0), many.view(), {.threads = threads});
      EXPECT_EQ(0, std::memcmp(one.memory().data(), many.memory().data(),
                               one.memory().size() * sizeof(T)))
          << threads;
    }
  }
}

TYPED_TEST(gemm_test, a_large_product_is_right_in_every_block) {
  using T = TypeParam;
  expect_product<T>(211, 195, 180, form::rows, form::padded_columns, form::rows, T(1), T(1), {});
  expect_product<T>(195, 211, 180, form::spread, form::rows, form::spread, T(1), T(1), {});
}

TEST(gemm_errors, shapes_that_do_not_fit) {
  array<float, 2> a({3, 4}), b({4, 5}), c({3, 5}), wrong({3, 6});
  EXPECT_THROW(gemm(1, b, a, 0, c), shape_error);
  EXPECT_THROW(gemm(1, a, b, 0, wrong), shape_error);
  EXPECT_THROW(gemm(1, a, b, 0, c, {.a = matrix_op::transpose}), shape_error);
  try {
    gemm(1, a, b, 0, wrong);
  } catch (const shape_error& e) {
    EXPECT_STREQ(e.what(),
                 "gemm: op(a) is 3 x 4, op(b) is 4 x 5, c is 3 x 6; must be m x k, k x n, m x n");
  }
}

TEST(gemm_errors, an_output_that_is_an_operand) {
  array<double, 2> x({8, 8});
  x(0, 0) = 7;
  array<double, 2> y({8, 8});
  EXPECT_THROW(gemm(1, x, y, 0, x), invalid_argument);
  EXPECT_THROW(gemm(1, y, x, 0, x), invalid_argument);
  EXPECT_THROW(gemm(0, y, x, 0, x), invalid_argument);
  EXPECT_EQ(x(0, 0), 7);
  const auto v = x.view();
  // One corner in common.
  EXPECT_THROW(gemm(1, v.slice(0, 0, 4).slice(1, 0, 4), y.view().slice(0, 0, 4).slice(1, 0, 5), 0,
                    v.slice(0, 3, 4).slice(1, 3, 5)),
               invalid_argument);
}

TEST(gemm_errors, an_output_whose_elements_share_addresses) {
  array<double, 2> a({4, 4}), b({4, 4});
  std::vector<double> line(16);
  EXPECT_THROW(gemm(1, a, b, 0, view<double, 2>(line.data(), {4, 4}, {0, 1})), shape_error);
  EXPECT_THROW(gemm(1, a, b, 0, view<double, 2>(line.data(), {4, 4}, {2, 1})), shape_error);
}

TEST(gemm_errors, negative_threads) {
  array<double, 2> a({1, 1}), b({1, 1}), c({1, 1});
  EXPECT_THROW(gemm(1, a, b, 0, c, {.threads = -1}), invalid_argument);
}

TEST(gemm, blocks_of_one_matrix_are_no_overlap) {
  // The update of a block factorisation: the outer bounds of the blocks overlap, no element does.
  random_source<double> random(1);
  array<double, 2> x({12, 12});
  for (double& v : x) v = random();
  const array<double, 2> before = x;
  const auto v = x.view();
  gemm(-1, v.slice(0, 4, 8).slice(1, 0, 4), v.slice(0, 0, 4).slice(1, 4, 8), 1,
       v.slice(0, 4, 8).slice(1, 4, 8));
  for (std::size_t i = 0; i < 12; ++i)
    for (std::size_t j = 0; j < 12; ++j) {
      double expected = before(i, j);
      if (i >= 4 && j >= 4)
        for (std::size_t p = 0; p < 4; ++p) expected -= before(i, p) * before(p, j);
      EXPECT_NEAR(x(i, j), expected, 1e-13);
    }
}

TEST(gemm, the_parts_of_complex_matrices_are_no_overlap) {
  array<std::complex<double>, 2> x({3, 3});
  for (auto& v : x) v = {2, 5};
  auto* const p = reinterpret_cast<double*>(x.data());
  const view<double, 2> re(p, {3, 3}, {6, 2}), im(p + 1, {3, 3}, {6, 2});
  gemm(1, re, re, 0, im);
  for (const auto& v : x) EXPECT_EQ(v, std::complex<double>(2, 12));
}

}  // namespace
}  // namespace papilio::test
