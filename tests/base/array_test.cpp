#include "papilio/base/array.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <limits>
#include <utility>

namespace papilio {
namespace {

constexpr std::size_t huge = std::numeric_limits<std::size_t>::max();

TEST(array, default_is_empty) {
  const array<float, 2> a;
  EXPECT_TRUE(a.empty());
  EXPECT_EQ(a.size(), 0u);
  EXPECT_EQ(a.begin(), a.end());
  EXPECT_TRUE(a.view().empty());
}

TEST(array, is_zeroed_and_aligned) {
  for (std::size_t n : {1, 3, 17, 1000}) {
    const array<std::complex<float>, 1> a(n);
    EXPECT_EQ(a.size(), n);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a.data()) % array_alignment_bytes, 0u);
    EXPECT_TRUE(std::all_of(a.begin(), a.end(), [](auto x) { return x == 0.0f; }));
  }
}

TEST(array, an_extent_of_zero_holds_nothing_and_keeps_its_shape) {
  const array<double, 3> a({4, 0, 2});
  EXPECT_TRUE(a.empty());
  EXPECT_EQ(a.extents(), (extents_type<3>{4, 0, 2}));
}

TEST(array, indexes_in_row_major_order) {
  array<int, 2> a({2, 3});
  a(1, 2) = 7;
  a[0][1] = 5;
  EXPECT_EQ(a.data()[5], 7);
  EXPECT_EQ(a.flat()[1], 5);
  EXPECT_EQ(std::as_const(a)(1, 2), 7);
  EXPECT_EQ(std::as_const(a)[0][1], 5);
  EXPECT_EQ(a.extent(1), 3u);
}

TEST(array, converts_to_views) {
  array<int, 2> a({2, 2});
  const view<int, 2> writable = a;
  const view<const int, 2> readable = std::as_const(a);
  writable(1, 1) = 4;
  EXPECT_EQ(readable(1, 1), 4);
  EXPECT_EQ(readable.data(), a.data());
}

TEST(array, copies_are_deep) {
  array<int, 1> a(3);
  a[0] = 1;
  array<int, 1> b = a;
  b[0] = 2;
  EXPECT_EQ(a[0], 1);
  a = b;
  EXPECT_EQ(a[0], 2);
  EXPECT_NE(a.data(), b.data());
}

TEST(array, moves_leave_an_empty_array) {
  array<int, 1> a(3);
  const int* const data = a.data();
  array<int, 1> b = std::move(a);
  EXPECT_EQ(b.data(), data);
  EXPECT_TRUE(a.empty());  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(a.extent(0), 0u);
  a = std::move(b);
  EXPECT_EQ(a.data(), data);
}

TEST(array, refuses_sizes_that_overflow_or_cannot_be_had) {
  EXPECT_THROW((array<double, 2>({huge, 2})), resource_error);
  EXPECT_THROW((array<double, 1>(huge / 4)), resource_error);
  EXPECT_THROW((array<char, 1>(std::size_t{1} << 62)), resource_error);
}

}  // namespace
}  // namespace papilio
