#include "papilio/base/array.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <numeric>
#include <span>
#include <type_traits>
#include <vector>

namespace papilio {
namespace {

std::vector<int> counted(std::size_t count) {
  std::vector<int> values(count);
  std::iota(values.begin(), values.end(), 0);
  return values;
}

TEST(view, default_is_empty) {
  const view<int, 2> v;
  EXPECT_EQ(v.data(), nullptr);
  EXPECT_EQ(v.size(), 0u);
  EXPECT_TRUE(v.empty());
}

TEST(view, row_major_order) {
  auto values = counted(24);
  const view<int, 3> v(values.data(), {2, 3, 4});
  EXPECT_EQ(v.size(), 24u);
  EXPECT_EQ(v.strides(), (strides_type<3>{12, 4, 1}));
  EXPECT_TRUE(v.is_contiguous());
  int expected = 0;
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t k = 0; k < 4; ++k) {
        EXPECT_EQ(v(i, j, k), expected);
        EXPECT_EQ(v[i][j][k], expected);
        ++expected;
      }
}

TEST(view, negative_and_transposed_strides) {
  auto values = counted(6);
  const view<int, 2> transposed(values.data(), {3, 2}, {1, 3});
  EXPECT_EQ(transposed(2, 1), 5);
  EXPECT_FALSE(transposed.is_contiguous());
  const view<int, 1> reversed(values.data() + 5, {6}, {-1});
  EXPECT_EQ(reversed[0], 5);
  EXPECT_EQ(reversed[5], 0);
  EXPECT_FALSE(reversed.is_contiguous());
}

TEST(view, transposed_reverses_the_axes) {
  auto values = counted(24);
  const view<int, 3> v(values.data(), {2, 3, 4}, {12, -4, 1});
  const view<int, 3> first(values.data() + 8, v.extents(), v.strides());
  const view<int, 3> t = first.transposed();
  EXPECT_EQ(t.extents(), (extents_type<3>{4, 3, 2}));
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(&t(k, j, i), &first(i, j, k));
  const view<int, 1> line(values);
  EXPECT_EQ(line.transposed().data(), values.data());
}

TEST(view, contiguity_ignores_the_strides_of_single_and_empty_axes) {
  auto values = counted(6);
  EXPECT_TRUE((view<int, 2>(values.data(), {1, 6}, {99, 1}).is_contiguous()));
  EXPECT_TRUE((view<int, 2>(values.data(), {6, 1}, {1, -7}).is_contiguous()));
  EXPECT_TRUE((view<int, 2>(values.data(), {0, 6}, {99, 5}).is_contiguous()));
}

TEST(view, writes_through) {
  std::vector<double> values(4);
  const view<double, 2> v(values.data(), {2, 2});
  v(1, 0) = 3.0;
  v[0][1] = 2.0;
  EXPECT_EQ(values, (std::vector<double>{0.0, 2.0, 3.0, 0.0}));
}

TEST(view, from_ranges) {
  std::vector<int> values = counted(5);
  const std::vector<int>& constant = values;
  std::array<int, 3> fixed{1, 2, 3};
  EXPECT_EQ((view<int, 1>(values).size()), 5u);
  EXPECT_EQ((view<const int, 1>(constant)[4]), 4);
  EXPECT_EQ((view<int, 1>(fixed)[2]), 3);
  EXPECT_EQ((view<int, 1>(std::span(values).subspan(1))[0]), 1);
  static_assert(std::is_same_v<decltype(view(values)), view<int, 1>>);
  static_assert(std::is_same_v<decltype(view(constant)), view<const int, 1>>);
  static_assert(!std::is_convertible_v<std::vector<int>&, view<int, 1>>, "must be explicit");
}

TEST(view, converts_to_const_only) {
  auto values = counted(4);
  const view<int, 2> v(values.data(), {2, 2});
  const view<const int, 2> c = v;
  EXPECT_EQ(c.data(), v.data());
  EXPECT_EQ(c.extents(), v.extents());
  EXPECT_EQ(c.strides(), v.strides());
  static_assert(!std::is_constructible_v<view<int, 2>, view<const int, 2>>);
  static_assert(!std::is_constructible_v<view<double, 2>, view<int, 2>>);
}

TEST(view, slice) {
  auto values = counted(12);
  const view<int, 2> v(values.data(), {3, 4});
  const auto columns = v.slice(1, 1, 2);
  EXPECT_EQ(columns.extents(), (extents_type<2>{3, 2}));
  EXPECT_EQ(columns(2, 1), 10);
  EXPECT_FALSE(columns.is_contiguous());
  EXPECT_TRUE(v.slice(0, 1, 2).is_contiguous());
  EXPECT_EQ(v.slice(0, 3, 0).size(), 0u);
}

TEST(view, slice_refuses_what_is_outside) {
  auto values = counted(12);
  const view<int, 2> v(values.data(), {3, 4});
  EXPECT_THROW(v.slice(2, 0, 1), shape_error);
  EXPECT_THROW(v.slice(0, 4, 0), shape_error);
  EXPECT_THROW(v.slice(0, 1, 3), shape_error);
  EXPECT_THROW(v.slice(1, 1, std::numeric_limits<std::size_t>::max()), shape_error);
}

}  // namespace
}  // namespace papilio
