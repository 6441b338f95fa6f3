// FFTW in long double as a second oracle, of its own definitions and at larger sizes than the sums
// of tests/support reach.
#include <fftw3.h>
#include <gtest/gtest.h>

#include <utility>

#include "papilio/base.hpp"
#include "papilio/fft.hpp"
#include "support/nd.hpp"

namespace papilio {
namespace {

using namespace test;

template <class T>
class fftw_oracle : public testing::Test {};
using precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(fftw_oracle, precisions);

std::vector<exact> fftw_dftn(std::vector<exact> x, const sizes& extents, int sign) {
  const std::vector<int> n(extents.begin(), extents.end());
  auto* const data = reinterpret_cast<fftwl_complex*>(x.data());
  const fftwl_plan plan = fftwl_plan_dft(static_cast<int>(n.size()), n.data(), data, data,
                                         sign < 0 ? FFTW_FORWARD : FFTW_BACKWARD, FFTW_ESTIMATE);
  fftwl_execute(plan);
  fftwl_destroy_plan(plan);
  return x;
}

template <class T>
std::vector<exact> fftw_r2r(const std::vector<T>& x, fftwl_r2r_kind kind) {
  std::vector<long double> y(x.begin(), x.end());
  const fftwl_plan plan =
      fftwl_plan_r2r_1d(static_cast<int>(y.size()), y.data(), y.data(), kind, FFTW_ESTIMATE);
  fftwl_execute(plan);
  fftwl_destroy_plan(plan);
  return {y.begin(), y.end()};
}

TYPED_TEST(fftw_oracle, arrays) {
  using T = TypeParam;
  using complex = std::complex<T>;
  for (const sizes& extents :
       {sizes{480, 361}, sizes{64, 64, 64}, sizes{1009, 30}, sizes{13, 11, 7, 100}, sizes{98304}})
    for (const direction dir : {direction::forward, direction::inverse}) {
      auto x = random_complex<T>(count(extents), 5);
      std::vector<complex> y(x.size());
      const fftn_plan<T> plan(extents, dir, {.norm = normalization::none});
      with_rank(extents.size(), [&]<std::size_t Rank>() {
        plan.execute(as_view<Rank>(x, extents, row_major(extents)),
                     as_view<Rank>(y, extents, row_major(extents)), 2);
      });
      const auto expected = fftw_dftn(widened<T>(std::span<const complex>(x)), extents,
                                      dir == direction::forward ? -1 : 1);
      EXPECT_LT(relative_error(y, expected), fftn_tolerance<T>(extents, plan.axes()))
          << testing::PrintToString(extents);
    }
}

TYPED_TEST(fftw_oracle, cosine_and_sine_transforms) {
  using T = TypeParam;
  using kind = trigonometric_kind;
  const std::pair<kind, fftwl_r2r_kind> kinds[] = {
      {kind::dct1, FFTW_REDFT00}, {kind::dct2, FFTW_REDFT10}, {kind::dct3, FFTW_REDFT01},
      {kind::dct4, FFTW_REDFT11}, {kind::dst1, FFTW_RODFT00}, {kind::dst2, FFTW_RODFT10},
      {kind::dst3, FFTW_RODFT01}, {kind::dst4, FFTW_RODFT11}};
  for (const auto& [ours, theirs] : kinds)
    for (const std::size_t n : {2, 3, 31, 1000, 1024, 1025, 3001, 65536, 99999}) {
      const auto x = random_real<T>(n, static_cast<unsigned>(n));
      std::vector<T> y(n);
      const dct_plan<T> plan(n, ours);
      plan.forward(x, y);
      EXPECT_LT(relative_error(y, fftw_r2r(x, theirs)), 1.5 * fft_tolerance<T>(2 * n))
          << to_string(plan.design());
    }
}

}  // namespace
}  // namespace papilio
