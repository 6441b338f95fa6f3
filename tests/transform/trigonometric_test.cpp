// Cosine and sine transforms against scipy.fft's definitions.
#include <gtest/gtest.h>

#include <algorithm>
#include <numbers>

#include "papilio/base.hpp"
#include "papilio/transform.hpp"
#include "support/oracle.hpp"

namespace papilio {
namespace {

using test::exact;

// Row k, column j of the unscaled matrix.
long double entry(bool cosine, int type, std::size_t n, std::size_t k, std::size_t j) {
  const auto count = static_cast<long double>(n), row = static_cast<long double>(k),
             column = static_cast<long double>(j);
  const long double pi = std::numbers::pi_v<long double>;
  const bool is_first = j == 0, is_last = j + 1 == n;
  const long double sign = k % 2 == 0 ? 1 : -1;
  if (cosine) {
    if (type == 1)
      return is_first ? 1 : is_last ? sign : 2 * std::cos(pi * row * column / (count - 1));
    if (type == 2) return 2 * std::cos(pi * row * (2 * column + 1) / (2 * count));
    if (type == 3) return is_first ? 1 : 2 * std::cos(pi * (2 * row + 1) * column / (2 * count));
    return 2 * std::cos(pi * (2 * row + 1) * (2 * column + 1) / (4 * count));
  }
  if (type == 1) return 2 * std::sin(pi * (row + 1) * (column + 1) / (count + 1));
  if (type == 2) return 2 * std::sin(pi * (row + 1) * (2 * column + 1) / (2 * count));
  if (type == 3)
    return is_last ? sign : 2 * std::sin(pi * (2 * row + 1) * (column + 1) / (2 * count));
  return 2 * std::sin(pi * (2 * row + 1) * (2 * column + 1) / (4 * count));
}

long double period(bool cosine, int type, std::size_t n) {
  return static_cast<long double>(type != 1 ? 2 * n : cosine ? 2 * (n - 1) : 2 * (n + 1));
}

std::vector<exact> definition(bool cosine, int type, std::vector<exact> x, std::size_t n) {
  x.resize(n);
  std::vector<exact> y(n);
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t j = 0; j < n; ++j) y[k] += entry(cosine, type, n, k, j) * x[j];
  return y;
}

template <class X>
auto transformed(bool cosine, bool forward, const X& x, const trigonometric_options& o) {
  if (cosine) return forward ? dct(x, o) : idct(x, o);
  return forward ? dst(x, o) : idst(x, o);
}

template <class Data>
std::vector<exact> wide(const Data& data) {
  return {data.begin(), data.end()};
}

template <class T>
class trigonometric_test : public testing::Test {};
using precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(trigonometric_test, precisions);

TYPED_TEST(trigonometric_test, definitions_cutting_and_padding) {
  using T = TypeParam;
  const auto x = test::random_real<T>(9, 1);
  for (const bool cosine : {true, false})
    for (int type = 1; type <= 4; ++type)
      for (const std::size_t n : {1, 2, 5, 8, 9, 16, 31}) {
        if (cosine && type == 1 && n == 1) continue;
        const auto got =
            transformed(cosine, true, x, {.type = type, .n = static_cast<std::ptrdiff_t>(n)});
        const auto expected = definition(cosine, type, wide(x), n);
        EXPECT_LT(test::relative_error(got, expected), 2 * test::fft_tolerance<T>(2 * n))
            << (cosine ? "dct " : "dst ") << type << " of " << n;
      }
}

TYPED_TEST(trigonometric_test, inverses_and_normalizations) {
  using T = TypeParam;
  for (const bool cosine : {true, false})
    for (int type = 1; type <= 4; ++type)
      for (const std::size_t n : {2, 7, 12}) {
        SCOPED_TRACE((cosine ? "dct " : "dst ") + std::to_string(type));
        const auto x = test::random_real<T>(n, 2);
        const double bound = 2 * test::fft_tolerance<T>(2 * n);
        const auto run = [&](bool forward, normalization norm, const auto& v) {
          return transformed(cosine, forward, v, {.type = type, .norm = norm});
        };
        for (const normalization norm :
             {normalization::backward, normalization::orthonormal, normalization::forward})
          EXPECT_LT(test::relative_error(run(false, norm, run(true, norm, x)), wide(x)), 2 * bound);
        auto scaled = definition(cosine, type, wide(x), n);
        for (exact& v : scaled) v /= period(cosine, type, n);
        EXPECT_LT(test::relative_error(run(true, normalization::forward, x), scaled), bound);
        // An orthogonal matrix keeps the norm.
        long double before = 0, after = 0;
        for (const T v : x) before += std::norm(exact(v));
        for (const T v : run(true, normalization::orthonormal, x)) after += std::norm(exact(v));
        EXPECT_NEAR(static_cast<double>(std::sqrt(after / before)), 1, 2 * bound);
      }
}

TYPED_TEST(trigonometric_test, any_axis_and_complex_part_by_part) {
  using T = TypeParam;
  using C = std::complex<T>;
  array<C, 2> z({5, 6});
  std::ranges::copy(test::random_complex<T>(30, 3), z.begin());
  array<T, 2> re({5, 6}), im({5, 6});
  for (std::size_t i = 0; i < 30; ++i) {
    re.data()[i] = z.data()[i].real();
    im.data()[i] = z.data()[i].imag();
  }
  for (const std::ptrdiff_t axis : {0, 1, -2}) {
    const trigonometric_options o{.type = 3, .n = 7, .axis = axis};
    const auto whole = dst(z, o);
    const auto a = dst(re, o), b = dst(im, o);
    ASSERT_EQ(whole.extents(), a.extents());
    for (std::size_t i = 0; i < whole.size(); ++i)
      EXPECT_EQ(whole.data()[i], C(a.data()[i], b.data()[i]));
  }
  const auto columns = dct(re, {.axis = 0});
  for (std::size_t j = 0; j < 6; ++j) {
    const auto column = dct(view<const T, 1>(re.data() + j, {5}, {6}));
    for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(columns(i, j), column[i]);
  }
  EXPECT_NEAR(dct(std::vector<int>{1, 2, 3})[0], 12.0, 1e-14);
}

TYPED_TEST(trigonometric_test, into_memory_that_is_there) {
  using T = TypeParam;
  using C = std::complex<T>;
  const auto r = test::random_real<T>(12, 4);
  std::vector<T> y(12);
  dct(r, view(y), {.type = 4});
  EXPECT_TRUE(std::ranges::equal(y, dct(r, {.type = 4})));
  idct(r, view(y));
  EXPECT_TRUE(std::ranges::equal(y, idct(r)));
  dst(r, view(y));
  EXPECT_TRUE(std::ranges::equal(y, dst(r)));
  idst(r, view(y));
  EXPECT_TRUE(std::ranges::equal(y, idst(r)));
  // In place, and where the parts of input and output lie among each other.
  const auto z = test::random_complex<T>(12, 5);
  const auto expected = dct(z);
  auto memory = z;
  dct(memory, view(memory));
  EXPECT_TRUE(std::ranges::equal(memory, expected));
  std::vector<C> longer(13);
  std::ranges::copy(z, longer.begin());
  dct(std::span<const C>(longer).first(12), view<C, 1>(longer.data() + 1, {12}));
  EXPECT_TRUE(std::ranges::equal(std::span(longer).last(12), expected));
  EXPECT_THROW(dct(r, view<T, 1>(y.data(), {11})), shape_error);
}

TYPED_TEST(trigonometric_test, several_axes) {
  using T = TypeParam;
  array<T, 3> x({4, 5, 6});
  std::ranges::copy(test::random_real<T>(120, 6), x.begin());
  const double bound = 4 * test::fft_tolerance<T>(4096);
  const auto near = [&](const auto& got, const auto& expected) {
    ASSERT_EQ(got.extents(), expected.extents());
    EXPECT_LT(test::relative_error(wide(got), wide(expected)), bound);
  };
  near(dctn(x), dct(dct(dct(x, {.axis = 2}), {.axis = 1}), {.axis = 0}));
  near(dstn(x, {.type = 3, .s = {7, 3}}),
       dst(dst(x, {.type = 3, .n = 3}), {.type = 3, .n = 7, .axis = 1}));
  near(dctn(x, {.type = 1, .s = {8, 2}, .axes = {2, 0}}),
       dct(dct(x, {.type = 1, .n = 2, .axis = 0}), {.type = 1, .n = 8, .axis = 2}));
  for (int type = 1; type <= 4; ++type) {
    near(idctn(dctn(x, {.type = type}), {.type = type}), x);
    const normalization ortho = normalization::orthonormal;
    near(idstn(dstn(x, {.type = type, .norm = ortho}), {.type = type, .norm = ortho}), x);
  }
  near(dctn(x, {.axes = std::vector<int>()}), x);
  EXPECT_THROW(dctn(x, {.axes = {1, 1}}), invalid_argument);
  EXPECT_THROW(dctn(x, {.type = 0}), invalid_argument);
  EXPECT_THROW(dctn(x, {.type = 1, .s = {1}}), invalid_argument);
  EXPECT_THROW(idstn(x, {.s = {2, 2}, .axes = {0}}), invalid_argument);
}

TEST(trigonometric, errors) {
  const std::vector<double> x(4), one(1), none;
  EXPECT_THROW(dct(x, {.type = 0}), invalid_argument);
  EXPECT_THROW(idst(x, {.type = 5}), invalid_argument);
  EXPECT_THROW(dct(x, {.n = 0}), invalid_argument);
  EXPECT_THROW(dct(none), invalid_argument);
  EXPECT_THROW(dst(x, {.axis = 1}), invalid_argument);
  EXPECT_THROW(dct(one, {.type = 1}), invalid_argument);
  EXPECT_THROW(idct(one, {.type = 1}), invalid_argument);
  EXPECT_EQ(dst(one, {.type = 1}).size(), 1u);
  EXPECT_EQ(dct(array<double, 2>({0, 4})).extents(), (extents_type<2>{0, 4}));
  try {
    idct(x, {.type = 7});
    ADD_FAILURE();
  } catch (const invalid_argument& e) {
    EXPECT_STREQ(e.what(), "idct: type must be 1 to 4, got 7");
  }
}

}  // namespace
}  // namespace papilio
