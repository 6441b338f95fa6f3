// Convolutions against their definition, with scipy.signal's rules for modes and axes.
#include <gtest/gtest.h>

#include "papilio/base.hpp"

#include <algorithm>

#include "papilio/transform.hpp"
#include "support/nd.hpp"

namespace papilio {
namespace {

using test::exact;
using test::random_complex;
using test::random_real;

template <class V>
array<V, 2> filled(const extents_type<2>& extents, const std::vector<V>& values) {
  array<V, 2> x(extents);
  std::copy_n(values.begin(), x.size(), x.begin());
  return x;
}

// Along both axes.
template <class X, class Y>
array<exact, 2> full_convolution(const array<X, 2>& x, const array<Y, 2>& y) {
  array<exact, 2> z({x.extent(0) + y.extent(0) - 1, x.extent(1) + y.extent(1) - 1});
  for (std::size_t i = 0; i < x.extent(0); ++i)
    for (std::size_t j = 0; j < x.extent(1); ++j)
      for (std::size_t k = 0; k < y.extent(0); ++k)
        for (std::size_t l = 0; l < y.extent(1); ++l)
          z(i + k, j + l) += exact(x(i, j)) * exact(y(k, l));
  return z;
}

// Rounding errors are relative to the whole: transforms of the sizes, there and back, and a
// product.
template <class T, class Got>
void expect_near(const Got& got, const array<exact, 2>& expected, const array<exact, 2>& full) {
  ASSERT_EQ(got.extents(), expected.extents());
  long double error = 0, norm = 0;
  for (std::size_t i = 0; i < expected.size(); ++i)
    error += std::norm(exact(got.data()[i]) - expected.data()[i]);
  for (const exact& v : full) norm += std::norm(v);
  EXPECT_LE(std::sqrt(error), 4 * test::fft_tolerance<T>(full.size()) * std::sqrt(norm));
}

array<exact, 2> middle(const array<exact, 2>& full, const extents_type<2>& extents) {
  array<exact, 2> part(extents);
  for (std::size_t i = 0; i < extents[0]; ++i)
    for (std::size_t j = 0; j < extents[1]; ++j)
      part(i, j) =
          full((full.extent(0) - extents[0]) / 2 + i, (full.extent(1) - extents[1]) / 2 + j);
  return part;
}

template <class T>
class convolution_test : public testing::Test {};
using precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(convolution_test, precisions);

TYPED_TEST(convolution_test, modes) {
  using T = TypeParam;
  const std::pair<extents_type<2>, extents_type<2>> shapes[] = {
      {{1, 1}, {1, 1}},  {{5, 7}, {3, 2}},   {{3, 2}, {5, 7}}, {{4, 1}, {3, 1}},
      {{2, 40}, {2, 3}}, {{1, 300}, {1, 7}}, {{6, 9}, {1, 9}}, {{130, 3}, {4, 3}}};
  for (const auto& shape : shapes) {
    const extents_type<2> a = shape.first, b = shape.second;
    SCOPED_TRACE(testing::PrintToString(a) + testing::PrintToString(b));
    const auto x = filled<T>(a, random_real<T>(a[0] * a[1], 1));
    const auto y = filled<T>(b, random_real<T>(b[0] * b[1], 2));
    const auto z = filled<std::complex<T>>(b, random_complex<T>(b[0] * b[1], 3));
    const auto real = full_convolution(x, y), complex = full_convolution(x, z);
    const extents_type<2> overlapped{std::max(a[0], b[0]) - std::min(a[0], b[0]) + 1,
                                     std::max(a[1], b[1]) - std::min(a[1], b[1]) + 1};
    const auto check = [&](const auto& convolve) {
      using enum convolution_mode;
      expect_near<T>(convolve(x, y, full), real, real);
      expect_near<T>(convolve(x, y, same), middle(real, a), real);
      expect_near<T>(convolve(x, y, valid), middle(real, overlapped), real);
      expect_near<T>(convolve(x, z, full), complex, complex);
      expect_near<T>(convolve(z, x, same), middle(complex, b), complex);
      expect_near<T>(convolve(x, z, valid), middle(complex, overlapped), complex);
    };
    check([](const auto& p, const auto& q, convolution_mode mode) {
      return fftconvolve(p, q, {.mode = mode});
    });
    check([](const auto& p, const auto& q, convolution_mode mode) {
      return oaconvolve(p, q, {.mode = mode});
    });
  }
}

TYPED_TEST(convolution_test, long_signals_with_short_filters) {
  using T = TypeParam;
  const auto x = random_real<T>(3001, 1);
  const auto y = random_real<T>(17, 2);
  array<exact, 2> full({1, 3017});
  for (std::size_t i = 0; i < x.size(); ++i)
    for (std::size_t j = 0; j < y.size(); ++j) full(0, i + j) += exact(x[i]) * exact(y[j]);
  const auto as_row = [](const array<T, 1>& v) {
    array<T, 2> row({1, v.size()});
    std::ranges::copy(v, row.begin());
    return row;
  };
  expect_near<T>(as_row(oaconvolve(x, y)), full, full);
  expect_near<T>(as_row(oaconvolve(y, x)), full, full);
  expect_near<T>(as_row(fftconvolve(x, y)), full, full);
}

TEST(convolution, along_some_axes_the_others_are_repeated) {
  const auto x = filled<double>({3, 5}, random_real<double>(15, 1));
  const auto y = filled<double>({3, 4}, random_real<double>(12, 2));
  const auto row = filled<double>({1, 4}, random_real<double>(4, 3));
  for (const bool in_blocks : {false, true}) {
    const auto convolve = [&](const auto& p, const auto& q, const convolution_options& o) {
      return in_blocks ? oaconvolve(p, q, o) : fftconvolve(p, q, o);
    };
    const auto rows = convolve(x, y, {.axes = {1}});
    const auto repeated = convolve(x, row, {.axes = {-1}});
    ASSERT_EQ(rows.extents(), (extents_type<2>{3, 8}));
    ASSERT_EQ(repeated.extents(), (extents_type<2>{3, 8}));
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t k = 0; k < 8; ++k) {
        double a = 0, b = 0;
        for (std::size_t j = 0; j < 5; ++j)
          if (k >= j && k - j < 4) {
            a += x(i, j) * y(i, k - j);
            b += x(i, j) * row(0, k - j);
          }
        EXPECT_NEAR(rows(i, k), a, 1e-13);
        EXPECT_NEAR(repeated(i, k), b, 1e-13);
      }
    // Extent 1 along an axis is a factor.
    const auto scaled = convolve(x, filled<double>({1, 1}, {2.0}), {});
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(scaled.data()[i], 2 * x.data()[i]);
  }
}

TEST(convolution, types_and_empty_operands) {
  const std::vector<int> x{1, 2, 3};
  const std::vector<float> y{0, 1};
  static_assert(std::is_same_v<decltype(fftconvolve(x, y)), array<double, 1>>);
  static_assert(std::is_same_v<decltype(fftconvolve(y, y)), array<float, 1>>);
  static_assert(std::is_same_v<decltype(oaconvolve(y, std::vector<std::complex<double>>())),
                               array<std::complex<double>, 1>>);
  const auto z = fftconvolve(x, y);
  const double expected[] = {0, 1, 2, 3};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(z[i], expected[i], 1e-15);
  EXPECT_TRUE(fftconvolve(x, std::vector<int>()).empty());
  EXPECT_TRUE(oaconvolve(std::vector<int>(), x, {.mode = convolution_mode::valid}).empty());
}

TEST(convolution, errors) {
  const array<double, 2> x({4, 6}), y({5, 2}), z({3, 7});
  EXPECT_THROW(fftconvolve(x, y, {.mode = convolution_mode::valid}), invalid_argument);
  EXPECT_THROW(oaconvolve(x, y, {.mode = convolution_mode::valid}), invalid_argument);
  EXPECT_THROW(fftconvolve(x, y, {.axes = {1}}), shape_error);
  EXPECT_THROW(fftconvolve(x, y, {.axes = {2}}), invalid_argument);
  EXPECT_THROW(fftconvolve(x, y, {.axes = {1, -1}}), invalid_argument);
  EXPECT_THROW(fftconvolve(x, y, {.axes = std::vector<int>()}), invalid_argument);
  EXPECT_THROW(fftconvolve(x, y, {.on = {.backend = "nobody"}}), invalid_argument);
  try {
    oaconvolve(x, z, {.axes = {1}});
    ADD_FAILURE();
  } catch (const shape_error& e) {
    EXPECT_STREQ(e.what(), "oaconvolve: extents along axis 0 must agree or be 1, got 4 and 3");
  }
}

}  // namespace
}  // namespace papilio
