// What any transform must keep: fft_kernel against itself, and its error against the host's.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "kernels/device_fft.hpp"

namespace papilio::kernels::test {
namespace {

using papilio::test::exact;
using papilio::test::random_complex;
using papilio::test::relative_error;

// One stage, two, two and three with odd radices, several axes, four-step.
const std::vector<fft_row>& shapes() {
  static const std::vector<fft_row> all{{.extents = {5, 32}, .axes = {-1}},
                                        {.extents = {3, 127}, .axes = {1}},
                                        {.extents = {2, 600}, .axes = {-1}},
                                        {.extents = {1331}},
                                        {.extents = {6, 130, 5}, .axes = {1}},
                                        {.extents = {24, 9, 40}},
                                        {.extents = {6000}}};
  return all;
}

std::int64_t points_of(const fft_row& shape) {
  if (shape.axes.empty()) return std::int64_t(count_of(shape));
  const int a = shape.axes.front();
  return shape.extents[std::size_t(a < 0 ? a + int(shape.extents.size()) : a)];
}

complex_values noise(const fft_row& shape, unsigned seed) {
  return random_complex<float>(count_of(shape), seed);
}

double expected_error(const fft_row& shape) {
  return fft_kernel(shape, engine::trainium1()).expected_error;
}

// exp(-2 pi i k / n).
exact root(std::size_t n, std::size_t k) {
  return std::polar(1.0L, -2 * std::numbers::pi_v<long double> * static_cast<long double>(k % n) /
                              static_cast<long double>(n));
}

std::vector<exact> widened(const complex_values& x) { return {x.begin(), x.end()}; }

// Two transforms, each with its error.
TEST(fft_properties, there_and_back) {
  engine::device dev;
  for (fft_row shape : shapes()) {
    const complex_values x = noise(shape, 1), there = device_fft(dev, shape, x);
    shape.inverse = true;
    shape.scale = 1 / double(points_of(shape));
    EXPECT_LE(relative_error(device_fft(dev, shape, there), widened(x)),
              1.5 * std::sqrt(2.0) * expected_error(shape))
        << points_of(shape);
  }
}

// A scale that is a power of two changes no rounding; another one rounds the last stage's matrix.
TEST(fft_properties, scale) {
  engine::device dev;
  for (fft_row shape : shapes()) {
    const complex_values x = noise(shape, 2), plain = device_fft(dev, shape, x);
    shape.scale = -0.125;
    const complex_values eighth = device_fft(dev, shape, x);
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(eighth[i], -0.125f * plain[i]) << i;
    shape.scale = 1 / 3.0;
    EXPECT_LE(relative_error(device_fft(dev, shape, x), host_fft(shape, x)),
              1.5 * expected_error(shape));
  }
}

TEST(fft_properties, linear) {
  engine::device dev;
  for (const fft_row& shape : shapes()) {
    const complex_values x = noise(shape, 3), y = noise(shape, 4);
    complex_values sum(x.size());
    const std::complex<float> factor(0.5f, -2);
    for (std::size_t i = 0; i < x.size(); ++i) sum[i] = x[i] + factor * y[i];
    const complex_values fx = device_fft(dev, shape, x), fy = device_fft(dev, shape, y);
    std::vector<exact> expected(x.size());
    for (std::size_t i = 0; i < x.size(); ++i)
      expected[i] = exact(fx[i]) + exact(factor) * exact(fy[i]);
    // Three transforms, and the sum's own rounding.
    EXPECT_LE(relative_error(device_fft(dev, shape, sum), expected),
              1.5 * std::sqrt(3.0) * expected_error(shape) + 0x1p-23);
  }
}

// An impulse at j becomes exp(-2 pi i j k / n): every factor that it meets is rounded once, so that
// each result is within a few units of its value.
TEST(fft_properties, impulses) {
  engine::device dev;
  for (const fft_row& one : shapes()) {
    if (one.extents.size() != 2 && one.extents.size() != 1) continue;
    const std::size_t n = std::size_t(one.extents.back()), count = count_of(one);
    for (const std::size_t j : {std::size_t(0), std::size_t(1), n / 2, n - 1}) {
      complex_values x(count);
      x[count - n + j] = 1;  // of the last line
      const complex_values y = device_fft(dev, one, x);
      for (std::size_t i = 0; i < count - n; ++i) ASSERT_EQ(y[i], std::complex<float>());
      for (std::size_t k = 0; k < n; ++k)
        ASSERT_LE(std::abs(exact(y[count - n + k]) - root(n, j * k)), 8 * 0x1p-24)
            << n << " " << j << " " << k;
    }
  }
}

// x[j - s] becomes X[k] exp(-2 pi i s k / n).
TEST(fft_properties, shifts) {
  engine::device dev;
  for (const fft_row& shape : shapes()) {
    if (shape.extents.size() != 1) continue;
    const std::size_t n = std::size_t(shape.extents[0]), by = n / 3 + 1;
    const complex_values x = noise(shape, 5), spectrum = device_fft(dev, shape, x);
    complex_values moved = x;
    std::ranges::rotate(moved, moved.end() - std::ptrdiff_t(by));
    std::vector<exact> expected(n);
    for (std::size_t k = 0; k < n; ++k) expected[k] = exact(spectrum[k]) * root(n, by * k);
    EXPECT_LE(relative_error(device_fft(dev, shape, moved), expected),
              1.5 * std::sqrt(2.0) * expected_error(shape));
  }
}

// Of every axis of real input: X[-k] is the conjugate of X[k].
TEST(fft_properties, real_input_has_a_hermitian_spectrum) {
  engine::device dev;
  const fft_row shape{.extents = {12, 50}};
  complex_values x = noise(shape, 6);
  for (auto& v : x) v = v.real();
  const complex_values y = device_fft(dev, shape, x);
  std::vector<exact> mirrored(y.size());
  for (std::size_t i = 0; i < 12; ++i)
    for (std::size_t k = 0; k < 50; ++k)
      mirrored[i * 50 + k] = std::conj(exact(y[(12 - i) % 12 * 50 + (50 - k) % 50]));
  EXPECT_LE(relative_error(y, mirrored), 1.5 * std::sqrt(2.0) * expected_error(shape));
}

}  // namespace
}  // namespace papilio::kernels::test
