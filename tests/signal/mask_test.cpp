#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "papilio/base.hpp"
#include "papilio/signal.hpp"
#include "support/oracle.hpp"

namespace papilio {
namespace {

template <class T>
array<std::complex<T>, 3> spectra(unsigned seed) {
  array<std::complex<T>, 3> x({2, 5, 9});
  std::ranges::copy(test::random_complex<T>(x.size(), seed), x.begin());
  return x;
}
template <class T>
array<T, 3> powers(unsigned seed) {
  array<T, 3> x({2, 5, 9});
  const auto values = test::random_real<T>(x.size(), seed);
  for (std::size_t i = 0; i < x.size(); ++i) x.flat()[i] = values[i] * values[i];
  return x;
}

TEST(mask, real_and_complex_masks_multiply) {
  const auto x = spectra<double>(1), m = spectra<double>(2);
  const auto gain = powers<double>(3);
  auto out = spectra<double>(4);
  for (const int threads : {1, 2, 4}) {
    apply_mask(x, gain, out.view(), threads);
    for (std::size_t i = 0; i < x.size(); ++i)
      EXPECT_EQ(out.flat()[i], x.flat()[i] * gain.flat()[i]);
    apply_mask(x, m, out.view(), threads);
    for (std::size_t i = 0; i < x.size(); ++i)
      EXPECT_LE(std::abs(out.flat()[i] - x.flat()[i] * m.flat()[i]),
                1e-15 * std::abs(x.flat()[i] * m.flat()[i]));
  }
  auto in_place = x;
  apply_mask(in_place, m, in_place.view());
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(in_place.flat()[i], out.flat()[i]);
}

TEST(mask, ratio_masks_are_their_definition) {
  const auto signal = powers<float>(5), noise = powers<float>(6);
  array<float, 3> out(signal.extents());
  for (const double exponent : {0.25, 0.5, 1.0, 2.0}) {
    ratio_mask(signal, noise, out.view(), exponent, 2);
    for (std::size_t i = 0; i < out.size(); ++i) {
      const double s = static_cast<double>(signal.flat()[i]),
                   n = static_cast<double>(noise.flat()[i]);
      const double expected = std::pow(s / (s + n), exponent);
      EXPECT_NEAR(out.flat()[i], expected, 4e-7 * expected);
    }
  }
  array<float, 3> wiener(signal.extents());
  ratio_mask(signal, noise, out.view(), 1);
  wiener_mask(signal, noise, wiener.view());
  for (std::size_t i = 0; i < out.size(); ++i) EXPECT_EQ(out.flat()[i], wiener.flat()[i]);
}

TEST(mask, wiener_at_the_ends_of_the_range) {
  const float huge = std::numeric_limits<float>::max(), tiny = 1e-40f;
  const std::vector<float> s{0, 0, 1, huge, tiny, huge, NAN}, n{0, 1, 0, huge, tiny, tiny, 1};
  std::vector<float> out(s.size());
  wiener_mask(view<const float, 1>(s), view<const float, 1>(n), view<float, 1>(out));
  EXPECT_EQ(std::vector(out.begin(), out.end() - 1), (std::vector<float>{0, 0, 1, 0.5, 0.5, 1}));
  EXPECT_TRUE(std::isnan(out.back()));
}

TEST(mask, complex_ratio_mask_makes_the_target) {
  const auto target = spectra<double>(7);
  auto mixture = spectra<double>(8);
  for (auto& v : mixture.flat().first(20)) v *= 1e-200;
  array<std::complex<double>, 3> mask(target.extents()), made(target.extents());
  complex_ratio_mask(target, mixture, mask.view());
  apply_mask(mixture, mask, made.view());
  for (std::size_t i = 0; i < made.size(); ++i)
    EXPECT_LE(std::abs(made.flat()[i] - target.flat()[i]), 2e-15 * std::abs(target.flat()[i]));
  mixture.flat()[0] = 0;
  complex_ratio_mask(target, mixture, mask.view());
  EXPECT_EQ(mask.flat()[0], 0.0);
  for (const std::complex<double> unknown : {std::complex<double>(0, NAN), {NAN, 0}, {NAN, NAN}}) {
    mixture.flat()[0] = unknown;
    complex_ratio_mask(target, mixture, mask.view());
    EXPECT_TRUE(std::isnan(mask.flat()[0].real()) && std::isnan(mask.flat()[0].imag()));
  }
}

// E |S - m X|^2 is least at m = S / (S + N): neither a smaller nor a larger mask does better.
TEST(mask, wiener_has_the_least_error) {
  const std::size_t n = 20000;
  const auto s = test::random_complex<double>(n, 9), w = test::random_complex<double>(n, 10);
  const auto error = [&](double mask) {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += std::norm(s[i] * 3.0 - mask * (s[i] * 3.0 + w[i]));
    return sum;
  };
  const std::vector<double> power{9}, noise{1};
  std::vector<double> mask(1);
  wiener_mask(view<const double, 1>(power), view<const double, 1>(noise), view<double, 1>(mask));
  EXPECT_LT(error(mask[0]), error(mask[0] - 0.03));
  EXPECT_LT(error(mask[0]), error(mask[0] + 0.03));
}

TEST(mask, strides_and_refusals) {
  const auto x = spectra<float>(11);
  const auto gain = powers<float>(12);
  array<std::complex<float>, 3> wide({2, 5, 18});
  const view<std::complex<float>, 3> every_second(wide.data(), {2, 5, 9}, {90, 18, 2});
  apply_mask(x, gain, every_second);
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t j = 0; j < 5; ++j)
      for (std::size_t k = 0; k < 9; ++k) {
        EXPECT_EQ(every_second(i, j, k), x(i, j, k) * gain(i, j, k));
        EXPECT_EQ(wide(i, j, 2 * k + 1), 0.0f);
      }
  EXPECT_THROW(apply_mask(x, gain, wide.view()), shape_error);
  EXPECT_THROW(apply_mask(x, gain.view().slice(0, 0, 1), every_second), shape_error);
  EXPECT_THROW(apply_mask(x, gain, view<std::complex<float>, 3>(wide.data(), {2, 5, 9}, {9, 9, 1})),
               shape_error);
  array<std::complex<float>, 1> line(10);
  EXPECT_THROW(apply_mask(line.view().slice(0, 0, 9), line.view().slice(0, 0, 9),
                          line.view().slice(0, 1, 9)),
               invalid_argument);
  array<float, 3> out(gain.extents());
  EXPECT_THROW(ratio_mask(gain, gain, out.view(), 0), invalid_argument);
  EXPECT_THROW(ratio_mask(gain, gain, out.view(), NAN), invalid_argument);
  EXPECT_NO_THROW(apply_mask(x.view().slice(0, 0, 0), gain.view().slice(0, 0, 0),
                             wide.view().slice(0, 0, 0).slice(2, 0, 9)));
}

}  // namespace
}  // namespace papilio
