// Published test cases of layers and gradients, by their numbers there: their shapes and tolerances,
// our inputs. Where they ask only that a gradient is there, it is checked by central differences.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "papilio/papilio.hpp"
#include "support/case_list.hpp"
#include "support/gradient_check.hpp"
#include "support/oracle.hpp"

namespace papilio {
namespace {

template <class T, std::size_t Rank>
array<std::complex<T>, Rank> normal(const extents_type<Rank>& extents, unsigned seed) {
  array<std::complex<T>, Rank> x(extents);
  std::ranges::copy(test::random_complex<T>(x.size(), seed), x.begin());
  return x;
}
template <class T, std::size_t Rank>
array<T, Rank> real_normal(const extents_type<Rank>& extents, unsigned seed) {
  array<T, Rank> x(extents);
  std::ranges::copy(test::random_real<T>(x.size(), seed), x.begin());
  return x;
}

template <class X>
void expect_finite(const X& x, std::initializer_list<std::size_t> extents) {
  EXPECT_TRUE(std::ranges::equal(x.extents(), extents));
  for (const auto& v : x.flat()) EXPECT_TRUE(std::isfinite(std::abs(v)));
}

void trnfft_200() {
  const complex_linear_parameters<float> p{normal<float, 2>({32, 16}, 1),
                                           normal<float, 1>({32}, 2)};
  expect_finite(complex_linear(normal<float, 2>({4, 16}, 3), p), {4, 32});
}

void trnfft_201() {
  auto x = normal<float, 2>({2, 8}, 1);
  for (auto& v : x) v = v.real();
  const complex_linear_parameters<float> p{normal<float, 2>({8, 8}, 2), {}};
  expect_finite(complex_linear(x, p), {2, 8});
}

void trnfft_202() {
  const complex_conv1d_parameters<float> p{normal<float, 3>({4, 1, 3}, 1),
                                           normal<float, 1>({4}, 2)};
  expect_finite(complex_conv1d(normal<float, 3>({2, 1, 100}, 3), p,
                               {.padding_before = 1, .padding_after = 1}),
                {2, 4, 100});
}

void trnfft_203() {
  expect_finite(complex_batch_norm_training(normal<float, 2>({4, 8}, 1),
                                            initial_batch_norm_parameters<float>(8)),
                {4, 8});
}

void trnfft_204() {
  array<std::complex<float>, 2> z({1, 1});
  z(0, 0) = {3, 4};
  const auto y = complex_modrelu(z, array<float, 1>({1}));
  EXPECT_NEAR(std::arg(y.flat()[0]), std::arg(std::complex<float>(3, 4)), 1e-5);
  EXPECT_NEAR(std::abs(y.flat()[0]), 5, 1e-5);
}

void trnfft_205() {
  array<std::complex<float>, 2> z({1, 1});
  z(0, 0) = {0.1F, 0.1F};
  array<float, 1> bias({1});
  bias(0) = -10;
  EXPECT_EQ(complex_modrelu(z, bias).flat()[0], std::complex<float>());
}

// d/dx of sum |X|^2, 2 A* X, in float as published: within the rounding of both transforms.
template <class V>
void expect_close(std::span<const V> got, std::span<const V> expected) {
  std::vector<test::exact> wanted(expected.begin(), expected.end());
  EXPECT_LT(test::relative_error(got, std::span<const test::exact>(wanted)), 4e-6);
}

void trnfft_206() {
  {
    const auto x = normal<float, 2>({2, 4}, 1);
    const complex_linear_parameters<float> p{normal<float, 2>({4, 4}, 2), {}};
    tensor<std::complex<float>> y = complex_linear(x, p);
    for (auto& v : y.flat()) v *= 2.0F;
    const auto by = complex_linear_vjp(x, p, y);
    tensor<std::complex<float>> expected({2, 4});
    for (std::size_t b = 0; b < 2; ++b)
      for (std::size_t i = 0; i < 4; ++i)
        for (std::size_t o = 0; o < 4; ++o)
          expected.flat()[b * 4 + i] += std::conj(p.weight(o, i)) * y.flat()[b * 4 + o];
    expect_close(std::as_const(by.x).flat(), std::as_const(expected).flat());
  }
  {
    auto x = test::random_complex<float>(16, 1);
    const fft_plan<float> plan(16);
    std::vector<std::complex<float>> spectrum(16), gradient(16);
    plan.execute(x, spectrum);
    for (auto& v : spectrum) v *= 2.0F;
    plan.adjoint().execute(spectrum, gradient);
    for (auto& v : x) v *= 32.0F;  // F* F = n
    expect_close<std::complex<float>>(gradient, x);
  }
  {
    const auto x = test::random_real<float>(512, 1);
    const stft_plan<float> plan({.n_fft = 64, .hop = 32, .centre = false});
    array<std::complex<float>, 2> spectra({plan.segments(512), plan.bins()}),
        powers(spectra.extents());
    plan.execute(x, spectra);
    array<float, 2> ones(spectra.extents());
    std::ranges::fill(ones, 1.0F);
    power_vjp<float, 2>(spectra.view(), ones.view(), powers.view());
    std::vector<float> gradient(512);
    plan.adjoint().execute(powers, gradient);
    std::vector<double> wide(x.begin(), x.end()), by_wide(gradient.begin(), gradient.end());
    const stft_plan<double> exact({.n_fft = 64, .hop = 32, .centre = false});
    const auto loss = [&] {
      array<double, 2> power({exact.segments(512), exact.bins()});
      exact.execute_power(wide, power);
      double sum = 0;
      for (const double v : power) sum += v;
      return sum;
    };
    test::expect_gradient<double>(loss, wide, by_wide, 2e-3);  // float's, of values to 1000
  }
}

// In double by central differences, relative 1e-5 and absolute 1e-7 as published.
template <class V, class Loss>
void expect_published(const Loss& loss, std::span<V> x, std::span<const V> gradient) {
  test::expect_gradient<V>(loss, x, gradient, 1e-7);
}

template <class A, class B>
double inner(const A& a, const B& b) {
  double sum = 0;
  auto at = std::begin(b);
  for (const auto& v : a)
    sum += (std::conj(std::complex<double>(*at++)) * std::complex<double>(v)).real();
  return sum;
}

void transforms() {
  using C = std::complex<double>;
  auto x = test::random_complex<double>(12, 1), g = test::random_complex<double>(12, 2);
  const fft_plan<double> plan(12);
  std::vector<C> y(12), by_x(12);
  plan.adjoint().execute(g, by_x);
  expect_published<C>(
      [&] {
        plan.execute(x, y);
        return inner(y, g);
      },
      x, by_x);

  const rfft_plan<double> real(9);
  auto samples = test::random_real<double>(9, 3), by_samples = samples;
  auto bins = test::random_complex<double>(5, 4), by_bins = bins;
  const auto h = test::random_complex<double>(5, 5);
  const auto w = test::random_real<double>(9, 6);
  std::vector<C> spectrum(5);
  std::vector<double> back(9);
  real.adjoint().inverse(h, by_samples);
  expect_published<double>(
      [&] {
        real.forward(samples, spectrum);
        return inner(spectrum, h);
      },
      samples, by_samples);
  real.adjoint().forward(w, by_bins);
  expect_published<C>(
      [&] {
        real.inverse(bins, back);
        return inner(back, w);
      },
      bins, by_bins);

  const stft_plan<double> stft({.n_fft = 8, .hop = 3, .padding = edge_padding::reflect});
  auto signal = test::random_real<double>(20, 7), by_signal = signal;
  array<C, 2> segments({stft.segments(20), stft.bins()});
  const auto of_segments = normal<double, 2>(segments.extents(), 8);
  stft.adjoint().execute(of_segments, by_signal);
  expect_published<double>(
      [&] {
        stft.execute(signal, segments);
        return inner(segments, of_segments);
      },
      signal, by_signal);
}

void products() {
  using C = std::complex<double>;
  auto a = normal<double, 2>({3, 4}, 1), b = normal<double, 2>({4, 2}, 2);
  const auto g = normal<double, 2>({3, 2}, 3);
  const auto by = gemm_vjp(a, b, g);
  const auto product = [&] { return inner(gemm(a, b), g); };
  expect_published<C>(product, a.flat(), by[0].flat());
  expect_published<C>(product, b.flat(), by[1].flat());

  auto x = real_normal<double, 3>({3, 3, 2}, 4), y = real_normal<double, 3>({2, 1, 4}, 5);
  const auto h = real_normal<double, 2>({3, 4}, 6);
  const auto gradients = einsum_vjp("iij,jkl->il", h, x, y);
  const auto sum = [&] { return inner(einsum("iij,jkl->il", x, y).flat(), h); };
  expect_published<double>(sum, x.flat(), gradients[0].flat());
  expect_published<double>(sum, y.flat(), gradients[1].flat());
}

// Relative to the largest gradient.
template <class Loss>
void expect_relative(const Loss& loss, std::span<double> x, std::span<const double> gradient) {
  double largest = 0;
  for (const double v : gradient) largest = std::max(largest, std::abs(v));
  test::expect_gradient<double>(loss, x, gradient, 1e-5 * largest + 1e-7);
}

void mp2() {
  auto b = real_normal<double, 3>({3, 4, 5}, 1);
  std::vector<double> occupied{-2, -1.1, -0.7}, virtuals{0.3, 0.5, 0.9, 1.4};
  const mp2_energies weights{1.2, 0.4, 0.3};
  for (const std::size_t frozen : {0, 1}) {
    const auto by = df_mp2_vjp(b, occupied, virtuals, weights, {.frozen_core = frozen});
    const auto loss = [&] {
      const mp2_energies e = df_mp2(b, occupied, virtuals, {.frozen_core = frozen});
      return 1.2 * e.opposite_spin + 0.4 * e.alpha_alpha + 0.3 * e.beta_beta;
    };
    expect_relative(loss, b.flat(), by.b.flat());
    expect_relative(loss, std::span(occupied), std::span<const double>(by.eps_occupied));
    expect_relative(loss, std::span(virtuals), std::span<const double>(by.eps_virtual));
  }
}

// Of both spins, and of one without orbitals.
void open_shell_mp2() {
  for (const std::size_t downs : {2, 0}) {
    auto a = real_normal<double, 3>({3, 4, 5}, 1), b = real_normal<double, 3>({downs, 3, 5}, 2);
    std::vector<double> occupied{-2, -1.1, -0.7}, virtuals{0.3, 0.5, 0.9, 1.4},
        other(occupied.begin(), occupied.begin() + std::ptrdiff_t(downs)), above{0.4, 0.8, 1.1};
    for (const std::size_t frozen : {std::size_t{0}, std::min<std::size_t>(1, downs)}) {
      const auto by = df_mp2_vjp(mp2_orbitals<double>{a, occupied, virtuals}, {b, other, above},
                                 {1.2, 0.4, 0.3}, {.frozen_core = frozen});
      const auto loss = [&] {
        const mp2_energies e = df_mp2(mp2_orbitals<double>{a, occupied, virtuals},
                                      {b, other, above}, {.frozen_core = frozen});
        return 1.2 * e.opposite_spin + 0.4 * e.alpha_alpha + 0.3 * e.beta_beta;
      };
      expect_relative(loss, a.flat(), by.alpha.b.flat());
      expect_relative(loss, b.flat(), by.beta.b.flat());
      expect_relative(loss, occupied, by.alpha.eps_occupied);
      expect_relative(loss, virtuals, by.alpha.eps_virtual);
      expect_relative(loss, other, by.beta.eps_occupied);
      expect_relative(loss, above, by.beta.eps_virtual);
    }
  }
}

void beyond_043() {
  transforms();
  products();
  mp2();
  open_shell_mp2();
}

struct published_case {
  const char* id;
  void (*run)();
};
void PrintTo(const published_case& c, std::ostream* out) { *out << c.id; }

class published : public testing::TestWithParam<published_case> {};

TEST_P(published, gradient_case) { GetParam().run(); }

INSTANTIATE_TEST_SUITE_P(cases, published,
                         testing::Values(published_case{"trnfft-200", trnfft_200},
                                         published_case{"trnfft-201", trnfft_201},
                                         published_case{"trnfft-202", trnfft_202},
                                         published_case{"trnfft-203", trnfft_203},
                                         published_case{"trnfft-204", trnfft_204},
                                         published_case{"trnfft-205", trnfft_205},
                                         published_case{"trnfft-206", trnfft_206},
                                         published_case{"beyond-043", beyond_043}));

// The list in the repository is what is registered here, and its count is right.
TEST(published_list, is_what_is_registered) { test::expect_registered(PAPILIO_CASE_LIST); }

}  // namespace
}  // namespace papilio
