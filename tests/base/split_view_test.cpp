#include "papilio/base/array.hpp"

#include <gtest/gtest.h>

#include <type_traits>
#include <vector>

namespace papilio {
namespace {

TEST(split_view, default_is_empty) { EXPECT_EQ(split_view<float>().size(), 0u); }

TEST(split_view, refers_to_both_parts) {
  std::vector<float> re{1, 2, 3}, im{4, 5, 6};
  const split_view<float> v(re, im);
  v.re()[0] = 9;
  v.im()[2] = 8;
  EXPECT_EQ(v.size(), 3u);
  EXPECT_EQ(re[0], 9.0f);
  EXPECT_EQ(im[2], 8.0f);
}

TEST(split_view, converts_to_const_only) {
  std::vector<double> re(2), im(2);
  const split_view<double> v(re, im);
  const split_view<const double> c = v;
  EXPECT_EQ(c.re().data(), re.data());
  EXPECT_EQ(c.im().data(), im.data());
  static_assert(!std::is_constructible_v<split_view<double>, split_view<const double>>);
}

TEST(split_view, refuses_parts_of_different_length) {
  std::vector<float> re(3), im(2);
  EXPECT_THROW(split_view<float>(re, im), shape_error);
}

}  // namespace
}  // namespace papilio
