#include <gtest/gtest.h>

#include <cstring>

#include "naive.hpp"

namespace papilio::test {
namespace {

template <class T>
class gemm_batched_test : public testing::Test {};
using element_types = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(gemm_batched_test, element_types);

template <class T>
array<T, 3> random_array(const extents_type<3>& extents, unsigned seed) {
  random_source<T> random(seed);
  array<T, 3> x(extents);
  for (T& v : x) v = random();
  return x;
}

// View of [i, j, k] as another order of axes.
template <class T>
view<T, 3> permuted(view<T, 3> v, const std::array<std::size_t, 3>& order) {
  return {v.data(),
          {v.extent(order[0]), v.extent(order[1]), v.extent(order[2])},
          {v.stride(order[0]), v.stride(order[1]), v.stride(order[2])}};
}

template <class T>
bool same_bits(view<const T, 2> x, view<const T, 2> y) {
  for (std::size_t i = 0; i < x.extent(0); ++i)
    for (std::size_t j = 0; j < x.extent(1); ++j)
      if (std::memcmp(&x(i, j), &y(i, j), sizeof(T)) != 0) return false;
  return true;
}

TYPED_TEST(gemm_batched_test, is_gemm_on_each_item_for_any_order_of_axes) {
  using T = TypeParam;
  constexpr std::array<std::size_t, 3> orders[] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                                   {2, 0, 1}, {1, 2, 0}, {2, 1, 0}};
  constexpr std::array<std::size_t, 3> inverse[] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                                    {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  const std::size_t batch = 5, m = 9, n = 6, k = 11;
  for (std::size_t x = 0; x < 6; ++x)
    for (std::size_t y = 0; y < 6; ++y) {
      const auto extents = [](std::array<std::size_t, 3> e, std::array<std::size_t, 3> o) {
        return extents_type<3>{e[o[0]], e[o[1]], e[o[2]]};
      };
      const auto a = random_array<T>(extents({batch, m, k}, inverse[x]), 1);
      const auto b = random_array<T>({batch, k, n}, 2);
      auto c = random_array<T>(extents({batch, m, n}, inverse[y]), 3);
      auto expected = c;
      const auto va = permuted(a.view(), orders[x]);
      const auto vc = permuted(c.view(), orders[y]);
      const auto ve = permuted(expected.view(), orders[y]);
      ASSERT_EQ(va.extents(), (extents_type<3>{batch, m, k}));
      gemm_batched(T(2), va, b, T(0.5), vc);
      for (std::size_t i = 0; i < batch; ++i) {
        gemm(T(2), va[i], b.view()[i], T(0.5), ve[i]);
        EXPECT_TRUE(same_bits<T>(vc[i], ve[i]));
      }
    }
}

TYPED_TEST(gemm_batched_test, an_operand_may_be_shared_by_all_items) {
  using T = TypeParam;
  const auto a = random_array<T>({7, 5, 4}, 1);
  const auto b = random_array<T>({1, 8, 12}, 2);
  // Neither stride is 1: the shared matrix is copied, once.
  const view<const T, 3> shared(b.data(), {7, 4, 6}, {0, 24, 2});
  array<T, 3> c({7, 5, 6}, uninitialized);
  gemm_batched(T(1), a, shared, T(0), c);
  for (std::size_t i = 0; i < 7; ++i)
    for (std::size_t r = 0; r < 5; ++r)
      for (std::size_t s = 0; s < 6; ++s)
        EXPECT_TRUE(is_within(c(i, r, s),
                              product_element(T(1), a.view()[i], matrix_op::none, shared[i],
                                              matrix_op::none, 4, r, s),
                              4));
}

TYPED_TEST(gemm_batched_test, the_same_bits_on_any_number_of_threads) {
  using T = TypeParam;
  for (const extents_type<3> shape : {extents_type<3>{40, 70, 60}, {3, 200, 200}, {4000, 3, 5}}) {
    const auto a = random_array<T>({shape[0], shape[1], shape[2]}, 1);
    const auto b = random_array<T>({shape[0], shape[2], shape[1]}, 2);
    array<T, 3> one({shape[0], shape[1], shape[1]}), many = one;
    gemm_batched(T(1), a, b, T(0), one, {.threads = 1});
    for (const int threads : {0, 2, 3}) {
      gemm_batched(T(1), a, b, T(0), many, {.threads = threads});
      EXPECT_EQ(0, std::memcmp(one.data(), many.data(), one.size() * sizeof(T)));
    }
  }
}

TYPED_TEST(gemm_batched_test, empty_batches_and_matrices) {
  using T = TypeParam;
  array<T, 3> none({0, 4, 5}), a({2, 4, 0}), b({2, 0, 5}), c({2, 4, 5});
  for (T& x : c) x = not_a_number<T>();
  gemm_batched(T(1), array<T, 3>({0, 4, 3}), array<T, 3>({0, 3, 5}), T(0), none);
  gemm_batched(T(1), a, b, T(0), c);
  for (const T& x : c) EXPECT_EQ(x, T(0));
}

TEST(gemm_batched_errors, batches_and_overlaps) {
  array<float, 3> a({2, 3, 4}), b({3, 4, 5}), c({2, 3, 5});
  EXPECT_THROW(gemm_batched(1, a, b, 0, c), shape_error);
  array<float, 3> d({2, 4, 5});
  const view<float, 3> same(c.data(), {2, 3, 5}, {0, 5, 1});
  EXPECT_THROW(gemm_batched(1, a, d, 0, same), shape_error);
  array<float, 3> s({2, 3, 3});
  EXPECT_THROW(gemm_batched(1, s, s, 0, s), invalid_argument);
}

TYPED_TEST(gemm_batched_test, groups_are_gemm_on_each_problem) {
  using T = TypeParam;
  random_source<T> random(4);
  std::vector<stored_matrix<T>> a, b, c, expected;
  const std::size_t sizes[][3] = {{3, 4, 5}, {130, 140, 150}, {1, 1, 1},
                                  {0, 3, 2}, {7, 2, 0},       {64, 1, 64}};
  for (const auto& [m, n, k] : sizes) {
    a.emplace_back(m, k, form::spread, random);
    b.emplace_back(n, k, form::rows, random);
    c.emplace_back(m, n, form::columns, random);
    expected.push_back(c.back());
  }
  std::vector<gemm_item<T>> problems;
  for (std::size_t i = 0; i < std::size(sizes); ++i)
    problems.push_back({.alpha = T(static_cast<real_of<T>>(i)),
                        .a = std::as_const(a[i]).view(),
                        .b = std::as_const(b[i]).view(),
                        .beta = T(static_cast<real_of<T>>(i % 3)),
                        .c = c[i].view(),
                        .op_b = matrix_op::transpose});
  const auto start = c;
  for (const int threads : {1, 2, 0}) {
    for (std::size_t i = 0; i < std::size(sizes); ++i) {
      const auto to = c[i].view();
      const T* const from = start[i].memory().data();
      for (std::size_t r = 0; r < to.extent(0); ++r)
        for (std::size_t s = 0; s < to.extent(1); ++s)
          to(r, s) = from[&to(r, s) - c[i].memory().data()];
    }
    gemm_grouped<T>(problems, threads);
    for (std::size_t i = 0; i < std::size(sizes); ++i) {
      stored_matrix<T> one(sizes[i][0], sizes[i][1], form::columns);
      for (std::size_t r = 0; r < sizes[i][0]; ++r)
        for (std::size_t s = 0; s < sizes[i][1]; ++s)
          one.view()(r, s) = start[i].memory()[s * sizes[i][0] + r];
      gemm(problems[i].alpha, problems[i].a, problems[i].b, problems[i].beta, one.view(),
           {.b = matrix_op::transpose});
      EXPECT_TRUE(same_bits<T>(c[i].view(), one.view())) << i;
    }
  }
}

TEST(gemm_grouped_errors, name_the_problem) {
  array<double, 2> x({4, 4}), y({4, 4}), c({4, 4}), d({4, 4});
  gemm_item<double> good{.a = x.view(), .b = y.view(), .c = c.view()};
  const auto message = [](std::vector<gemm_item<double>> problems) {
    try {
      gemm_grouped<double>(problems);
    } catch (const error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_EQ(message({good, good}),
            "gemm_grouped: c of problem 0 shares memory with c of problem 1");
  EXPECT_EQ(message({good, {.a = c.view(), .b = y.view(), .c = d.view()}}),
            "gemm_grouped: c of problem 0 shares memory with a of problem 1");
  EXPECT_EQ(message({good, {.a = x.view().slice(1, 0, 3), .b = y.view(), .c = d.view()}}),
            "gemm_grouped: problem 1: op(a) is 4 x 3, op(b) is 4 x 4, c is 4 x 4; must be m x k, "
            "k x n, m x n");
  EXPECT_EQ(message({}), "");
}

}  // namespace
}  // namespace papilio::test
