#include <gtest/gtest.h>

#include "naive.hpp"

namespace papilio::test {
namespace {

template <class T>
class level1_test : public testing::Test {};
using element_types = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(level1_test, element_types);

template <class T>
struct stored_vector {
  stored_vector(std::size_t n, std::ptrdiff_t stride, unsigned seed)
      : memory(4 * n + 8, not_a_number<T>()),
        v(memory.data() + (stride < 0 ? memory.size() - 1 : 0), {n}, {stride}) {
    random_source<T> random(seed);
    for (std::size_t i = 0; i < n; ++i) v[i] = random();
  }
  std::vector<T> memory;
  view<T, 1> v;
};

constexpr std::ptrdiff_t strides[] = {1, 3, -1, -2};
constexpr std::size_t sizes[] = {0, 1, 2, 17, 300};

TYPED_TEST(level1_test, axpy_and_scal) {
  using T = TypeParam;
  for (const std::size_t n : sizes)
    for (const auto sx : strides)
      for (const auto sy : strides) {
        stored_vector<T> x(n, sx, 1), y(n, sy, 2), before(n, sy, 2);
        const T alpha = random_source<T>(7)();
        axpy(alpha, x.v, y.v);
        for (std::size_t i = 0; i < n; ++i) {
          const exact product = exact_of(alpha) * exact_of(x.v[i]), old = exact_of(before.v[i]);
          EXPECT_TRUE(is_within(y.v[i], {product + old, std::abs(product) + std::abs(old)}, 1));
        }
        scal(alpha, x.v);
        const stored_vector<T> again(n, sx, 1);
        for (std::size_t i = 0; i < n; ++i) {
          const exact product = exact_of(alpha) * exact_of(again.v[i]);
          EXPECT_TRUE(is_within(x.v[i], {product, std::abs(product)}, 1));
        }
      }
}

TYPED_TEST(level1_test, dot_norm_and_sum) {
  using T = TypeParam;
  for (const std::size_t n : sizes)
    for (const auto sx : strides)
      for (const auto sy : strides) {
        const stored_vector<T> x(n, sx, 1), y(n, sy, 2);
        bounded plain, conjugated;
        long double squares = 0, sum = 0;
        std::size_t largest = 0;
        const auto taxicab = [](T z) {
          return std::abs(static_cast<long double>(std::real(z))) +
                 std::abs(static_cast<long double>(std::imag(z)));
        };
        for (std::size_t i = 0; i < n; ++i) {
          plain.value += exact_of(x.v[i]) * exact_of(y.v[i]);
          conjugated.value += std::conj(exact_of(x.v[i])) * exact_of(y.v[i]);
          plain.magnitude += std::abs(exact_of(x.v[i]) * exact_of(y.v[i]));
          squares += std::norm(exact_of(x.v[i]));
          sum += taxicab(x.v[i]);
          if (taxicab(x.v[i]) > taxicab(x.v[largest])) largest = i;
        }
        conjugated.magnitude = plain.magnitude;
        EXPECT_TRUE(is_within(dot(x.v, y.v), plain, n));
        EXPECT_TRUE(is_within(dotc(x.v, y.v), conjugated, n));
        const long double norm = std::sqrt(squares);
        EXPECT_TRUE(is_within(T(nrm2(x.v)), {norm, norm}, n));
        EXPECT_TRUE(is_within(T(asum(x.v)), {sum, sum}, n));
        if (n > 0) {
          EXPECT_EQ(iamax(x.v), largest);
        }
      }
}

TYPED_TEST(level1_test, a_broadcast_operand_is_read_again_and_again) {
  using T = TypeParam;
  const T two(2);
  const view<const T, 1> twos(&two, {5}, {0});
  array<T, 1> y(5);
  for (std::size_t i = 0; i < 5; ++i) y[i] = T(static_cast<real_of<T>>(i));
  EXPECT_EQ(dot(twos, y), T(20));
  axpy(T(3), twos, y);
  EXPECT_EQ(y[4], T(10));
  EXPECT_EQ(asum(twos), 10);
  EXPECT_NEAR(nrm2(twos), std::sqrt(real_of<T>(20)), 1e-5);
  EXPECT_EQ(iamax(twos), 0u);
}

TYPED_TEST(level1_test, the_norm_neither_overflows_nor_underflows) {
  using T = TypeParam;
  using R = real_of<T>;
  const R large = std::numeric_limits<R>::max() / 8, small = std::numeric_limits<R>::min() * 8;
  for (const R scale : {large, small}) {
    array<T, 1> x(4);
    for (T& v : x) v = T(scale);
    EXPECT_NEAR(nrm2(x) / scale, R(2), 16 * std::numeric_limits<R>::epsilon());
  }
}

TEST(level1, the_first_of_equals_is_the_largest) {
  const std::vector<double> x{1, -5, 5, 2};
  EXPECT_EQ(iamax(view(x)), 1u);
  EXPECT_EQ(iamax(view<const double, 1>(x.data() + 3, {4}, {-1})), 1u);  // 2 5 -5 1
}

TEST(level1, errors) {
  array<double, 1> x(3), y(4);
  EXPECT_THROW(axpy(1, x, y), shape_error);
  EXPECT_THROW(dot(x, y), shape_error);
  EXPECT_THROW(axpy(1, y, y), invalid_argument);
  EXPECT_THROW(scal(1, view<double, 1>(x.data(), {3}, {0})), shape_error);
  EXPECT_THROW(iamax(array<double, 1>(0)), shape_error);
}

}  // namespace
}  // namespace papilio::test
