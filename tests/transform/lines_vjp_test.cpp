// Gradients by numpy's names are those of the plans, along any axis.
#include <gtest/gtest.h>

#include <algorithm>

#include "papilio/base.hpp"
#include "papilio/fft.hpp"
#include "papilio/transform.hpp"
#include "support/oracle.hpp"

namespace papilio {
namespace {

using complexes = array<std::complex<double>, 2>;

complexes random_bins(const extents_type<2>& extents) {
  complexes x(extents);
  std::ranges::copy(test::random_complex<double>(x.size(), 1), x.begin());
  return x;
}

template <class Got, class Expected>
void expect_equal(const Got& got, const Expected& expected) {
  ASSERT_EQ(got.extents(), expected.extents());
  for (std::size_t i = 0; i < got.size(); ++i)
    EXPECT_NEAR(std::abs(got.flat()[i] - expected.flat()[i]), 0, 1e-14);
}

TEST(lines_vjp, are_the_adjoint_plans) {
  for (const std::size_t n : {1, 2, 7, 8, 31})
    for (const normalization norm : {normalization::backward, normalization::forward}) {
      const std::size_t half = n / 2 + 1;
      const line_options o{.n = static_cast<std::ptrdiff_t>(n), .axis = 0, .norm = norm};
      const rfft_plan<double> adjoint = rfft_plan<double>(n, {.norm = norm}).adjoint();
      const complexes bins = random_bins({half, 3}), points = random_bins({n, 3});
      array<double, 2> real({n, 3}), samples({n, 3});
      std::ranges::copy(test::random_real<double>(real.size(), 2), real.begin());
      adjoint.inverse_axis<2>(bins.view(), samples.view(), 0);
      expect_equal(rfft_vjp(bins, o), samples);
      complexes back({half, 3}), whole({n, 3});
      adjoint.forward_axis<2>(real.view(), back.view(), 0);
      expect_equal(irfft_vjp(real, o), back);
      fft_plan<double>(n, direction::forward, {.norm = norm})
          .adjoint()
          .execute_axis<2>(points.view(), whole.view(), 0);
      expect_equal(fft_vjp(points, o), whole);
      fft_plan<double>(n, direction::inverse, {.norm = norm})
          .adjoint()
          .execute_axis<2>(points.view(), whole.view(), 0);
      expect_equal(ifft_vjp(points, o), whole);
    }
  EXPECT_THROW(rfft_vjp(random_bins({5, 3}), {.n = 7, .axis = 0}), shape_error);
  EXPECT_THROW(irfft_vjp(array<double, 1>({5}), {.n = 7}), shape_error);
}

// Odd and even lengths of the halved axis; normalisations.
TEST(lines_vjp, of_several_axes_are_the_adjoint_plans) {
  for (const std::size_t n : {1, 6, 7})
    for (const normalization norm : {normalization::backward, normalization::forward}) {
      const std::size_t half = n / 2 + 1;
      const grid_options o{.s = {5, static_cast<std::ptrdiff_t>(n)}, .norm = norm};
      const rfftn_plan<double> adjoint = rfftn_plan<double>({5, n}, {.norm = norm}).adjoint();
      const complexes bins = random_bins({5, half});
      array<double, 2> real({5, n}), samples({5, n});
      std::ranges::copy(test::random_real<double>(real.size(), 2), real.begin());
      adjoint.inverse(bins, samples);
      expect_equal(rfftn_vjp(bins, o), samples);
      complexes back({5, half});
      adjoint.forward(real, back);
      expect_equal(irfftn_vjp(real, o), back);
    }
  EXPECT_THROW(rfftn_vjp(random_bins({5, 3}), {.s = {4, 5}}), shape_error);
  EXPECT_THROW(irfftn_vjp(array<double, 2>({5, 4}), {.s = {5, 7}}), shape_error);
  EXPECT_THROW(rfftn_vjp(random_bins({5, 3}), {.axes = index_list(std::vector<int>())}),
               invalid_argument);
}

}  // namespace
}  // namespace papilio
