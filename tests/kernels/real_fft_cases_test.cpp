// The published cases of real transforms, with their authors' tolerances, against the definition of
// the DFT in long double.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "kernels/real_fft_runs.hpp"

namespace papilio::kernels::test {
namespace {

using papilio::test::random_real;

template <class Got>
void expect_close(const Got& got, const std::vector<exact>& expected, double rtol, double atol) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    ASSERT_LE(std::abs(exact(got[i]) - expected[i]), atol + rtol * std::abs(expected[i])) << i;
}

std::vector<float> normal(const fft_row& shape) {
  return random_real<float>(std::size_t(count_of(shape.extents)), 42);
}

fft_row scaled(fft_row shape) {
  double all = 1;
  const std::size_t rank = shape.extents.size();
  if (shape.axes.empty())
    for (const std::int64_t e : shape.extents) all *= double(e);
  for (const int a : shape.axes)
    all *= double(shape.extents[std::size_t(a < 0 ? a + int(rank) : a)]);
  shape.scale = 1 / all;
  return shape;
}

void forward_case(const fft_row& shape, double rtol, double atol) {
  const auto x = normal(shape);
  expect_close(run_rfft(shape, x), expected_rfft(shape, x), rtol, atol);
}

void round_trip_case(const fft_row& shape) {
  const auto x = normal(shape);
  expect_close(run_irfft(scaled(shape), run_rfft(shape, x)), {x.begin(), x.end()}, 1e-7, 1e-4);
}

bins conjugated(bins values) {
  for (auto& v : values) v = std::conj(v);
  return values;
}

// The Hermitian transform: unscaled inverse of the conjugate.
std::vector<float> hfft(const fft_row& shape, const bins& spectrum) {
  return run_irfft(shape, conjugated(spectrum));
}
bins ihfft(const fft_row& shape, const std::vector<float>& x) {
  return conjugated(run_rfft(scaled(shape), x));
}

void hfft_case(const fft_row& shape) {
  const std::int64_t n = shape.extents.back(), h = n / 2 + 1;
  bins spectrum = random_bins(count_of(shape.extents) / n * h, 42);
  for (std::size_t i = 0; i < spectrum.size(); i += std::size_t(h)) {
    spectrum[i].imag(0);
    spectrum[i + std::size_t(h) - 1].imag(0);
  }
  expect_close(hfft(shape, spectrum), expected_irfft(shape, conjugated(spectrum)), 1e-4, 1e-4);
}

TEST(real_fft_cases, trnfft_038_rfft_128) { forward_case({.extents = {128}}, 1e-7, 1e-4); }
TEST(real_fft_cases, trnfft_039_round_trip_128) { round_trip_case({.extents = {128}}); }
TEST(real_fft_cases, trnfft_040_rfft2_8_16) { forward_case({.extents = {8, 16}}, 1e-4, 1e-4); }
TEST(real_fft_cases, trnfft_041_rfft2_16_32) { forward_case({.extents = {16, 32}}, 1e-4, 1e-4); }
TEST(real_fft_cases, trnfft_042_irfft2_of_rfft2_with_s) { round_trip_case({.extents = {8, 16}}); }
TEST(real_fft_cases, trnfft_043_irfft2_of_rfft2) {
  // The default length is that of an even transform.
  const fft_row shape{.extents = {8, 16}};
  const std::int64_t h = rfft_kernel(shape, engine::trainium1()).outputs[0].extents.back();
  round_trip_case({.extents = {8, 2 * (h - 1)}});
}
TEST(real_fft_cases, trnfft_044_rfftn_4_8_16) { forward_case({.extents = {4, 8, 16}}, 1e-4, 1e-4); }
TEST(real_fft_cases, trnfft_045_round_trip_4_8_16) { round_trip_case({.extents = {4, 8, 16}}); }
TEST(real_fft_cases, trnfft_046_rfft2_padded_to_16_32) {
  const auto small = normal({.extents = {8, 16}});
  std::vector<float> x(16 * 32);
  for (std::size_t r = 0; r < 8; ++r)
    std::copy_n(small.begin() + std::ptrdiff_t(16 * r), 16, x.begin() + std::ptrdiff_t(32 * r));
  const fft_row shape{.extents = {16, 32}};
  const bins y = run_rfft(shape, x);
  EXPECT_EQ(y.size(), 16U * 17U);
  expect_close(y, expected_rfft(shape, x), 1e-4, 1e-4);
}

TEST(real_fft_cases, trnfft_122_hfft_9_to_16) { hfft_case({.extents = {16}}); }
TEST(real_fft_cases, trnfft_123_ihfft_16) {
  const fft_row shape{.extents = {16}};
  const auto x = normal(shape);
  auto expected = expected_rfft(scaled(shape), x);
  for (exact& v : expected) v = std::conj(v);
  expect_close(ihfft(shape, x), expected, 1e-4, 1e-4);
}
TEST(real_fft_cases, trnfft_124_hfft_of_ihfft_32) {
  const fft_row shape{.extents = {32}};
  const auto x = normal(shape);
  expect_close(hfft(shape, ihfft(shape, x)), {x.begin(), x.end()}, 1e-7, 1e-4);
}
TEST(real_fft_cases, trnfft_125_hfft_4_17_to_32) { hfft_case({.extents = {4, 32}, .axes = {-1}}); }

TEST(real_fft_cases, beyond_035_irfft_of_65_bins_padded_and_cut) {
  const bins whole = random_bins(65, 42);
  for (const std::int64_t n : {64, 100, 127, 129, 200}) {
    bins spectrum = whole;
    spectrum.resize(std::size_t(n / 2 + 1));
    const fft_row shape = scaled({.extents = {n}});
    expect_close(run_irfft(shape, spectrum), expected_irfft(shape, spectrum), 1e-5, 1e-6);
  }
}

}  // namespace
}  // namespace papilio::kernels::test
