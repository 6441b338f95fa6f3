// numpy.fft's rules along several axes.
#include <gtest/gtest.h>

#include "papilio/base.hpp"

#include <algorithm>

#include "papilio/transform.hpp"
#include "support/nd.hpp"

namespace papilio {
namespace {

using test::dftn;
using test::exact;
using test::fftn_tolerance;
using test::sizes;

template <class Data>
std::vector<exact> wide(const Data& data) {
  return {data.begin(), data.end()};
}

template <class Data>
double error_of(const Data& got, const std::vector<exact>& expected) {
  return test::relative_error(wide(got), expected);
}

template <class V, std::size_t Rank>
array<V, Rank> filled(const extents_type<Rank>& extents, const std::vector<V>& values) {
  array<V, Rank> x(extents);
  std::copy_n(values.begin(), x.size(), x.begin());
  return x;
}

template <class V>
array<V, 3> padded(const array<V, 3>& x, const extents_type<3>& extents) {
  array<V, 3> y(extents);
  for (std::size_t i = 0; i < std::min(x.extent(0), extents[0]); ++i)
    for (std::size_t j = 0; j < std::min(x.extent(1), extents[1]); ++j)
      for (std::size_t k = 0; k < std::min(x.extent(2), extents[2]); ++k) y(i, j, k) = x(i, j, k);
  return y;
}

template <class T>
class grid_test : public testing::Test {
 protected:
  array<std::complex<T>, 3> z =
      filled<std::complex<T>, 3>({4, 5, 6}, test::random_complex<T>(120, 1));
  array<T, 3> r = filled<T, 3>({4, 5, 6}, test::random_real<T>(120, 2));
};
using precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(grid_test, precisions);

TYPED_TEST(grid_test, axes_and_lengths_of_fftn) {
  using T = TypeParam;
  const struct {
    grid_options options;
    sizes axes, extents;
  } rows[] = {{{}, {0, 1, 2}, {4, 5, 6}},
              {{.axes = {0, 2}}, {0, 2}, {4, 5, 6}},
              {{.axes = {-1, 0}}, {2, 0}, {4, 5, 6}},
              {{.axes = {1}}, {1}, {4, 5, 6}},
              {{.s = {3, 8}}, {1, 2}, {4, 3, 8}},
              {{.s = {7}}, {2}, {4, 5, 7}},
              {{.s = {2, 9}, .axes = {0, 1}}, {0, 1}, {2, 9, 6}},
              {{.s = {9, 2}, .axes = {1, 0}}, {0, 1}, {2, 9, 6}},
              {{.s = {-1, 4}, .axes = {0, 1}}, {0, 1}, {4, 4, 6}}};
  for (const auto& row : rows) {
    SCOPED_TRACE(testing::PrintToString(row.axes) + " of " + testing::PrintToString(row.extents));
    const extents_type<3> extents{row.extents[0], row.extents[1], row.extents[2]};
    const double bound = fftn_tolerance<T>(row.extents, row.axes);
    const auto from_complex = fftn(this->z, row.options), from_real = fftn(this->r, row.options);
    EXPECT_EQ(from_complex.extents(), extents);
    EXPECT_LT(
        error_of(from_complex, dftn(wide(padded(this->z, extents)), row.extents, row.axes, -1)),
        bound);
    EXPECT_LT(error_of(from_real, dftn(wide(padded(this->r, extents)), row.extents, row.axes, -1)),
              bound);
    auto expected = dftn(wide(padded(this->z, extents)), row.extents, row.axes, 1);
    for (const std::size_t a : row.axes)
      for (exact& v : expected) v /= static_cast<long double>(row.extents[a]);
    EXPECT_LT(error_of(ifftn(this->z, row.options), expected), bound);
  }
}

TYPED_TEST(grid_test, axes_and_lengths_of_rfftn_and_irfftn) {
  using T = TypeParam;
  const struct {
    grid_options options;
    sizes axes, extents;
  } rows[] = {{{}, {0, 1, 2}, {4, 5, 6}},
              {{.axes = {2, 1}}, {2, 1}, {4, 5, 6}},
              {{.axes = {0}}, {0}, {4, 5, 6}},
              {{.s = {3, 9}}, {1, 2}, {4, 3, 9}},
              {{.s = {2, 8}, .axes = {2, 0}}, {2, 0}, {8, 5, 2}}};
  for (const auto& row : rows) {
    SCOPED_TRACE(testing::PrintToString(row.axes) + " of " + testing::PrintToString(row.extents));
    const extents_type<3> extents{row.extents[0], row.extents[1], row.extents[2]};
    const std::size_t last = row.axes.back(), n = extents[last];
    const double bound = fftn_tolerance<T>(row.extents, row.axes);
    const auto x = padded(this->r, extents);
    const auto half =
        test::first_along(dftn(wide(x), row.extents, row.axes, -1), row.extents, last, n / 2 + 1);
    const auto got = rfftn(this->r, row.options);
    EXPECT_EQ(got.extent(last), n / 2 + 1);
    EXPECT_LT(error_of(got, half), bound);
    grid_options back = row.options;
    back.s = sizes();
    for (const std::size_t a : row.axes) {
      auto lengths = std::vector<std::ptrdiff_t>(back.s.values().begin(), back.s.values().end());
      lengths.push_back(static_cast<std::ptrdiff_t>(row.extents[a]));
      back.s = lengths;
    }
    EXPECT_LT(error_of(irfftn(got, back), wide(x)), 2 * bound);
  }
}

TYPED_TEST(grid_test, irfftn_cuts_and_pads_bins) {
  using T = TypeParam;
  // Against one axis at a time, in numpy's order: inverses first, the real axis last.
  const struct {
    grid_options options;
    std::vector<std::pair<std::ptrdiff_t, std::ptrdiff_t>> steps;  // axis, length
  } rows[] = {{{}, {{0, 4}, {1, 5}, {2, 10}}},
              {{.s = {3, 7}}, {{1, 3}, {2, 7}}},
              {{.s = {6, -1}, .axes = {2, 0}}, {{2, 6}, {0, 4}}},
              {{.axes = {2, 1}}, {{2, 6}, {1, 8}}}};
  for (const auto& row : rows) {
    auto step = this->z;
    for (std::size_t i = 0; i + 1 < row.steps.size(); ++i)
      step = ifft(step, {.n = row.steps[i].second, .axis = row.steps[i].first});
    const auto expected =
        irfft(step, {.n = row.steps.back().second, .axis = row.steps.back().first});
    const auto got = irfftn(this->z, row.options);
    ASSERT_EQ(got.extents(), expected.extents());
    EXPECT_LT(error_of(got, wide(expected)), 4 * fftn_tolerance<T>({4, 5, 10}, {0, 1, 2}));
  }
}

TYPED_TEST(grid_test, an_axis_named_twice_is_transformed_twice) {
  using T = TypeParam;
  const double bound = 4 * fftn_tolerance<T>({4, 5, 6}, {0, 1, 2});
  const auto twice = fftn(this->z, {.axes = {1, 1}});
  EXPECT_LT(error_of(twice, wide(fft(fft(this->z, {.axis = 1}), {.axis = 1}))), bound);
  // Each naming with its own length, the last first.
  const auto cut = fftn(this->z, {.s = {3, 8, 2}, .axes = {0, 1, 0}});
  const auto expected =
      fft(fft(fft(this->z, {.n = 2, .axis = 0}), {.n = 8, .axis = 1}), {.n = 3, .axis = 0});
  ASSERT_EQ(cut.extents(), expected.extents());
  EXPECT_LT(error_of(cut, wide(expected)), bound);
  const auto real = rfftn(this->r, {.axes = {2, 2}});
  const auto real_expected = fft(rfft(this->r), {.n = 6});
  ASSERT_EQ(real.extents(), real_expected.extents());
  EXPECT_LT(error_of(real, wide(real_expected)), bound);
  const auto back = irfftn(this->z, {.axes = {1, 1}});
  const auto back_expected = irfft(ifft(this->z, {.axis = 1}), {.n = 8, .axis = 1});
  ASSERT_EQ(back.extents(), back_expected.extents());
  EXPECT_LT(error_of(back, wide(back_expected)), bound);
}

TYPED_TEST(grid_test, two_dimensional_names) {
  using T = TypeParam;
  const auto same = [](const auto& a, const auto& b) {
    return a.extents() == b.extents() && std::ranges::equal(a, b);
  };
  const index_list last{-2, -1};
  EXPECT_TRUE(same(fft2(this->z), fftn(this->z, {.axes = last})));
  EXPECT_TRUE(same(ifft2(this->z), ifftn(this->z, {.axes = last})));
  EXPECT_TRUE(same(rfft2(this->r), rfftn(this->r, {.axes = last})));
  EXPECT_TRUE(same(irfft2(this->z), irfftn(this->z, {.axes = last})));
  EXPECT_TRUE(same(fft2(this->z, {.s = {3, 4}, .axes = {0, 1}}),
                   fftn(this->z, {.s = {3, 4}, .axes = {0, 1}})));
  const std::vector<T> line(4);
  EXPECT_THROW(fft2(line), invalid_argument);
  EXPECT_THROW(irfft2(line), invalid_argument);
}

TYPED_TEST(grid_test, no_axes_is_a_copy_and_normalization_is_of_the_product) {
  using T = TypeParam;
  const auto copy = fftn(this->r, {.axes = std::vector<int>()});
  EXPECT_TRUE(std::ranges::equal(wide(copy), wide(this->r)));
  EXPECT_THROW(rfftn(this->r, {.axes = std::vector<int>()}), invalid_argument);
  EXPECT_THROW(irfftn(this->z, {.axes = std::vector<int>()}), invalid_argument);
  auto expected = wide(fftn(this->z));
  for (exact& v : expected) v /= std::sqrt(120.0L);
  EXPECT_LT(error_of(fftn(this->z, {.norm = normalization::orthonormal}), expected),
            2 * fftn_tolerance<T>({4, 5, 6}, {0, 1, 2}));
}

TYPED_TEST(grid_test, into_memory_that_is_there) {
  using T = TypeParam;
  using C = std::complex<T>;
  const auto expected = fftn(this->z);
  auto memory = this->z;
  fftn(memory, memory);
  EXPECT_TRUE(std::ranges::equal(memory, expected));
  ifftn(this->z, memory);
  EXPECT_TRUE(std::ranges::equal(memory, ifftn(this->z)));
  array<C, 3> half({4, 5, 4});
  rfftn(this->r, half);
  EXPECT_TRUE(std::ranges::equal(half, rfftn(this->r)));
  array<T, 3> back({4, 5, 6});
  irfftn(half, back);
  EXPECT_TRUE(std::ranges::equal(back, irfftn(half)));
  fft2(this->z, memory);
  EXPECT_TRUE(std::ranges::equal(memory, fft2(this->z)));
  ifft2(this->z, memory);
  EXPECT_TRUE(std::ranges::equal(memory, ifft2(this->z)));
  rfft2(this->r, half);
  EXPECT_TRUE(std::ranges::equal(half, rfft2(this->r)));
  irfft2(half, back);
  EXPECT_TRUE(std::ranges::equal(back, irfft2(half)));
  EXPECT_THROW(fftn(this->z, half), shape_error);
  EXPECT_THROW(rfftn(this->r, this->z), shape_error);
}

TEST(grid, errors) {
  const array<double, 2> x({4, 6}), no_lines({0, 6});
  const auto message = [&](const grid_options& o) -> std::string {
    try {
      fftn(x, o);
    } catch (const invalid_argument& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(message({.axes = {2}}), "fftn: axis must be in -2 ... 1, got 2");
  EXPECT_EQ(message({.axes = {0, -3}}), "fftn: axis must be in -2 ... 1, got -3");
  EXPECT_EQ(message({.s = {4}, .axes = {0, 1}}),
            "fftn: s must have one length for each of 2 axes, got 1");
  EXPECT_EQ(message({.s = {4, 4, 4}}), "fftn: s must have at most 2 lengths, got 3");
  EXPECT_EQ(message({.s = {4, 0}}), "fftn: n must be at least 1, got 0");
  EXPECT_EQ(message({.s = {4, -2}}), "fftn: n must be at least 1, got -2");
  EXPECT_THROW(fft2(x, {.s = {4}}), invalid_argument);
  EXPECT_THROW(fftn(no_lines), invalid_argument);
  EXPECT_THROW(irfftn(array<double, 2>({4, 1})), invalid_argument);
  EXPECT_EQ(fftn(no_lines, {.axes = {1}}).extents(), (extents_type<2>{0, 6}));
  EXPECT_EQ(fftn(array<double, 3>({2, 0, 3}), {.axes = {0, 2}}).extents(),
            (extents_type<3>{2, 0, 3}));
}

TEST(grid, lists_are_made_of_any_integers) {
  const array<double, 2> x({4, 6});
  const extents_type<2> s{8, 12};
  EXPECT_EQ(fftn(x, {.s = s}).extents(), s);
  EXPECT_EQ(fftn(x, {.s = {x.extent(0), 3}}).extents(), (extents_type<2>{4, 3}));
  EXPECT_FALSE(index_list().is_given());
  EXPECT_TRUE(index_list(std::vector<int>()).is_given());
  EXPECT_THROW(index_list({std::numeric_limits<std::size_t>::max()}), resource_error);
}

}  // namespace
}  // namespace papilio
