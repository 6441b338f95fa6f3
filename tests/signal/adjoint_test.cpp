// Adjoints of short-time transforms and mel filters, and gradients of masks, magnitudes and powers.
// <A x, y> = <x, A* y> tells an adjoint, for every x and y; central differences tell the rest.
#include "support/adjoint.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "papilio/base.hpp"
#include "papilio/signal.hpp"
#include "support/oracle.hpp"

namespace papilio {
namespace {

using test::adjoint_error;
using test::random_complex;
using test::random_real;

template <class T>
class signal_adjoint : public testing::Test {};
using adjoint_types = testing::Types<float, double>;
TYPED_TEST_SUITE(signal_adjoint, adjoint_types);

template <class A>
void fill(A& to, const auto& values) {
  std::ranges::copy(values, to.begin());
}

// Even, odd and prime segments, hops that divide them, do not, and leave samples out; short
// windows, which leave samples at the ends under zeros.
std::vector<stft_options> geometries() {
  return {{.n_fft = 16, .hop = 4},
          {.n_fft = 16, .hop = 5, .window_length = 10},
          {.n_fft = 15, .hop = 7, .window = window_kind::hamming},
          {.n_fft = 31, .hop = 31, .window = window_kind::rectangular},
          {.n_fft = 8, .hop = 19, .window = window_kind::rectangular},
          {.n_fft = 64, .hop = 16},
          {.n_fft = 1, .hop = 1, .window = window_kind::rectangular}};
}

TYPED_TEST(signal_adjoint, of_the_short_time_transform) {
  using T = TypeParam;
  for (stft_options o : geometries())
    for (const edge_padding padding :
         {edge_padding::zero, edge_padding::reflect, edge_padding::edge})
      for (const stft_sides sides : {stft_sides::one, stft_sides::two})
        for (const stft_scaling scaling : {stft_scaling::psd, stft_scaling::dbfs})
          for (const int form : {0, 1, 2})
            for (const std::size_t samples : {1, 5, 70}) {
              o.padding = padding;
              o.sides = sides;
              o.scaling = scaling;
              o.centre = form != 0;
              o.pad_end = form == 2;
              const stft_plan<T> plan(o);
              const auto segments = static_cast<std::size_t>(plan.segments(samples));
              array<T, 2> x({2, samples}), b({2, samples});
              array<std::complex<T>, 3> a({2, segments, plan.bins()}), y(a.extents()), again(y);
              fill(x, random_real<T>(x.size(), 1));
              fill(y, random_complex<T>(y.size(), 2));
              std::ranges::fill(b, T(NAN));
              plan.execute(x, a);
              plan.adjoint().execute(y, b, 2);
              EXPECT_LE(adjoint_error(a, y, x, b), test::fft_tolerance<T>(2 * o.n_fft))
                  << o.n_fft << " hop " << o.hop << " samples " << samples << " form " << form
                  << " padding " << to_string(padding);
              plan.adjoint().adjoint().execute(x, again);
              EXPECT_TRUE(std::ranges::equal(again, a));
            }
}

// The inverse divides by sums of w^2, which are small where a window ends; these windows and hops
// keep them above 1/16 of the largest, and its adjoint divides as the inverse does.
TYPED_TEST(signal_adjoint, of_the_inverse_short_time_transform) {
  using T = TypeParam;
  for (stft_options o : {stft_options{.n_fft = 16, .hop = 4},
                         stft_options{.n_fft = 15, .hop = 5, .window = window_kind::hamming},
                         stft_options{.n_fft = 16, .hop = 6, .window = window_kind::hamming},
                         stft_options{.n_fft = 8, .hop = 8, .window = window_kind::rectangular},
                         stft_options{.n_fft = 64, .hop = 16}})
    for (const stft_sides sides : {stft_sides::one, stft_sides::two})
      for (const stft_scaling scaling : {stft_scaling::none, stft_scaling::dbfs})
        for (const edge_padding padding : {edge_padding::zero, edge_padding::reflect}) {
          o.sides = sides;
          o.scaling = scaling;
          o.padding = padding;
          const istft_plan<T> plan(o);
          for (const std::size_t segments : {3, 11})
            for (const std::size_t less : {0, 3}) {
              const auto samples = static_cast<std::size_t>(plan.samples(segments)) - less;
              array<std::complex<T>, 3> x({2, segments, plan.bins()}), b(x.extents());
              array<T, 2> a({2, samples}), y({2, samples}), again({2, samples});
              fill(x, random_complex<T>(x.size(), 1));
              fill(y, random_real<T>(y.size(), 2));
              plan.execute(x, a);
              plan.adjoint().execute(y, b, 2);
              EXPECT_LE(adjoint_error(a, y, x, b), 2 * test::fft_tolerance<T>(2 * o.n_fft))
                  << o.n_fft << " " << to_string(sides) << " " << to_string(scaling);
              plan.adjoint().adjoint().execute(x, again);
              EXPECT_TRUE(std::ranges::equal(again, a));
            }
        }
}

// Segments that do not overlap leave the first sample of each uncovered: of 16 positions, of which 8
// lie before the signal, the next 4 can be had. Of a longer signal, in any strides, all can.
TYPED_TEST(signal_adjoint, of_the_inverse_at_its_ends_and_in_strides) {
  using T = TypeParam;
  const auto expect_adjoint = [](const stft_options& o, std::size_t segments, std::size_t samples) {
    const istft_plan<T> plan(o);
    array<std::complex<T>, 2> x({segments, plan.bins()}), b(x.extents());
    array<T, 1> a({samples});
    array<T, 2> wide({samples, 3});
    fill(x, random_complex<T>(x.size(), 1));
    fill(wide, random_real<T>(wide.size(), 2));
    const view<const T, 2> y(wide.data(), {1, samples}, {1, 3});
    plan.execute(x, a.flat());
    const view<std::complex<T>, 3> out(b.data(), {1, segments, plan.bins()});
    plan.adjoint().execute(y, out);
    const std::vector<T> used = [&] {
      std::vector<T> values(samples);
      for (std::size_t i = 0; i < samples; ++i) values[i] = wide(i, 0);
      return values;
    }();
    EXPECT_LE(adjoint_error(a, used, x, b), 2 * test::fft_tolerance<T>(2 * o.n_fft));
  };
  expect_adjoint({.n_fft = 16, .hop = 16}, 1, 4);
  expect_adjoint({.n_fft = 16, .hop = 16}, 2, 4);
  expect_adjoint({.n_fft = 16, .hop = 4}, 40, 156);
}

TYPED_TEST(signal_adjoint, of_mel_filters) {
  using T = TypeParam;
  for (const std::size_t bands : {1, 13, 40, 200}) {
    const mel_filterbank<T> filters(16000, 256, {.bands = bands});
    const mel_filterbank<T> adjoint = filters.adjoint();
    array<T, 2> x({3, filters.bins()}), y({3, bands});
    fill(x, random_real<T>(x.size(), 1));
    fill(y, random_real<T>(y.size(), 2));
    // Sums of at most 257 products.
    EXPECT_LE(adjoint_error(filters.apply(x), y, x, adjoint.apply(y)),
              16 * std::numeric_limits<T>::epsilon());
    // Bins computed side by side go to any strides.
    const array<T, 2> rows = adjoint.apply(y);
    array<T, 2> columns({filters.bins(), 3});
    adjoint.apply(y, view<T, 2>(columns.data(), {3, filters.bins()}, {1, 3}));
    for (std::size_t s = 0; s < 3; ++s)
      for (std::size_t k = 0; k < filters.bins(); ++k) EXPECT_EQ(columns(k, s), rows(s, k));
    const auto w = filters.dense(), transposed = adjoint.dense();
    for (std::size_t b = 0; b < bands; ++b)
      for (std::size_t k = 0; k < filters.bins(); ++k) EXPECT_EQ(w(b, k), transposed(k, b));
    EXPECT_TRUE(std::ranges::equal(adjoint.adjoint().dense(), w));
  }
}

TEST(signal_adjoint_errors, name_what_does_not_fit) {
  const stft_plan<double> plan({.n_fft = 16, .hop = 4});
  const istft_plan<double> adjoint = plan.adjoint();
  array<std::complex<double>, 2> spectra({11, 9});
  std::vector<double> signal(48);
  EXPECT_THROW(adjoint.execute(spectra, signal), shape_error);  // 13 segments
  signal.resize(40);
  EXPECT_NO_THROW(adjoint.execute(spectra, signal));
  EXPECT_THROW(adjoint.execute(spectra, signal, 1, 4), invalid_argument);
  EXPECT_THROW(istft_stream<double>{adjoint}, invalid_argument);
  const stft_plan<double> back = istft_plan<double>({.n_fft = 16, .hop = 4}).adjoint();
  EXPECT_THROW(stft_stream<double>{back}, invalid_argument);
  array<std::complex<double>, 2> few({2, 9});
  EXPECT_THROW(back.execute(signal, few), shape_error);  // they reach 12 samples
  EXPECT_NO_THROW(back.execute(signal, spectra));
}

// d/dt of sum w f(x + t e) at 0 for each real part of x, by central differences in double: their
// error is h^2 f''' / 6 + epsilon f / h, about 1e-10 here.
using complexes = std::vector<std::complex<double>>;
void expect_gradient(const std::function<double(const complexes&)>& loss, complexes x,
                     const complexes& gradient) {
  constexpr double h = 1e-5;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::complex<double> at = x[i];
    std::complex<double> difference;
    for (const std::complex<double> step : {std::complex<double>(h, 0), {0, h}}) {
      x[i] = at + step;
      const double above = loss(x);
      x[i] = at - step;
      difference += step * ((above - loss(x)) / (2 * h * h));
    }
    x[i] = at;
    EXPECT_NEAR(std::abs(difference - gradient[i]), 0, 1e-8) << i;
  }
}

TEST(spectrum_gradients, of_magnitudes_and_powers) {
  const complexes x = random_complex<double>(7, 1);
  const auto w = random_real<double>(7, 2);
  complexes gradient(7);
  const auto loss = [&](auto value) {
    return [&w, value](const complexes& at) {
      double sum = 0;
      for (std::size_t i = 0; i < at.size(); ++i) sum += w[i] * value(at[i]);
      return sum;
    };
  };
  const view<const std::complex<double>, 1> values(x.data(), {7});
  const view<const double, 1> weights(w.data(), {7});
  const view<std::complex<double>, 1> to(gradient.data(), {7});
  magnitude_vjp<double, 1>(values, weights, to);
  expect_gradient(loss([](std::complex<double> v) { return std::abs(v); }), x, gradient);
  power_vjp<double, 1>(values, weights, to);
  expect_gradient(loss([](std::complex<double> v) { return std::norm(v); }), x, gradient);
  const std::complex<double> zero{}, tiny{3e-200, 4e-200};
  const double one = 1;
  std::complex<double> at;
  magnitude_vjp<double, 1>({&zero, {1}}, {&one, {1}}, {&at, {1}});
  EXPECT_EQ(at, 0.0);
  magnitude_vjp<double, 1>({&tiny, {1}}, {&one, {1}}, {&at, {1}});
  EXPECT_NEAR(std::abs(at - std::complex<double>(0.6, 0.8)), 0, 1e-15);
}

TEST(spectrum_gradients, of_masks) {
  const complexes x = random_complex<double>(5, 1), m = random_complex<double>(5, 2),
                  w = random_complex<double>(5, 3);
  const auto real_mask = random_real<double>(5, 4);
  const auto of = [](const auto& v) {
    return view<const typename std::remove_cvref_t<decltype(v)>::value_type, 1>(v.data(), {5});
  };
  complexes by_x(5), by_m(5);
  std::vector<double> by_real(5);
  const auto loss = [&](const complexes& values, const auto& mask) {
    double sum = 0;
    for (std::size_t i = 0; i < 5; ++i) sum += (std::conj(w[i]) * mask[i] * values[i]).real();
    return sum;
  };
  const view<std::complex<double>, 1> to_x(by_x.data(), {5}), to_m(by_m.data(), {5});
  apply_mask_vjp<double, 1>(of(x), of(m), of(w), to_x, to_m);
  expect_gradient([&](const complexes& at) { return loss(at, m); }, x, by_x);
  expect_gradient([&](const complexes& at) { return loss(x, at); }, m, by_m);
  const view<double, 1> to_real(by_real.data(), {5});
  apply_mask_vjp<double, 1>(of(x), of(real_mask), of(w), to_x, to_real);
  expect_gradient([&](const complexes& at) { return loss(at, real_mask); }, x, by_x);
  for (std::size_t i = 0; i < 5; ++i)
    EXPECT_NEAR(by_real[i], (std::conj(x[i]) * w[i]).real(), 1e-14);
  EXPECT_THROW((apply_mask_vjp<double, 1>(of(x), of(m), of(w), to_x, to_x)), invalid_argument);
  EXPECT_THROW((apply_mask_vjp<double, 1>(of(x), of(m), {w.data(), {4}}, to_x, to_m)), shape_error);
}

}  // namespace
}  // namespace papilio
