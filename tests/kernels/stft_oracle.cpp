#include "kernels/stft_oracle.hpp"

#include <cmath>
#include <numbers>

namespace papilio::kernels::test {

using namespace engine;

std::vector<float> hann_window(std::int64_t n) {
  std::vector<float> w(static_cast<std::size_t>(n));
  for (std::size_t j = 0; j < w.size(); ++j)
    w[j] = static_cast<float>(0.5 - 0.5 * std::cos(2 * std::numbers::pi * double(j) / double(n)));
  return w;
}

std::vector<float> uneven_window(std::int64_t n) {
  std::vector<float> w = hann_window(n);
  for (std::size_t j = 0; j < w.size(); ++j) w[j] += 0.3F + 0.4F * float(j) / float(n);
  return w;
}

array<float, 2> normal_signals(std::int64_t channels, std::int64_t samples, unsigned seed) {
  const auto values =
      papilio::test::random_real<float>(static_cast<std::size_t>(channels * samples), seed);
  array<float, 2> x({std::size_t(channels), std::size_t(samples)});
  std::copy(values.begin(), values.end(), x.data());
  return x;
}

long double padded_sample(const stft_problem& s, const array<float, 2>& x, std::int64_t channel,
                          std::int64_t t) {
  std::int64_t i = t - std::int64_t(s.centre ? s.n_fft / 2 : 0);
  const auto m = std::int64_t(s.samples);
  if (i < 0 || i >= m) {
    if (s.padding == edge_padding::zero) return 0;
    if (s.padding == edge_padding::edge) i = i < 0 ? 0 : m - 1;
    while (s.padding == edge_padding::reflect && m > 1 && (i < 0 || i >= m))
      i = i < 0 ? -i : 2 * (m - 1) - i;
    if (m == 1) i = 0;
  }
  return x(std::size_t(channel), std::size_t(i));
}

std::vector<test_exact> exact_spectra(const stft_problem& s, const array<float, 2>& x) {
  std::vector<test_exact> all;
  const auto n = static_cast<std::size_t>(s.n_fft);
  std::vector<test_exact> roots(n);
  for (std::size_t k = 0; k < n; ++k)
    roots[k] = std::polar(1.0L, -2 * std::numbers::pi_v<long double> * static_cast<long double>(k) /
                                    static_cast<long double>(n));
  for (std::size_t c = 0; c < s.channels; ++c)
    for (std::size_t f = 0; f < s.segments(); ++f) {
      std::vector<long double> piece(n);
      for (std::size_t j = 0; j < n; ++j)
        piece[j] = padded_sample(s, x, std::int64_t(c), std::int64_t(f * s.hop + j)) *
                   (s.window.empty() ? 1.0L : static_cast<long double>(s.window[j]));
      for (std::size_t k = 0; k <= n / 2; ++k) {
        test_exact sum = 0;
        for (std::size_t j = 0, at = 0; j < n; ++j, at = at + k >= n ? at + k - n : at + k)
          sum += piece[j] * roots[at];
        all.push_back(sum);
      }
    }
  return all;
}

array<float, 4> device_spectra(const stft_problem& shape, const array<float, 2>& x) {
  stft_problem s = shape;
  s.result = spectrum_form::complex;
  array<float, 4> out({2, s.channels, s.segments(), s.bins()});
  device dev;
  prepared_kernel(dev, stft_kernel(s, dev.machine())).launch({x}, {out});
  return out;
}

array<float, 3> device_features(const stft_problem& s, const array<float, 2>& x) {
  array<float, 3> out({s.channels, s.segments(), s.mel.empty() ? s.bins() : s.bands()});
  device dev;
  prepared_kernel(dev, stft_kernel(s, dev.machine())).launch({x}, {out});
  return out;
}

}  // namespace papilio::kernels::test
