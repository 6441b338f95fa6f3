#include <gtest/gtest.h>

#include "naive.hpp"

namespace papilio::test {
namespace {

template <class T>
class rotation_test : public testing::Test {};
using element_types = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(rotation_test, element_types);

// A vector in poisoned memory.
template <class T>
struct stored_vector {
  stored_vector(std::size_t n, std::ptrdiff_t stride, unsigned seed)
      : memory(3 * n + 4, not_a_number<T>()),
        v(memory.data() + (stride < 0 ? memory.size() - 1 : 0), {n}, {stride}) {
    random_source<T> random(seed);
    for (std::size_t i = 0; i < n; ++i) v[i] = random();
  }
  bool is_clean() const {
    std::size_t numbers = 0;
    for (const T& x : memory) numbers += std::isnan(std::real(x)) ? 0 : 1;
    return numbers == v.extent(0);
  }
  std::vector<T> memory;
  view<T, 1> v;
};

constexpr std::ptrdiff_t strides[] = {1, 3, -1, -2};
constexpr std::size_t sizes[] = {0, 1, 2, 17, 100};

template <class T, class Test>
void for_vectors(const Test& test) {
  for (const std::size_t n : sizes)
    for (const auto sx : strides)
      for (const auto sy : strides) {
        stored_vector<T> x(n, sx, 1), y(n, sy, 2);
        const stored_vector<T> old_x(n, 1, 1), old_y(n, 1, 2);
        test(x.v, y.v, old_x.v, old_y.v);
        EXPECT_TRUE(x.is_clean() && y.is_clean());
      }
}

TYPED_TEST(rotation_test, copies_and_exchanges) {
  using T = TypeParam;
  for_vectors<T>([](auto x, auto y, auto old_x, auto old_y) {
    swap_elements(x, y);
    for (std::size_t i = 0; i < x.extent(0); ++i) {
      EXPECT_EQ(x[i], old_y[i]);
      EXPECT_EQ(y[i], old_x[i]);
    }
    copy(x, y);
    for (std::size_t i = 0; i < x.extent(0); ++i) EXPECT_EQ(y[i], old_y[i]);
  });
  const T two(2);
  array<T, 1> y(5);
  copy(view<const T, 1>(&two, {5}, {0}), y);
  for (const T& v : y) EXPECT_EQ(v, two);
}

TYPED_TEST(rotation_test, rotations_turn_vectors) {
  using T = TypeParam;
  const plane_rotation<T> turn = rotg(random_source<T>(5)(), random_source<T>(6)());
  for_vectors<T>([&](auto x, auto y, auto old_x, auto old_y) {
    rot(x, y, turn.c, turn.s);
    for (std::size_t i = 0; i < x.extent(0); ++i) {
      const exact c = turn.c, s = exact_of(turn.s), p = exact_of(old_x[i]), q = exact_of(old_y[i]);
      const long double size = std::abs(p) + std::abs(q);
      EXPECT_TRUE(is_within(x[i], {c * p + s * q, size}, 1));
      EXPECT_TRUE(is_within(y[i], {c * q - std::conj(s) * p, size}, 1));
    }
  });
}

TYPED_TEST(rotation_test, a_rotation_annihilates_and_keeps_the_norm) {
  using T = TypeParam;
  using R = real_of<T>;
  random_source<T> random(7);
  const R huge = std::numeric_limits<R>::max() / 16, tiny = std::numeric_limits<R>::min() * 16;
  for (const R scale : {R(1), huge, tiny})
    for (int i = 0; i < 50; ++i) {
      const T a = random() * (scale / R(8)), b = random() * (scale / R(8));
      const auto [c, s, r] = rotg(a, b);
      const exact x = exact_of(a), y = exact_of(b), z = exact_of(s);
      const long double size = std::hypot(std::abs(x), std::abs(y));
      EXPECT_NEAR(static_cast<double>(c * c + std::norm(z)), 1, 10 * epsilon_of<T>);
      EXPECT_LE(std::abs(exact(c) * x + z * y - exact_of(r)), 10 * epsilon_of<T> * size);
      EXPECT_LE(std::abs(exact(c) * y - std::conj(z) * x), 10 * epsilon_of<T> * size);
    }
}

TYPED_TEST(rotation_test, rotations_of_zeros) {
  using T = TypeParam;
  const auto none = rotg(T(0), T(0)), kept = rotg(T(-3), T(0)), turned = rotg(T(0), T(-3));
  EXPECT_EQ(none.c, 1);
  EXPECT_EQ(none.s, T(0));
  EXPECT_EQ(none.r, T(0));
  EXPECT_EQ(kept.c, 1);
  EXPECT_EQ(kept.r, T(-3));
  EXPECT_EQ(turned.c, 0);
  EXPECT_EQ(turned.s * T(-3), turned.r);
}

template <class T>
void check_modified_rotations() {
  random_source<T> random(8);
  for (int i = 0; i < 200; ++i) {
    T d1 = std::abs(random()), d2 = std::abs(random()), x1 = random();
    const T y1 = i % 7 == 0 ? T(0) : random();
    const T before = d1 * x1 * x1 + d2 * y1 * y1, old_x = x1;
    const modified_rotation<T> h = rotmg(d1, d2, x1, y1);
    array<T, 1> x(3), y(3);
    x[1] = old_x;
    y[1] = y1;
    rotm(x, y, h);
    EXPECT_NEAR(x[1], x1, 20 * epsilon_of<T> * (1 + std::abs(x1)));
    EXPECT_NEAR(y[1], 0, 20 * epsilon_of<T> * (std::abs(old_x * h.h21) + std::abs(y1 * h.h22)));
    EXPECT_NEAR(d1 * x1 * x1, before, 50 * epsilon_of<T> * before);
    EXPECT_EQ(x[0], T(0));
  }
}

TEST(modified_rotation, annihilates_and_keeps_the_weighted_norm) {
  check_modified_rotations<float>();
  check_modified_rotations<double>();
}

TEST(rotation_errors, lengths_and_overlaps) {
  array<double, 1> x(3), y(4);
  EXPECT_THROW(copy(x, y), shape_error);
  EXPECT_THROW(swap_elements(x, y), shape_error);
  EXPECT_THROW(rot(x, y, 1, 0), shape_error);
  EXPECT_THROW(rotm(x, y, {}), shape_error);
  EXPECT_THROW(copy(y, y), invalid_argument);
  EXPECT_THROW(swap_elements(y, y), invalid_argument);
  EXPECT_THROW(rot(y, y, 1, 0), invalid_argument);
  EXPECT_THROW(copy(x, view<double, 1>(y.data(), {3}, {0})), shape_error);
}

}  // namespace
}  // namespace papilio::test
