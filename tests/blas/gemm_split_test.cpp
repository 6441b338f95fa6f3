#include <gtest/gtest.h>

#include <cstring>

#include "naive.hpp"

namespace papilio::test {
namespace {

template <class T>
class gemm_split_test : public testing::Test {};
using real_types = testing::Types<float, double>;
TYPED_TEST_SUITE(gemm_split_test, real_types);

constexpr matrix_op all_ops[] = {matrix_op::none, matrix_op::transpose, matrix_op::conjugate,
                                 matrix_op::conjugate_transpose};

template <class T>
array<std::complex<T>, 2> random_matrix(const extents_type<2>& extents, unsigned seed) {
  random_source<std::complex<T>> random(seed);
  array<std::complex<T>, 2> x(extents);
  for (auto& v : x) v = random();
  return x;
}

// The parts of x, re as it is and im transposed in memory.
template <class T>
struct planes {
  explicit planes(const array<std::complex<T>, 2>& x)
      : re(x.extents()), im({x.extent(1), x.extent(0)}) {
    for (std::size_t i = 0; i < x.extent(0); ++i)
      for (std::size_t j = 0; j < x.extent(1); ++j) {
        re(i, j) = x(i, j).real();
        im(j, i) = x(i, j).imag();
      }
  }
  split_matrix<T> matrix() {
    const auto rows = static_cast<std::ptrdiff_t>(re.extent(0));
    return {re.view(), view<T, 2>(im.data(), re.extents(), {1, rows})};
  }
  array<T, 2> re, im;
};

// Three products: the sums double the magnitudes, and the difference adds them up.
template <class T>
bool is_within_either(std::complex<T> got, bounded expected, std::size_t k) {
  expected.magnitude *= 4;
  return is_within(got, expected, k);
}

TYPED_TEST(gemm_split_test, every_pair_of_operations_by_three_and_four) {
  using T = TypeParam;
  using Z = std::complex<T>;
  const std::size_t m = 7, n = 5, k = 9;
  const auto of = [](matrix_op op, std::size_t r, std::size_t c) {
    const bool t = op == matrix_op::transpose || op == matrix_op::conjugate_transpose;
    return t ? extents_type<2>{c, r} : extents_type<2>{r, c};
  };
  for (const matrix_op op_a : all_ops)
    for (const matrix_op op_b : all_ops)
      for (const auto product : {complex_product::four, complex_product::three})
        for (const Z beta : {Z(0), Z(T(0.5), T(-1))}) {
          const Z alpha(T(1.5), T(-0.5));
          const auto a = random_matrix<T>(of(op_a, m, k), 1);
          const auto b = random_matrix<T>(of(op_b, k, n), 2);
          const auto start = random_matrix<T>({m, n}, 3);
          planes<T> pa(a), pb(b), pc(start);
          if (beta == Z(0)) {
            pc.re(0, 0) = not_a_number<T>();
            pc.im(0, 0) = not_a_number<T>();
          }
          gemm_split(alpha, pa.matrix(), pb.matrix(), beta, pc.matrix(),
                     {.a = op_a, .b = op_b, .product = product});
          array<Z, 2> c = start;
          gemm_three_products(alpha, a, b, beta, c, {.a = op_a, .b = op_b});
          for (std::size_t i = 0; i < m; ++i)
            for (std::size_t j = 0; j < n; ++j) {
              auto expected = product_element<Z>(alpha, a.view(), op_a, b.view(), op_b, k, i, j);
              expected.value += exact_of(beta) * exact_of(start(i, j));
              expected.magnitude += std::abs(exact_of(beta) * exact_of(start(i, j)));
              EXPECT_TRUE(is_within_either(Z(pc.re(i, j), pc.im(j, i)), expected, k));
              EXPECT_TRUE(is_within_either(c(i, j), expected, k));
            }
        }
}

TYPED_TEST(gemm_split_test, the_same_bits_on_any_number_of_threads) {
  using T = TypeParam;
  const auto a = random_matrix<T>({200, 150}, 1), b = random_matrix<T>({150, 210}, 2);
  for (const auto product : {complex_product::four, complex_product::three}) {
    planes<T> pa(a), pb(b), one(array<std::complex<T>, 2>({200, 210})), many = one;
    gemm_split(1, pa.matrix(), pb.matrix(), 0, one.matrix(), {.product = product, .threads = 1});
    for (const int threads : {0, 2, 3}) {
      gemm_split(1, pa.matrix(), pb.matrix(), 0, many.matrix(),
                 {.product = product, .threads = threads});
      EXPECT_EQ(0, std::memcmp(one.re.data(), many.re.data(), one.re.size() * sizeof(T)));
      EXPECT_EQ(0, std::memcmp(one.im.data(), many.im.data(), one.im.size() * sizeof(T)));
    }
    for (std::size_t i = 0; i < 200; i += 7)
      for (std::size_t j = 0; j < 210; j += 5)
        EXPECT_TRUE(
            is_within_either(std::complex<T>(one.re(i, j), one.im(j, i)),
                             product_element<std::complex<T>>(1, a.view(), matrix_op::none,
                                                              b.view(), matrix_op::none, 150, i, j),
                             150));
  }
}

TYPED_TEST(gemm_split_test, alpha_0_and_empty_sums) {
  using T = TypeParam;
  planes<T> a(array<std::complex<T>, 2>({3, 3})), c(random_matrix<T>({3, 3}, 1));
  a.re(1, 1) = not_a_number<T>();
  const auto before = c.re;
  gemm_split(0, a.matrix(), a.matrix(), 2, c.matrix());
  EXPECT_EQ(c.re(1, 2), 2 * before(1, 2));
  planes<T> none(array<std::complex<T>, 2>({3, 0})), none_t(array<std::complex<T>, 2>({0, 3}));
  gemm_split(1, none.matrix(), none_t.matrix(), 0, c.matrix(), {.product = complex_product::three});
  EXPECT_EQ(c.re(1, 2), T(0));
  array<std::complex<T>, 2> za({3, 0}), zb({0, 3}), zc({3, 3});
  zc(0, 0) = 5;
  gemm_three_products(1, za, zb, 0, zc);
  EXPECT_EQ(zc(0, 0), std::complex<T>(0));
}

TEST(gemm_split_errors, parts_and_overlaps) {
  array<double, 2> x({4, 4}), y({4, 4}), z({4, 5}), re({4, 4}), im({4, 4});
  using split = split_matrix<double>;
  EXPECT_THROW(split(x.view(), z.view()), shape_error);
  EXPECT_THROW(gemm_split(1, split(x, y), split(z, z), 0, split(re, im)), shape_error);
  EXPECT_THROW(gemm_split(1, split(x, y), split(y, x), 0, split(re, re)), invalid_argument);
  EXPECT_THROW(gemm_split(1, split(x, y), split(y, x), 0, split(re, y)), invalid_argument);
  EXPECT_THROW(gemm_split(1, split(x, y), split(y, x), 0, split(re, im), {.threads = -2}),
               invalid_argument);
  std::vector<double> line(6);
  const split_view<double> vector{std::span(line), std::span(line)};
  EXPECT_THROW(split(vector, {2, 2}), shape_error);
  EXPECT_EQ(split(vector, {2, 3}).re().extent(1), 3u);
}

}  // namespace
}  // namespace papilio::test
