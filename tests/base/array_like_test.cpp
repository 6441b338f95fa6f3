// What is taken wherever an array is, and where what it refers to lies.
#include "papilio/base/array_like.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <numeric>
#include <span>
#include <vector>

namespace papilio {
namespace {

/// The members that std::mdspan and Kokkos::mdspan have in common.
template <class T>
struct strided_matrix {
  using element_type = T;
  using extents_type = std::size_t[2];
  T* data;
  std::size_t extents[2];
  std::size_t strides[2];
  static constexpr std::size_t rank() { return 2; }
  std::size_t extent(std::size_t axis) const { return extents[axis]; }
  std::size_t stride(std::size_t axis) const { return strides[axis]; }
  T* data_handle() const { return data; }
};

static_assert(mdspan_like<strided_matrix<float>>);
static_assert(!mdspan_like<std::vector<float>>);
static_assert(readable_array<strided_matrix<const float>>);
static_assert(!writable_array<strided_matrix<const float>>);
static_assert(readable_array<std::vector<float>> && flat_array<std::span<const float>>);
static_assert(!flat_array<array<float, 2>>);
static_assert(writable_array<array<float, 2>&> && !writable_array<const array<float, 2>&>);
static_assert(!writable_array<const std::vector<float>&>);
static_assert(base_detail::rank_of<array<double, 3>> == 3);

TEST(array_like, an_mdspan_is_viewed_with_its_strides) {
  std::vector<int> values(24);
  std::iota(values.begin(), values.end(), 0);
  const strided_matrix<int> columns{values.data() + 1, {3, 2}, {1, 8}};  // stored by columns
  const view<const int, 2> x = base_detail::as_view(columns);
  EXPECT_EQ(x.extents(), (extents_type<2>{3, 2}));
  EXPECT_EQ(x(2, 1), 1 + 2 + 8);
  base_detail::as_writable_view(columns)(2, 1) = -5;
  EXPECT_EQ(values[11], -5);
}

TEST(array_like, rows_of_a_range) {
  std::vector<float> values(12);
  values[7] = 1;
  const auto rows = base_detail::rows_of("f", "in", base_detail::as_view(values), 4);
  EXPECT_EQ(rows.extents(), (extents_type<2>{3, 4}));
  EXPECT_EQ(rows(1, 3), 1.0F);
  try {
    base_detail::rows_of("f", "in", base_detail::as_view(values), 5);
    FAIL();
  } catch (const shape_error& e) {
    EXPECT_STREQ(e.what(), "f: in must hold whole rows of 5 elements, got 12");
  }
}

TEST(array_like, leading_axes_repeat) {
  const std::vector<float> mask{1, 2, 3};
  const auto whole = base_detail::repeated<3>(base_detail::as_view(mask), extents_type<3>{2, 5, 3});
  EXPECT_EQ(whole.extents(), (extents_type<3>{2, 5, 3}));
  EXPECT_EQ(whole(1, 4, 2), 3.0F);
}

}  // namespace
}  // namespace papilio
