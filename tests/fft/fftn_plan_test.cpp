#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "papilio/base.hpp"
#include "papilio/fft.hpp"
#include "support/nd.hpp"

namespace papilio {
namespace {

using namespace test;

template <class T>
class fftn_plan_test : public testing::Test {};
using precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(fftn_plan_test, precisions);

template <class T>
std::vector<std::complex<T>> execute(const fftn_plan<T>& plan, std::vector<std::complex<T>> x,
                                     int threads = 1) {
  const sizes& extents = plan.extents();
  std::vector<std::complex<T>> out(count(extents), {NAN, NAN});
  with_rank(extents.size(), [&]<std::size_t Rank>() {
    plan.execute(as_view<Rank>(x, extents, row_major(extents)),
                 as_view<Rank>(out, extents, row_major(extents)), threads);
  });
  return out;
}

const std::vector<sizes> shapes = {{1},        {7},          {16},          {1, 1},       {5, 4},
                                   {1, 13},    {37, 2},      {3, 67},       {4, 6, 5},    {2, 1, 9},
                                   {17, 3, 8}, {2, 3, 4, 5}, {1, 7, 1, 12}, {3, 2, 11, 2}};

TYPED_TEST(fftn_plan_test, every_subset_of_axes_is_the_dft_along_them) {
  using T = TypeParam;
  for (const sizes& extents : shapes)
    for (const sizes& axes : subsets(extents.size()))
      for (const direction dir : {direction::forward, direction::inverse}) {
        const fftn_plan<T> plan(extents, as_signed(axes), dir, {.norm = normalization::none});
        const auto x = random_complex<T>(count(extents), 3);
        const auto expected = dftn(widened<T>(std::span<const std::complex<T>>(x)), extents, axes,
                                   dir == direction::forward ? -1 : 1);
        const auto got = execute(plan, x);
        if (axes.empty()) {
          EXPECT_EQ(got, x);
        } else {
          EXPECT_LT(relative_error(got, expected), fftn_tolerance<T>(extents, axes))
              << testing::PrintToString(extents) << testing::PrintToString(axes);
        }
      }
}

TYPED_TEST(fftn_plan_test, normalizations_scale_each_axis) {
  using T = TypeParam;
  const sizes extents{6, 5, 4};
  const auto x = random_complex<T>(count(extents), 8);
  const double n = 24;  // of axes 0 and 2
  const auto unscaled =
      execute(fftn_plan<T>(extents, {0, 2}, direction::forward, {.norm = normalization::none}), x);
  const std::pair<normalization, double> forward[] = {{normalization::backward, 1},
                                                      {normalization::orthonormal, std::sqrt(n)},
                                                      {normalization::forward, n}};
  for (const auto& [norm, divisor] : forward) {
    const auto y = execute(fftn_plan<T>(extents, {0, 2}, direction::forward, {.norm = norm}), x);
    std::vector<exact> expected;
    for (const auto& v : unscaled) expected.push_back(exact(v) / exact(divisor));
    EXPECT_LT(relative_error(y, expected), fftn_tolerance<T>(extents, {0, 2}));
    const auto back = execute(fftn_plan<T>(extents, {2, 0}, direction::inverse, {.norm = norm}), y);
    EXPECT_LT(relative_error(back, widened<T>(std::span<const std::complex<T>>(x))),
              2 * fftn_tolerance<T>(extents, {0, 2}));
  }
}

TYPED_TEST(fftn_plan_test, axes_count_from_the_end_and_in_any_order) {
  using T = TypeParam;
  const sizes extents{3, 4, 5};
  const auto x = random_complex<T>(count(extents), 5);
  const fftn_plan<T> named(extents, {-1, 0}), rising(extents, {0, 2}), all(extents);
  EXPECT_EQ(named.axes(), (sizes{2, 0}));
  EXPECT_EQ(all.axes(), (sizes{0, 1, 2}));
  EXPECT_EQ(execute(named, x), execute(rising, x));
  const batch_layout beside{.count = 20, .line_stride = 1, .element_stride = 20};
  EXPECT_EQ(named.designs(),
            (std::vector<recipe>{fft_plan<T>(5).design(), fft_plan<T>(3).design(beside)}));
  EXPECT_EQ(fftn_plan<T>({64, 64, 1}).designs(),
            (std::vector<recipe>{fft_plan<T>(64).design(beside), fft_plan<T>(64).design(),
                                 fft_plan<T>(1).design()}));
  EXPECT_EQ(fftn_plan<T>(extents, direction::inverse).transform_direction(), direction::inverse);
}

// The memory an operand may lie in: other axis orders, gaps, backwards.
std::vector<layout> layouts(const sizes& extents) {
  const std::size_t rank = extents.size();
  sizes order = {};
  for (std::size_t axis = 0; axis < rank; ++axis) order.push_back(axis);
  std::vector<layout> all;
  do {
    std::vector<axis_layout> axes(rank);
    all.push_back(lay_out(extents, order, axes));
    axes[rank - 1].gap = 3;
    axes[0].backwards = true;
    all.push_back(lay_out(extents, order, axes));
  } while (std::ranges::next_permutation(order).found);
  return all;
}

// Lines beside each other may run another recipe than lines apart: equal within their errors.
TYPED_TEST(fftn_plan_test, any_layout_gives_the_transform) {
  using T = TypeParam;
  using complex = std::complex<T>;
  const complex untouched{123, 456};
  for (const sizes& extents : {sizes{5, 33}, sizes{4, 3, 18}, sizes{2, 5, 1, 6}})
    for (const sizes& axes : subsets(extents.size())) {
      const fftn_plan<T> plan(extents, as_signed(axes));
      const auto x = random_complex<T>(count(extents), 2);
      const auto expected = execute(plan, x);
      const auto all = layouts(extents);
      for (std::size_t i = 0; i < all.size(); ++i) {
        const layout &from = all[i], &to = all[(i * 7 + 3) % all.size()];
        const auto in_at = offsets(extents, from), out_at = offsets(extents, to);
        std::vector<complex> in(from.size, {NAN, NAN}), out(to.size, untouched);
        for (std::size_t j = 0; j < x.size(); ++j) in[in_at[j]] = x[j];
        with_rank(extents.size(), [&]<std::size_t Rank>() {
          plan.execute(as_view<Rank>(in, extents, from), as_view<Rank>(out, extents, to));
        });
        double off = 0, size = 0;
        for (std::size_t j = 0; j < x.size(); ++j) {
          off += std::norm(std::complex<double>(out[out_at[j]] - expected[j]));
          size += std::norm(std::complex<double>(expected[j]));
          ASSERT_EQ(in[in_at[j]], x[j]);
          out[out_at[j]] = untouched;
        }
        ASSERT_LT(std::sqrt(off / size), 2 * test::fft_tolerance<T>(count(extents)));
        ASSERT_EQ(std::ranges::count(out, untouched), static_cast<std::ptrdiff_t>(out.size()));
      }
    }
}

TYPED_TEST(fftn_plan_test, input_may_repeat_elements) {
  using T = TypeParam;
  using complex = std::complex<T>;
  const sizes extents{4, 5, 6};
  auto line = random_complex<T>(6, 1);
  std::vector<complex> dense, out(120);
  for (std::size_t i = 0; i < 20; ++i) dense.insert(dense.end(), line.begin(), line.end());
  const fftn_plan<T> plan(extents);
  plan.execute(view<const complex, 3>(line.data(), {4, 5, 6}, {0, 0, 1}),
               view<complex, 3>(out.data(), {4, 5, 6}));
  EXPECT_EQ(out, execute(plan, dense));
}

TYPED_TEST(fftn_plan_test, in_place_and_overlapping) {
  using T = TypeParam;
  using complex = std::complex<T>;
  const sizes extents{11, 13, 11};  // whose columns run the recipes of lines
  for (const sizes& axes : subsets(3)) {
    const fftn_plan<T> plan(extents, as_signed(axes));
    const auto x = random_complex<T>(count(extents), 4);
    const auto expected = execute(plan, x);
    for (const layout& where : layouts(extents)) {
      const auto at = offsets(extents, where);
      std::vector<complex> memory(where.size);
      for (std::size_t j = 0; j < x.size(); ++j) memory[at[j]] = x[j];
      plan.execute(as_view<3>(memory, extents, where), as_view<3>(memory, extents, where), 2);
      for (std::size_t j = 0; j < x.size(); ++j) ASSERT_EQ(memory[at[j]], expected[j]);
    }
    auto memory = x;  // a few elements further on; and transposed onto itself
    memory.resize(x.size() + 9);
    plan.execute(view<const complex, 3>(memory.data(), {11, 13, 11}),
                 view<complex, 3>(memory.data() + 9, {11, 13, 11}));
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), memory.begin() + 9));
    memory = x;
    plan.execute(view<const complex, 3>(memory.data(), {11, 13, 11}),
                 view<complex, 3>(memory.data(), {11, 13, 11}, {1, 11, 143}));
    for (std::size_t j = 0; j < x.size(); ++j)
      ASSERT_EQ(memory[j / 143 + j / 11 % 13 * 11 + j % 11 * 143], expected[j]);
  }
}

// One axis after the other over the whole array, the last first.
template <class T>
std::vector<std::complex<T>> by_axes(std::vector<std::complex<T>> x, const sizes& extents,
                                     const sizes& axes) {
  with_rank(extents.size(), [&]<std::size_t Rank>() {
    const auto whole = as_view<Rank>(x, extents, row_major(extents));
    for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis)
      fft_plan<T>(extents[*axis]).execute_axis(whole, whole, *axis);
  });
  return x;
}

TYPED_TEST(fftn_plan_test, blocks_and_threads_do_not_change_the_bits) {
  using T = TypeParam;
  // Larger than a cache block, which begins behind the first, the second or no axis.
  for (sizes extents : {sizes{30, 6000}, sizes{700, 260}, sizes{5, 190, 210}, sizes{3, 2, 66000},
                        sizes{21, 17, 20, 20}, sizes{140000}}) {
    if (std::is_same_v<T, double>) extents.back() /= 2;
    for (const sizes& axes : subsets(extents.size())) {
      if (axes.empty()) continue;
      const auto x = random_complex<T>(count(extents), 6);
      const auto expected = by_axes(x, extents, axes);
      const fftn_plan<T> plan(extents, as_signed(axes));
      for (const int threads : {1, 2, 3}) {
        const auto got = execute(plan, x, threads);
        ASSERT_TRUE(std::equal(got.begin(), got.end(), expected.begin()))
            << testing::PrintToString(extents) << testing::PrintToString(axes) << threads;
      }
    }
  }
}

TYPED_TEST(fftn_plan_test, refuses_what_it_cannot_do) {
  using T = TypeParam;
  using complex = std::complex<T>;
  constexpr std::size_t huge = std::numeric_limits<std::size_t>::max() / 4;
  EXPECT_THROW(fftn_plan<T>(sizes{}), invalid_argument);
  EXPECT_THROW(fftn_plan<T>({4, 0}), invalid_argument);
  EXPECT_THROW(fftn_plan<T>({4, 5}, {2}), invalid_argument);
  EXPECT_THROW(fftn_plan<T>({4, 5}, {-3}), invalid_argument);
  EXPECT_THROW(fftn_plan<T>({4, 5}, {1, 1}), invalid_argument);
  EXPECT_THROW(fftn_plan<T>({4, 5}, {1, -1}), invalid_argument);
  EXPECT_THROW(fftn_plan<T>({huge, 1}, {1}), resource_error);
  EXPECT_THROW(fftn_plan<T>({std::size_t{1} << 31, std::size_t{1} << 31, 8}, {2}), resource_error);

  const fftn_plan<T> plan({4, 5});
  array<complex, 2> good({4, 5}), turned({5, 4});
  array<complex, 3> deep({4, 5, 1});
  EXPECT_THROW(plan.execute(turned, good.view()), shape_error);
  EXPECT_THROW(plan.execute(good, turned.view()), shape_error);
  EXPECT_THROW(plan.execute(deep, deep.view()), shape_error);
  EXPECT_THROW(plan.execute(good, view<complex, 2>(turned.data(), {4, 5}, {0, 1})), shape_error);
  EXPECT_THROW(plan.execute(good, view<complex, 2>(turned.data(), {4, 5}, {1, 1})), shape_error);
  EXPECT_THROW(plan.execute(good, view<complex, 2>(turned.data(), {4, 5}, {1, 3})), shape_error);
  EXPECT_THROW(plan.execute(good, turned.view(), -1), shape_error);
  EXPECT_THROW(plan.execute(good, good.view(), -1), invalid_argument);
  constexpr auto far = std::numeric_limits<std::ptrdiff_t>::max() / 3;
  EXPECT_THROW(plan.execute(good, view<complex, 2>(turned.data(), {4, 5}, {far, 1})),
               resource_error);
}

}  // namespace
}  // namespace papilio
