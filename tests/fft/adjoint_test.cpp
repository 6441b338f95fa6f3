// Adjoints of plans: <A x, y> = <x, A* y> for the real part of the complex inner product, under
// which complex numbers are pairs of reals, at every kind of length; and A* itself by its sums.
#include <gtest/gtest.h>

#include <algorithm>

#include "papilio/base.hpp"
#include "papilio/fft.hpp"
#include "support/adjoint.hpp"
#include "support/oracle.hpp"

namespace papilio {
namespace {

using test::exact;
using test::fft_tolerance;
using test::random_complex;
using test::random_real;

template <class T>
class adjoint_test : public testing::Test {};
using all_precisions = testing::Types<float, double, long double>;
TYPED_TEST_SUITE(adjoint_test, all_precisions);

// Powers of two, smooth, odd, prime (direct, Rader, Bluestein), and lengths of a four-step.
constexpr std::size_t lengths[] = {1,  2,   3,   4,   5,   7,   8,   9,    12,   15,   16,   31,
                                   64, 100, 101, 127, 360, 509, 997, 1000, 1009, 1024, 1154, 2205};
constexpr normalization normalizations[] = {normalization::backward, normalization::orthonormal,
                                            normalization::forward, normalization::none};

// With the error of a transform each.
template <class T>
void expect_adjoint(const auto& a, const auto& y, const auto& x, const auto& b, std::size_t n) {
  EXPECT_LE(test::adjoint_error(a, y, x, b), fft_tolerance<T>(n)) << "length " << n;
}

TYPED_TEST(adjoint_test, complex_transforms) {
  using T = TypeParam;
  for (const std::size_t n : lengths)
    for (const direction dir : {direction::forward, direction::inverse})
      for (const normalization norm : normalizations) {
        const auto x = random_complex<T>(n, 1), y = random_complex<T>(n, 2);
        std::vector<std::complex<T>> a(n), b(n), again(n);
        const fft_plan<T> plan(n, dir, {.norm = norm});
        plan.execute(x, a);
        plan.adjoint().execute(y, b);
        expect_adjoint<T>(a, y, x, b, n);
        plan.adjoint().adjoint().execute(x, again);
        EXPECT_EQ(again, a);
      }
}

TYPED_TEST(adjoint_test, real_transforms) {
  using T = TypeParam;
  for (const std::size_t n : lengths)
    for (const normalization norm : normalizations) {
      const rfft_plan<T> plan(n, {.norm = norm}), adjoint = plan.adjoint();
      const auto x = random_real<T>(n, 1);
      const auto y = random_complex<T>(n / 2 + 1, 2);
      std::vector<std::complex<T>> bins(n / 2 + 1), back(n / 2 + 1);
      std::vector<T> samples(n), again(n);
      plan.forward(x, bins);
      adjoint.inverse(y, samples);
      expect_adjoint<T>(bins, y, x, samples, n);
      plan.inverse(y, samples);
      adjoint.forward(x, back);
      expect_adjoint<T>(samples, x, y, back, n);
      adjoint.adjoint().inverse(y, again);
      EXPECT_EQ(again, samples);
    }
}

// The sums of the definition; along an axis, in place, and windowed.
TYPED_TEST(adjoint_test, real_transforms_by_their_sums) {
  using T = TypeParam;
  for (const std::size_t n : lengths) {
    const std::size_t half = n / 2 + 1;
    const rfft_plan<T> adjoint = rfft_plan<T>(n).adjoint();
    const auto g = random_complex<T>(half, 1);
    std::vector<exact> spectrum(n);
    for (std::size_t k = 0; k < half; ++k) spectrum[k] = exact(g[k]);
    std::vector<exact> expected = test::dft(spectrum, +1);
    for (exact& v : expected) v = v.real();
    array<std::complex<T>, 2> in({2, half});
    array<T, 2> out({2, n});
    for (std::size_t k = 0; k < half; ++k) in(0, k) = in(1, k) = g[k];
    adjoint.inverse_batch(in, out, 2);
    EXPECT_LT(test::relative_error(out[1], expected), 2 * fft_tolerance<T>(n)) << n;

    const auto x = random_real<T>(n, 2), window = random_real<T>(n, 3);
    std::vector<exact> product(n);
    for (std::size_t j = 0; j < n; ++j) product[j] = exact(x[j]) * exact(window[j]);
    std::vector<exact> bins = test::dft(product, -1);
    bins.resize(half);
    for (std::size_t k = 0; k < half; ++k)
      bins[k] *= (k == 0 || 2 * k == n ? 1.0L : 2.0L) / static_cast<long double>(n);
    std::vector<std::complex<T>> windowed(half);
    adjoint.forward_windowed(x, window, windowed);
    EXPECT_LT(test::relative_error(windowed, bins), 2 * fft_tolerance<T>(n)) << n;
  }
}

TYPED_TEST(adjoint_test, arrays) {
  using T = TypeParam;
  const std::vector<std::vector<std::size_t>> shapes{{1, 1, 1}, {3, 4, 5}, {8, 6, 7}, {2, 31, 16}};
  for (const auto& e : shapes)
    for (const std::vector<std::ptrdiff_t>& axes :
         {std::vector<std::ptrdiff_t>{2}, {0, 2}, {2, 1}, {0, 1, 2}, {1, 2, 0}}) {
      const std::size_t size = e[0] * e[1] * e[2];
      const extents_type<3> extents{e[0], e[1], e[2]};
      const auto filled = [](auto values, const extents_type<3>& shape) {
        array<typename decltype(values)::value_type, 3> to(shape);
        std::ranges::copy(values, to.begin());
        return to;
      };
      const auto x = filled(random_complex<T>(size, 1), extents);
      const auto y = filled(random_complex<T>(size, 2), extents);
      array<std::complex<T>, 3> a(extents), b(extents);
      const fftn_plan<T> plan(e, axes, direction::inverse);
      plan.execute(x, a);
      plan.adjoint().execute(y, b);
      expect_adjoint<T>(a.flat(), y.flat(), x.flat(), b.flat(), size);

      const rfftn_plan<T> real(e, axes), adjoint = real.adjoint();
      const auto& s = real.spectrum_extents();
      const extents_type<3> halved{s[0], s[1], s[2]};
      const auto samples = filled(random_real<T>(size, 3), extents);
      const auto spectrum = filled(random_complex<T>(s[0] * s[1] * s[2], 4), halved);
      array<std::complex<T>, 3> bins(halved);
      array<T, 3> back(extents);
      real.forward(samples, bins);
      adjoint.inverse(spectrum, back);
      expect_adjoint<T>(bins.flat(), spectrum.flat(), samples.flat(), back.flat(), size);
      real.inverse(spectrum, back);
      adjoint.forward(samples, bins);
      expect_adjoint<T>(back.flat(), samples.flat(), spectrum.flat(), bins.flat(), size);
    }
}

}  // namespace
}  // namespace papilio
