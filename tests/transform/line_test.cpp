// numpy.fft's rules along one axis: against the definition, and every error.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <list>

#include "papilio/base.hpp"
#include "papilio/transform.hpp"
#include "support/nd.hpp"

namespace papilio {
namespace {

using test::dft;
using test::exact;
using test::fft_tolerance;
using test::random_complex;
using test::random_real;

template <class Data>
std::vector<exact> wide(const Data& data) {
  return {data.begin(), data.end()};
}

template <class Data>
double error_of(const Data& got, const std::vector<exact>& expected) {
  return test::relative_error(wide(got), expected);
}

std::vector<exact> resized(std::vector<exact> x, std::size_t n) {
  x.resize(n);
  return x;
}

template <class Data>
void scale(Data& x, long double factor) {
  for (auto& v : x) v *= factor;
}

template <class T>
class line_test : public testing::Test {};
using precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(line_test, precisions);

TYPED_TEST(line_test, fft_and_ifft_cut_and_pad) {
  using T = TypeParam;
  const auto x = random_complex<T>(12, 1);
  const auto r = random_real<T>(12, 2);
  for (const std::size_t n : {1, 2, 5, 11, 12, 13, 24, 67}) {
    const line_options o{.n = static_cast<std::ptrdiff_t>(n)};
    const double bound = fft_tolerance<T>(n);
    EXPECT_LT(error_of(fft(x, o), dft(resized(wide(x), n), -1)), bound) << n;
    EXPECT_LT(error_of(fft(r, o), dft(resized(wide(r), n), -1)), bound) << n;
    for (const bool real : {false, true}) {
      auto expected = dft(resized(real ? wide(r) : wide(x), n), +1);
      scale(expected, 1 / static_cast<long double>(n));
      EXPECT_LT(error_of(real ? ifft(r, o) : ifft(x, o), expected), bound) << n;
    }
  }
}

TYPED_TEST(line_test, rfft_and_irfft_cut_and_pad) {
  using T = TypeParam;
  const auto x = random_real<T>(12, 1);
  const auto bins = random_complex<T>(7, 2);
  for (const std::size_t n : {1, 2, 5, 11, 12, 13, 14, 30}) {
    const line_options o{.n = static_cast<std::ptrdiff_t>(n)};
    const auto half = resized(dft(resized(wide(x), n), -1), n / 2 + 1);
    EXPECT_LT(error_of(rfft(x, o), half), fft_tolerance<T>(n)) << n;
    const auto whole = test::hermitian(resized(wide(bins), n / 2 + 1), {n / 2 + 1}, 0, n);
    auto expected = dft(whole, +1);
    scale(expected, 1 / static_cast<long double>(n));
    EXPECT_LT(error_of(irfft(bins, o), expected), fft_tolerance<T>(n)) << n;
  }
  EXPECT_EQ(irfft(bins).size(), 12u);
  EXPECT_EQ(rfft(x).size(), 7u);
}

TYPED_TEST(line_test, hermitian_transforms) {
  using T = TypeParam;
  const auto x = random_complex<T>(7, 1);
  const auto r = random_real<T>(12, 2);
  for (const std::size_t n : {1, 2, 6, 11, 12, 13, 20}) {
    const line_options o{.n = static_cast<std::ptrdiff_t>(n)};
    const auto whole = test::hermitian(resized(wide(x), n / 2 + 1), {n / 2 + 1}, 0, n);
    EXPECT_LT(error_of(hfft(x, o), dft(whole, -1)), fft_tolerance<T>(n)) << n;
    auto half = resized(dft(resized(wide(r), n), +1), n / 2 + 1);
    scale(half, 1 / static_cast<long double>(n));
    EXPECT_LT(error_of(ihfft(r, o), half), fft_tolerance<T>(n)) << n;
  }
  EXPECT_EQ(hfft(x).size(), 12u);
  EXPECT_EQ(ihfft(r).size(), 7u);
}

TYPED_TEST(line_test, normalizations) {
  using T = TypeParam;
  const std::size_t n = 10;
  const auto x = random_complex<T>(n, 1);
  const auto r = random_real<T>(n, 2);
  const long double count = 10, root = std::sqrt(count);
  const struct {
    normalization norm;
    long double forward, inverse;
  } rows[] = {{normalization::backward, 1, 1 / count},
              {normalization::orthonormal, 1 / root, 1 / root},
              {normalization::forward, 1 / count, 1},
              {normalization::none, 1, 1}};
  for (const auto& row : rows) {
    const auto expect = [&](const auto& got, std::vector<exact> expected, long double factor) {
      scale(expected, factor);
      EXPECT_LT(error_of(got, resized(expected, got.size())), fft_tolerance<T>(n));
    };
    const line_options o{.norm = row.norm};
    expect(fft(x, o), dft(wide(x), -1), row.forward);
    expect(ifft(x, o), dft(wide(x), +1), row.inverse);
    expect(rfft(r, o), dft(wide(r), -1), row.forward);
    const auto whole = test::hermitian(resized(wide(x), 6), {6}, 0, n);
    expect(irfft(x, {.n = 10, .norm = row.norm}), dft(whole, +1), row.inverse);
    // hfft stands on the forward side, as in numpy.
    expect(hfft(x, {.n = 10, .norm = row.norm}), dft(whole, -1), row.forward);
    expect(ihfft(r, o), dft(wide(r), +1), row.inverse);
  }
}

TYPED_TEST(line_test, real_input_of_fft_gives_a_hermitian_spectrum) {
  using T = TypeParam;
  for (const std::size_t n : {2, 5, 8, 100, 67}) {
    const auto x = random_real<T>(n, 3);
    for (const auto& y : {fft(x), ifft(x)})
      for (std::size_t k = 1; k < n; ++k) EXPECT_EQ(y[n - k], std::conj(y[k])) << n << ' ' << k;
  }
}

TYPED_TEST(line_test, irfft_does_not_see_the_imaginary_parts_of_its_real_bins) {
  using T = TypeParam;
  auto bins = random_complex<T>(6, 4);
  for (const std::ptrdiff_t n : {10, 11}) {
    const auto expected = irfft(bins, {.n = n});
    auto changed = bins;
    changed[0].imag(100);
    if (n == 10) changed[5].imag(-7);
    EXPECT_TRUE(std::ranges::equal(irfft(changed, {.n = n}), expected)) << n;
  }
}

TYPED_TEST(line_test, any_axis_of_any_strides) {
  using T = TypeParam;
  using C = std::complex<T>;
  const test::sizes extents{3, 4, 5};
  const auto values = random_complex<T>(60, 5);
  array<C, 3> x({3, 4, 5});
  std::ranges::copy(values, x.begin());
  for (std::ptrdiff_t axis = -3; axis < 3; ++axis) {
    const std::size_t a = axis < 0 ? axis + 3 : axis;
    const auto expected = test::dftn(wide(values), extents, {a}, -1);
    EXPECT_LT(error_of(fft(x, {.axis = axis}), expected), fft_tolerance<T>(5)) << axis;
  }
  // Reversed, transposed, every second: as of a copy, whose lines may have another recipe.
  const view<const C, 2> odd(x.data() + 59, {5, 6}, {-1, -10});
  array<C, 2> copy({5, 6});
  for (std::size_t i = 0; i < 5; ++i)
    for (std::size_t j = 0; j < 6; ++j) copy(i, j) = odd(i, j);
  for (const std::ptrdiff_t axis : {0, 1})
    for (const std::ptrdiff_t n : {3, 5, 6, 9}) {
      const line_options o{.n = n, .axis = axis};
      EXPECT_LT(error_of(fft(odd, o), wide(fft(copy, o))), 2 * fft_tolerance<T>(9));
      EXPECT_LT(error_of(irfft(odd, o), wide(irfft(copy, o))), 2 * fft_tolerance<T>(9));
    }
}

TEST(line, every_kind_of_array_is_taken) {
  const std::vector<int> whole{1, 2, 3, 4};
  const auto expected = fft(std::vector<double>{1, 2, 3, 4});
  static_assert(std::is_same_v<decltype(fft(whole)), array<std::complex<double>, 1>>);
  static_assert(std::is_same_v<decltype(fft(std::vector<float>())), array<std::complex<float>, 1>>);
  static_assert(std::is_same_v<decltype(irfft(array<std::complex<float>, 3>())), array<float, 3>>);
  const auto same = [&](const auto& y) { EXPECT_TRUE(std::ranges::equal(y, expected)); };
  same(fft(whole));
  same(fft(std::array<unsigned char, 4>{1, 2, 3, 4}));
  const double c_array[] = {1, 2, 3, 4};
  same(fft(c_array));
  same(fft(std::span<const double>(c_array)));
  std::vector<double> memory{1, 2, 3, 4};
  same(fft(std::span(memory)));
  same(fft(view(memory)));
  array<std::int64_t, 1> a(4);
  std::ranges::copy(whole, a.begin());
  same(fft(a));
  same(fft(a.view()));
  same(fft(std::as_const(a).view()));
  const std::array<bool, 3> bits{true, false, true};
  EXPECT_EQ(fft(bits)[0], std::complex<double>(2));
}

// The oracle rounds as much as what is tested: 64 roundings, over all lengths.
TEST(line, long_double) {
  using L = long double;
  const double bound = 64 * static_cast<double>(std::numeric_limits<L>::epsilon());
  for (const std::size_t n : {1, 2, 12, 67, 100}) {
    const auto x = random_complex<L>(n, 1);
    const auto r = random_real<L>(n, 2);
    static_assert(std::is_same_v<decltype(fft(r)), array<std::complex<L>, 1>>);
    EXPECT_LT(error_of(fft(x), dft(x, -1)), bound) << n;
    EXPECT_LT(error_of(fft(r), dft(wide(r), -1)), bound) << n;
    EXPECT_LT(error_of(irfft(rfft(r), {.n = static_cast<std::ptrdiff_t>(n)}), wide(r)), bound) << n;
    EXPECT_LT(error_of(ifft(fft(x)), wide(x)), bound) << n;
    EXPECT_LT(error_of(idct(dct(r)), wide(r)), bound) << n;
    const view<const std::complex<L>, 2> grid(x.data(), {1, n});
    EXPECT_LT(error_of(ifftn(fftn(grid)), wide(x)), bound) << n;
  }
}

TEST(line, a_vector_or_a_view_takes_the_result) {
  const auto x = random_complex<double>(12, 1);
  const auto expected = fft(x, {});
  std::vector<std::complex<double>> out(12), same = x;
  fft(x, out);
  EXPECT_TRUE(std::ranges::equal(out, expected));
  fft(same, same);
  EXPECT_TRUE(std::ranges::equal(same, expected));
  ifft(out, view(out));
  EXPECT_LT(error_of(out, wide(x)), 1e-15);
  std::vector<double> real(12);
  irfft(rfft(random_real<double>(12, 2)), real);
  EXPECT_LT(error_of(real, wide(random_real<double>(12, 2))), 1e-15);
  std::vector<std::complex<double>> few(11);
  EXPECT_THROW(fft(x, few), shape_error);
}

template <class Out>
concept takes_result = requires(const std::vector<double>& x, Out& out) { fft(x, out); };
static_assert(takes_result<std::vector<std::complex<double>>>);
static_assert(takes_result<array<std::complex<double>, 1>>);
static_assert(!takes_result<std::vector<double>> && !takes_result<array<std::complex<double>, 2>>);
static_assert(!takes_result<std::vector<std::complex<float>>>);
static_assert(!takes_result<const std::vector<std::complex<double>>>);

template <class X>
concept has_rfft = requires(const X& x) { rfft(x); };
template <class X>
concept has_ihfft = requires(const X& x) { ihfft(x); };
template <class X>
concept has_fft = requires(const X& x) { fft(x); };

TEST(line, what_numpy_refuses_by_type_does_not_compile) {
  static_assert(has_rfft<std::vector<double>> && has_ihfft<std::vector<int>>);
  static_assert(!has_rfft<std::vector<std::complex<double>>>);
  static_assert(!has_ihfft<array<std::complex<float>, 2>>);
  static_assert(has_fft<std::vector<std::complex<double>>>);
  static_assert(!has_fft<std::vector<std::string>> && !has_fft<std::list<double>>);
  static_assert(!has_fft<std::vector<bool>> && !has_fft<double>);
}

template <class Error, class Call>
void expect_error(const Call& call, const std::string& message) {
  try {
    call();
    ADD_FAILURE() << "nothing thrown: " << message;
  } catch (const Error& e) {
    EXPECT_EQ(e.what(), message);
  }
}

TEST(line, errors_name_function_argument_bound_and_value) {
  const std::vector<double> x(6), none;
  const std::vector<std::complex<double>> z(6), one(1), no_bins;
  using bad = invalid_argument;
  expect_error<bad>([&] { fft(x, {.n = 0}); }, "fft: n must be at least 1, got 0");
  expect_error<bad>([&] { ifft(x, {.n = -3}); }, "ifft: n must be at least 1, got -3");
  expect_error<bad>([&] { rfft(x, {.n = 0}); }, "rfft: n must be at least 1, got 0");
  expect_error<bad>([&] { irfft(z, {.n = 0}); }, "irfft: n must be at least 1, got 0");
  expect_error<bad>([&] { hfft(z, {.n = 0}); }, "hfft: n must be at least 1, got 0");
  expect_error<bad>([&] { ihfft(x, {.n = -1}); }, "ihfft: n must be at least 1, got -1");
  expect_error<bad>([&] { fft(none); }, "fft: n must be at least 1, got 0");
  expect_error<bad>([&] { rfft(none); }, "rfft: n must be at least 1, got 0");
  expect_error<bad>([&] { irfft(one); }, "irfft: n must be at least 1, got 0");
  expect_error<bad>([&] { irfft(no_bins); }, "irfft: n must be at least 1, got -2");
  expect_error<bad>([&] { hfft(one); }, "hfft: n must be at least 1, got 0");
  expect_error<bad>([&] { fft(x, {.axis = 1}); }, "fft: axis must be in -1 ... 0, got 1");
  expect_error<bad>([&] { rfft(x, {.axis = -2}); }, "rfft: axis must be in -1 ... 0, got -2");
  expect_error<bad>([&] { irfft(z, {.axis = 7}); }, "irfft: axis must be in -1 ... 0, got 7");
  expect_error<bad>([&] { fft(x, {.on = {.threads = -1}}); },
                    "fft: threads must be at least 0, got -1");
  EXPECT_THROW(fft(x, {.n = std::numeric_limits<std::ptrdiff_t>::max()}), resource_error);
}

TEST(line, empty_arrays_as_numpy) {
  // No lines: an empty result. A line of nothing: zeros, if n says how many.
  const array<double, 2> no_lines({0, 8}), no_points({3, 0});
  EXPECT_EQ(fft(no_lines).extents(), (extents_type<2>{0, 8}));
  EXPECT_EQ(rfft(no_lines).extents(), (extents_type<2>{0, 5}));
  EXPECT_EQ(irfft(no_lines).extents(), (extents_type<2>{0, 14}));
  EXPECT_THROW(fft(no_points), invalid_argument);
  const auto padded = fft(no_points, {.n = 4});
  EXPECT_EQ(padded.extents(), (extents_type<2>{3, 4}));
  for (const auto& v : padded) EXPECT_EQ(v, 0.0);
  // What the caller got wrong is said for empty arrays too.
  EXPECT_THROW(fft(no_lines, {.on = {.backend = "nobody"}}), invalid_argument);
}

TYPED_TEST(line_test, into_memory_that_is_there) {
  using T = TypeParam;
  using C = std::complex<T>;
  const auto x = random_complex<T>(24, 6);
  const auto r = random_real<T>(24, 7);
  const view<const C, 2> in(x.data(), {4, 6});
  array<C, 2> transposed({6, 4});
  const view<C, 2> out(transposed.data(), {4, 6}, {1, 4});
  const auto expected = fft(in);
  fft(in, out);
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 6; ++j) EXPECT_EQ(out(i, j), expected(i, j));

  std::vector<C> y(24), half(13);
  fft(r, view(y));
  EXPECT_TRUE(std::ranges::equal(y, fft(r)));
  ifft(x, view(y));
  EXPECT_TRUE(std::ranges::equal(y, ifft(x)));
  rfft(r, view(half));
  EXPECT_TRUE(std::ranges::equal(half, rfft(r)));
  ihfft(r, view(half));
  EXPECT_TRUE(std::ranges::equal(half, ihfft(r)));
  std::vector<T> back(24);
  irfft(half, view(back));
  EXPECT_TRUE(std::ranges::equal(back, irfft(half)));
  hfft(half, view(back));
  EXPECT_TRUE(std::ranges::equal(back, hfft(half)));
}

TYPED_TEST(line_test, output_may_be_the_input_or_overlap_it) {
  using T = TypeParam;
  using C = std::complex<T>;
  const auto x = random_complex<T>(20, 8);
  const auto expected = fft(x);
  auto memory = x;
  fft(memory, view(memory));
  EXPECT_TRUE(std::ranges::equal(memory, expected));
  // Shifted by one, and padded from the front part of the output.
  std::vector<C> longer(21);
  std::ranges::copy(x, longer.begin());
  fft(std::span<const C>(longer).first(20), view<C, 1>(longer.data() + 1, {20}));
  EXPECT_TRUE(std::ranges::equal(std::span(longer).last(20), expected));
  std::vector<C> padded(40);
  std::ranges::copy(x, padded.begin());
  fft(std::span<const C>(padded).first(20), view(padded), {.n = 40});
  EXPECT_TRUE(std::ranges::equal(padded, fft(x, {.n = 40})));
  // Reals in the memory of their own spectrum.
  const auto r = random_real<T>(20, 9);
  std::vector<C> both(20);
  const std::span<T> reals(reinterpret_cast<T*>(both.data()), 20);
  std::ranges::copy(r, reals.begin());
  fft(reals, view(both));
  EXPECT_TRUE(std::ranges::equal(both, fft(r)));
}

TEST(line, into_refuses_what_does_not_fit) {
  const std::vector<double> x(6);
  std::vector<std::complex<double>> y(6), half(3);
  expect_error<shape_error>([&] { fft(x, view(half)); }, "fft: out must have extents 6, got 3");
  expect_error<shape_error>([&] { rfft(x, view(half)); }, "rfft: out must have extents 4, got 3");
  EXPECT_THROW(fft(x, view<std::complex<double>, 1>(y.data(), {6}, {0})), shape_error);

  // The half spectra of the lines lie apart here, the whole ones do not.
  const array<double, 2> lines({2, 10});
  std::vector<std::complex<double>> memory(20, 7);
  const view<std::complex<double>, 2> interlocked(memory.data(), {2, 10}, {6, 1});
  expect_error<shape_error>([&] { fft(lines, interlocked); },
                            "fft: every axis of out must step over the whole of those with "
                            "smaller strides; extents are 2 x 10, strides 6, 1");
  EXPECT_EQ(memory, std::vector<std::complex<double>>(20, 7));
}

TYPED_TEST(line_test, the_bits_do_not_depend_on_threads_or_other_lines) {
  using T = TypeParam;
  using C = std::complex<T>;
  const auto values = random_complex<T>(300 * 256, 10);
  const view<const C, 2> x(values.data(), {300, 256});
  const auto one = fft(x, {.on = {.threads = 1}});
  for (const int threads : {0, 2, 3})
    EXPECT_TRUE(std::ranges::equal(fft(x, {.on = {.threads = threads}}), one)) << threads;
  const auto reals = random_real<T>(300 * 256, 11);
  const view<const T, 2> r(reals.data(), {300, 256});
  const auto real_one = fft(r, {.on = {.threads = 1}});
  EXPECT_TRUE(std::ranges::equal(fft(r, {.on = {.threads = 3}}), real_one));
  // A single line, of a four-step and of a convolution.
  for (const std::size_t n : {65536, 40009}) {
    const std::vector<C> line(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(n));
    const auto alone = fft(line, {.on = {.threads = 1}});
    for (const int threads : {0, 2, 3})
      EXPECT_TRUE(std::ranges::equal(fft(line, {.on = {.threads = threads}}), alone)) << n;
  }
}

}  // namespace
}  // namespace papilio
