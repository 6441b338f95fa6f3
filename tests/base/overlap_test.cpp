#include "papilio/base/overlap.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <set>
#include <string>

namespace papilio {
namespace {

using base_detail::reach;
using base_detail::require_distinct;

template <std::size_t Rank>
bool is_refused(const extents_type<Rank>& extents, const strides_type<Rank>& strides) {
  try {
    require_distinct("here", view<int, Rank>(nullptr, extents, strides));
    return false;
  } catch (const shape_error& e) {
    EXPECT_EQ(std::string(e.what()).find("here: "), 0u);
    return true;
  }
}

TEST(overlap, distinct_axes_step_over_the_smaller_ones) {
  EXPECT_FALSE(is_refused<1>({4}, {1}));
  EXPECT_FALSE(is_refused<1>({4}, {-3}));
  EXPECT_TRUE(is_refused<1>({4}, {0}));
  EXPECT_FALSE(is_refused<1>({1}, {0}));
  EXPECT_FALSE(is_refused<3>({2, 3, 4}, {12, 4, 1}));
  EXPECT_FALSE(is_refused<3>({2, 3, 4}, {1, -2, 6}));
  EXPECT_FALSE(is_refused<3>({2, 3, 4}, {12, 4, -1}));
  EXPECT_TRUE(is_refused<3>({2, 3, 4}, {11, 4, 1}));
  EXPECT_TRUE(is_refused<3>({2, 3, 4}, {12, 3, 1}));
  EXPECT_TRUE(is_refused<3>({2, 3, 4}, {4, 4, 1}));
  EXPECT_FALSE(is_refused<3>({2, 1, 4}, {4, 4, 1}));
  EXPECT_FALSE(is_refused<3>({2, 0, 4}, {0, 0, 0}));
}

// Whatever passes has as many addresses as elements.
TEST(overlap, distinct_is_distinct) {
  std::size_t passed = 0;
  for (std::ptrdiff_t a = -9; a <= 9; ++a)
    for (std::ptrdiff_t b = -9; b <= 9; ++b)
      for (std::ptrdiff_t c = -9; c <= 9; ++c) {
        if (is_refused<3>({2, 3, 2}, {a, b, c})) continue;
        ++passed;
        std::set<std::ptrdiff_t> addresses;
        for (int i = 0; i < 2; ++i)
          for (int j = 0; j < 3; ++j)
            for (int k = 0; k < 2; ++k) addresses.insert(i * a + j * b + k * c);
        EXPECT_EQ(addresses.size(), 12u);
      }
  EXPECT_GT(passed, 100u);
}

TEST(overlap, reach_is_from_the_first_byte_to_the_last) {
  const int memory[40] = {};
  const auto bytes = [&](const int* p) { return reinterpret_cast<std::uintptr_t>(p); };
  const auto both = reach(view<const int, 2>(memory + 10, {3, 4}, {-5, 2}));
  EXPECT_EQ(both.first, bytes(memory));
  EXPECT_EQ(both.last, bytes(memory + 17));
  const auto next = reach(view<const int, 1>(memory + 17, {1}));
  EXPECT_FALSE(both.overlaps(next));
  EXPECT_TRUE(both.overlaps(reach(view<const int, 1>(memory + 16, {1}))));
  EXPECT_FALSE(both.overlaps(reach(view<const int, 2>(memory, {0, 4}))));
}

TEST(overlap, bytes_that_cannot_be_counted_are_refused) {
  constexpr auto most = std::numeric_limits<std::ptrdiff_t>::max();
  constexpr auto least = std::numeric_limits<std::ptrdiff_t>::min();
  const int memory[1] = {};
  for (const std::ptrdiff_t stride : {most, most / 4, most / 7, least, least / 8})
    EXPECT_THROW(reach(view<const int, 1>(memory, {3}, {stride})), resource_error);
  EXPECT_THROW(reach(view<const int, 2>(memory, {2, 2}, {most / 6, -most / 6})), resource_error);
  EXPECT_THROW(require_distinct("here", view<const int, 2>(memory, {9, 2}, {most / 2, 1})),
               resource_error);
}

}  // namespace
}  // namespace papilio
