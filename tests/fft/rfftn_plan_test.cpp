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
class rfftn_plan_test : public testing::Test {};
using precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(rfftn_plan_test, precisions);

template <class T>
std::vector<std::complex<T>> forward(const rfftn_plan<T>& plan, std::vector<T> x, int threads = 1) {
  const sizes &extents = plan.extents(), &bins = plan.spectrum_extents();
  std::vector<std::complex<T>> out(count(bins), {NAN, NAN});
  with_rank(extents.size(), [&]<std::size_t Rank>() {
    plan.forward(as_view<Rank>(x, extents, row_major(extents)),
                 as_view<Rank>(out, bins, row_major(bins)), threads);
  });
  return out;
}

template <class T>
std::vector<T> inverse(const rfftn_plan<T>& plan, std::vector<std::complex<T>> spectrum,
                       int threads = 1) {
  const sizes &extents = plan.extents(), &bins = plan.spectrum_extents();
  std::vector<T> out(count(extents), NAN);
  const auto before = spectrum;
  with_rank(extents.size(), [&]<std::size_t Rank>() {
    plan.inverse(as_view<Rank>(spectrum, bins, row_major(bins)),
                 as_view<Rank>(out, extents, row_major(extents)), threads);
  });
  EXPECT_EQ(spectrum, before);
  return out;
}

// Every subset of the axes, with each of its members in turn as the halved one.
std::vector<sizes> choices(std::size_t rank) {
  std::vector<sizes> all;
  for (const sizes& subset : subsets(rank))
    for (const std::size_t halved : subset) {
      sizes axes = subset;
      std::erase(axes, halved);
      axes.push_back(halved);
      all.push_back(axes);
    }
  return all;
}

sizes others(sizes axes) {
  axes.pop_back();
  return axes;
}

const std::vector<sizes> shapes = {{1},       {8},          {9},         {1, 2},
                                   {6, 5},    {5, 6},       {4, 1, 7},   {3, 8, 10},
                                   {7, 2, 3}, {2, 3, 4, 5}, {5, 1, 1, 6}};

TYPED_TEST(rfftn_plan_test, forward_is_half_of_the_dft) {
  using T = TypeParam;
  for (const sizes& extents : shapes)
    for (const sizes& axes : choices(extents.size())) {
      const rfftn_plan<T> plan(extents, as_signed(axes));
      const std::size_t halved = axes.back();
      const auto x = random_real<T>(count(extents), 7);
      const auto expected = first_along(dftn(widened<T>(std::span<const T>(x)), extents, axes, -1),
                                        extents, halved, extents[halved] / 2 + 1);
      for (const int threads : {1, 3})
        EXPECT_LT(relative_error(forward(plan, x, threads), expected),
                  fftn_tolerance<T>(extents, axes))
            << testing::PrintToString(extents) << testing::PrintToString(axes);
    }
}

TYPED_TEST(rfftn_plan_test, inverse_takes_any_half_spectrum) {
  using T = TypeParam;
  for (const sizes& extents : shapes)
    for (const sizes& axes : choices(extents.size())) {
      const rfftn_plan<T> plan(extents, as_signed(axes), {.norm = normalization::none});
      const std::size_t halved = axes.back(), n = extents[halved];
      const auto bins = random_complex<T>(count(plan.spectrum_extents()), 7);
      const auto half = dftn(widened<T>(std::span<const std::complex<T>>(bins)),
                             plan.spectrum_extents(), others(axes), +1);
      const auto expected =
          dftn(hermitian(half, plan.spectrum_extents(), halved, n), extents, {halved}, +1);
      // Of a spectrum without symmetry up to half of the energy is dropped before the last axis,
      // the rounding errors of which stay.
      for (const int threads : {1, 3})
        EXPECT_LT(relative_error(inverse(plan, bins, threads), expected),
                  2 * fftn_tolerance<T>(extents, axes))
            << testing::PrintToString(extents) << testing::PrintToString(axes);
    }
}

TYPED_TEST(rfftn_plan_test, round_trips_under_every_normalization) {
  using T = TypeParam;
  const sizes extents{6, 7, 10};
  const auto x = random_real<T>(count(extents), 2);
  for (const normalization norm :
       {normalization::backward, normalization::orthonormal, normalization::forward})
    for (const sizes& axes : choices(3)) {
      const rfftn_plan<T> plan(extents, as_signed(axes), {.norm = norm});
      EXPECT_LT(relative_error(inverse(plan, forward(plan, x)), widened<T>(std::span<const T>(x))),
                2 * fftn_tolerance<T>(extents, axes));
    }
  const rfftn_plan<T> plan(extents, {-1, 0});
  EXPECT_EQ(plan.axes(), (sizes{2, 0}));
  EXPECT_EQ(plan.spectrum_extents(), (sizes{4, 7, 10}));
  EXPECT_EQ(plan.designs(),
            (std::vector<recipe>{fft_plan<T>(10).design(), rfft_plan<T>(6).design()}));
  const rfftn_plan<T> columns({64, 6});
  EXPECT_EQ(columns.designs()[0],
            fft_plan<T>(64).design({.count = 4, .line_stride = 1, .element_stride = 4}));
}

TYPED_TEST(rfftn_plan_test, blocks_and_threads_do_not_change_the_bits) {
  using T = TypeParam;
  using complex = std::complex<T>;
  for (sizes extents : {sizes{400, 700}, sizes{7, 150, 260}, sizes{3, 2, 135000}}) {
    if (std::is_same_v<T, double>) extents.back() /= 2;
    for (const sizes& axes : choices(extents.size())) {
      const std::size_t halved = axes.back();
      if (halved == 1 && extents.size() == 3) continue;  // as 0: not the innermost
      const rfftn_plan<T> plan(extents, as_signed(axes));
      const sizes& bins = plan.spectrum_extents();
      auto x = random_real<T>(count(extents), 6);
      std::vector<complex> expected(count(bins));
      sizes rising = others(axes);
      with_rank(extents.size(), [&]<std::size_t Rank>() {
        const auto spectrum = as_view<Rank>(expected, bins, row_major(bins));
        rfft_plan<T>(extents[halved])
            .forward_axis(as_view<Rank>(x, extents, row_major(extents)), spectrum, halved);
        for (auto axis = rising.rbegin(); axis != rising.rend(); ++axis)
          fft_plan<T>(extents[*axis]).execute_axis(spectrum, spectrum, *axis);
      });
      const auto back = inverse(plan, expected);
      for (const int threads : {1, 2, 3}) {
        ASSERT_EQ(forward(plan, x, threads), expected);
        ASSERT_EQ(inverse(plan, expected, threads), back);
      }
    }
  }
}

TYPED_TEST(rfftn_plan_test, strides_and_overlap) {
  using T = TypeParam;
  using complex = std::complex<T>;
  const sizes extents{11, 13, 22}, bins{11, 13, 12};  // whose columns run the recipes of lines
  const auto x = random_real<T>(count(extents), 2);
  for (const sizes& axes : {sizes{0, 1, 2}, sizes{1, 2}, sizes{2}}) {
    const rfftn_plan<T> plan(extents, as_signed(axes));
    const auto spectrum = forward(plan, x);
    const auto back = inverse(plan, spectrum);
    // Reals transposed and backwards, bins with gaps.
    const layout reals = lay_out(extents, {2, 0, 1}, {{1, true}, {2}, {1, true}});
    const layout gaps = lay_out(bins, {1, 0, 2}, {{2}, {1, true}, {2}});
    const auto real_at = offsets(extents, reals), bin_at = offsets(bins, gaps);
    std::vector<T> from(reals.size);
    std::vector<complex> to(gaps.size);
    for (std::size_t j = 0; j < x.size(); ++j) from[real_at[j]] = x[j];
    plan.forward(as_view<3>(from, extents, reals), as_view<3>(to, bins, gaps));
    for (std::size_t j = 0; j < spectrum.size(); ++j) ASSERT_EQ(to[bin_at[j]], spectrum[j]);
    plan.inverse(as_view<3>(to, bins, gaps), as_view<3>(from, extents, reals), 2);
    for (std::size_t j = 0; j < x.size(); ++j) ASSERT_EQ(from[real_at[j]], back[j]);
    for (std::size_t j = 0; j < spectrum.size(); ++j) ASSERT_EQ(to[bin_at[j]], spectrum[j]);

    std::vector<complex> memory(count(bins));  // the reals at the beginning of the bins' memory
    T* const same = reinterpret_cast<T*>(memory.data());
    std::copy(x.begin(), x.end(), same);
    plan.forward(view<const T, 3>(same, {11, 13, 22}),
                 view<complex, 3>(memory.data(), {11, 13, 12}));
    EXPECT_EQ(memory, spectrum);
    plan.inverse(view<const complex, 3>(memory.data(), {11, 13, 12}),
                 view<T, 3>(same, {11, 13, 22}));
    EXPECT_TRUE(std::equal(back.begin(), back.end(), same));
  }
}

TYPED_TEST(rfftn_plan_test, refuses_what_it_cannot_do) {
  using T = TypeParam;
  using complex = std::complex<T>;
  EXPECT_THROW(rfftn_plan<T>(sizes{}), invalid_argument);
  EXPECT_THROW(rfftn_plan<T>({4, 5}, std::vector<std::ptrdiff_t>{}), invalid_argument);
  EXPECT_THROW(rfftn_plan<T>({4, 0}), invalid_argument);
  EXPECT_THROW(rfftn_plan<T>({4, 5}, {2}), invalid_argument);
  EXPECT_THROW(rfftn_plan<T>({4, 5}, {0, -2}), invalid_argument);
  EXPECT_THROW(rfftn_plan<T>({std::numeric_limits<std::size_t>::max() / 8, 1}, {1}),
               resource_error);
  const rfftn_plan<T> plan({4, 6});
  array<T, 2> x({4, 6}), shorter({4, 5});
  array<complex, 2> bins({4, 4}), whole({4, 6});
  EXPECT_THROW(plan.forward(shorter, bins.view()), shape_error);
  EXPECT_THROW(plan.forward(x, whole.view()), shape_error);
  EXPECT_THROW(plan.inverse(whole, x.view()), shape_error);
  EXPECT_THROW(plan.inverse(bins, shorter.view()), shape_error);
  EXPECT_THROW(plan.forward(x, view<complex, 2>(whole.data(), {4, 4}, {3, 1})), shape_error);
  EXPECT_THROW(plan.inverse(bins, view<T, 2>(x.data(), {4, 6}, {0, 1})), shape_error);
  EXPECT_THROW(plan.forward(x, bins.view(), -1), invalid_argument);
  EXPECT_THROW(plan.inverse(bins, x.view(), -1), invalid_argument);
}

}  // namespace
}  // namespace papilio
