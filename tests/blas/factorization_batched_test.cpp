#include <gtest/gtest.h>

#include <cstring>

#include "naive.hpp"

namespace papilio::test {
namespace {

template <class T>
class factorization_batched_test : public testing::Test {};
using element_types = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(factorization_batched_test, element_types);

template <class T>
void expect_same(view<const T, 2> got, const array<T, 2>& expected) {
  ASSERT_EQ(got.extents(), expected.extents());
  for (std::size_t i = 0; i < got.extent(0); ++i)
    for (std::size_t j = 0; j < got.extent(1); ++j) ASSERT_EQ(got(i, j), expected(i, j));
}
template <class T>
void expect_same(view<const T, 1> got, const array<T, 1>& expected) {
  for (std::size_t i = 0; i < got.extent(0); ++i) ASSERT_EQ(got[i], expected[i]);
}

// Items that are each Hermitian and positive definite.
template <class T>
array<T, 3> definite(std::size_t batch, std::size_t n) {
  random_source<T> random(1);
  array<T, 3> a({batch, n, n});
  for (std::size_t b = 0; b < batch; ++b)
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j <= i; ++j) {
        a(b, i, j) = random();
        a(b, j, i) = conjugate(a(b, i, j));
        if (i == j) a(b, i, i) = T(real_of<T>(4 * n) + std::abs(random()));
      }
  return a;
}

TYPED_TEST(factorization_batched_test, every_item_as_alone) {
  using T = TypeParam;
  for (const std::size_t n : {1, 5, 40}) {
    const auto all = definite<T>(6, n);
    // Every second item, backwards; transposed; and wide.
    const auto step = static_cast<std::ptrdiff_t>(n * n), row = static_cast<std::ptrdiff_t>(n);
    const view<const T, 3> a(&all(5, 0, 0), {3, n, n}, {-2 * step, 1, row});
    const view<const T, 3> wide = a.slice(1, 0, (n + 1) / 2);
    random_source<T> random(2);
    array<T, 2> right({n, 2});
    for (T& x : right) x = random();
    const view<const T, 3> b(right.data(), {3, n, 2}, {0, 2, 1});
    for (const int threads : {1, 3}) {
      const auto q = qr_batched(wide, threads);
      const auto s = svd_batched(wide, svd_vectors::full, threads);
      const auto e = eigh_batched(a, eigen_vectors::all, matrix_triangle::lower, threads);
      const auto l = cholesky_batched(a, matrix_triangle::upper, threads);
      const auto x = solve_batched(a, b, threads);
      for (std::size_t i = 0; i < 3; ++i) {
        expect_same<T>(q.q.view()[i], qr(wide[i]).q);
        expect_same<T>(q.r.view()[i], qr(wide[i]).r);
        const auto item = svd(wide[i], svd_vectors::full);
        expect_same<T>(s.u.view()[i], item.u);
        expect_same<T>(s.vh.view()[i], item.vh);
        expect_same<real_of<T>>(s.s.view()[i], item.s);
        expect_same<T>(e.vectors.view()[i], eigh(a[i]).vectors);
        expect_same<real_of<T>>(e.values.view()[i], eigh(a[i]).values);
        expect_same<T>(l.view()[i], cholesky(a[i], matrix_triangle::upper));
        expect_same<T>(x.view()[i], solve(a[i], right));
      }
    }
  }
}

TYPED_TEST(factorization_batched_test, empty_batches_and_items) {
  using T = TypeParam;
  const array<T, 3> none({0, 3, 3}), tall({2, 3, 0});
  EXPECT_EQ(qr_batched(none).q.extents(), (extents_type<3>{0, 3, 3}));
  EXPECT_EQ(solve_batched(none, none).extents(), none.extents());
  EXPECT_EQ(svd_batched(tall, svd_vectors::full).u(1, 2, 2), T(1));
  EXPECT_TRUE(svd_batched(none, svd_vectors::none).u.empty());
  EXPECT_TRUE(eigh_batched(definite<T>(2, 2), eigen_vectors::none).vectors.empty());
}

TEST(factorization_batched_errors, the_first_item_at_fault_is_named) {
  auto a = definite<double>(9, 3);
  const auto message = [](const auto& work) {
    try {
      work();
    } catch (const invalid_argument& e) {
      return std::string(e.what());
    }
    return std::string("nothing");
  };
  a(7, 0, 0) = a(4, 0, 0) = -1;
  for (const int threads : {1, 4}) {
    EXPECT_EQ(
        message([&] { cholesky_batched(a, matrix_triangle::lower, threads); }),
        "cholesky_batched: item 4: cholesky: a is not positive definite: its leading minor of "
        "order 1 is not");
  }
  for (std::size_t j = 0; j < 3; ++j) a(2, 1, j) = 0;
  EXPECT_EQ(message([&] { solve_batched(a, a); }),
            "solve_batched: item 2: solve: a is singular: pivot 2 is zero");
  EXPECT_THROW(eigh_batched(array<double, 3>({2, 3, 4})), shape_error);
  EXPECT_THROW(solve_batched(a, array<double, 3>({8, 3, 1})), shape_error);
  EXPECT_THROW(qr_batched(a, -1), invalid_argument);
}

}  // namespace
}  // namespace papilio::test
