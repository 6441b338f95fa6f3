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

void thin_out(std::span<float> values) {
  for (std::size_t i = 0; i < values.size(); ++i)
    if (i * i % 37 != 3 && i % 41 != 5) values[i] = 0;
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
          if (piece[j] != 0) sum += piece[j] * roots[at];
        all.push_back(sum);
      }
    }
  return all;
}

std::vector<test_exact> exact_overlap_add(const istft_problem& s, const array<float, 4>& spectra) {
  const auto n = static_cast<std::size_t>(s.n_fft);
  const std::size_t lead = (s.centre ? s.n_fft / 2 : 0) + s.first;
  std::vector<test_exact> all, roots(n);
  for (std::size_t k = 0; k < n; ++k)
    roots[k] = std::polar(1.0L, 2 * std::numbers::pi_v<long double> * static_cast<long double>(k) /
                                    static_cast<long double>(n));
  for (std::size_t c = 0; c < std::size_t(s.channels); ++c) {
    std::vector<long double> sum(std::size_t((s.segments - 1) * s.hop + s.n_fft)), squares(sum);
    for (std::size_t f = 0; f < std::size_t(s.segments); ++f) {
      std::vector<std::size_t> bins;
      for (std::size_t k = 0; k <= n / 2; ++k)
        if (spectra(0, c, f, k) != 0 || spectra(1, c, f, k) != 0) bins.push_back(k);
      for (std::size_t j = 0; j < n; ++j) {
        long double y = 0;
        for (const std::size_t k : bins) {
          const bool alone = k == 0 || 2 * k == n;
          const test_exact& root = roots[j * k % n];
          const long double re = spectra(0, c, f, k), im = alone ? 0 : spectra(1, c, f, k);
          y += (alone ? 1 : 2) * (re * root.real() - im * root.imag());
        }
        const long double w = s.window[j];
        sum[f * std::size_t(s.hop) + j] += w * y / static_cast<long double>(n);
        squares[f * std::size_t(s.hop) + j] += w * w;
      }
    }
    for (std::size_t t = lead; t < lead + s.samples; ++t) all.push_back(sum[t] / squares[t]);
  }
  return all;
}

array<float, 2> device_signals(const istft_problem& s, const array<float, 4>& spectra,
                               const machine_spec& machine, const precision_options& how) {
  array<float, 2> out({std::size_t(s.channels), std::size_t(s.samples)});
  device dev(machine);
  prepared_kernel(dev, istft_kernel(s, dev.machine(), how)).launch({spectra}, {out});
  return out;
}

array<float, 4> random_spectra(const istft_problem& s, unsigned seed) {
  array<float, 4> spectra(
      {2, std::size_t(s.channels), std::size_t(s.segments), std::size_t(s.bins())});
  const auto values = papilio::test::random_real<float>(spectra.size(), seed);
  std::copy(values.begin(), values.end(), spectra.data());
  return spectra;
}

array<float, 4> device_spectra(const stft_problem& shape, const array<float, 2>& x,
                               const machine_spec& machine, const precision_options& how) {
  stft_problem s = shape;
  s.result = spectrum_form::complex;
  array<float, 4> out({2, s.channels, s.segments(), s.bins()});
  device dev(machine);
  prepared_kernel(dev, stft_kernel(s, dev.machine(), how)).launch({x}, {out});
  return out;
}

array<float, 3> device_features(const stft_problem& s, const array<float, 2>& x,
                                const machine_spec& machine, const precision_options& how) {
  array<float, 3> out({s.channels, s.segments(), s.mel.empty() ? s.bins() : s.bands()});
  device dev(machine);
  prepared_kernel(dev, stft_kernel(s, dev.machine(), how)).launch({x}, {out});
  return out;
}

std::vector<test_exact> joined(const array<float, 4>& spectra) {
  const std::size_t plane = spectra.size() / 2;
  std::vector<test_exact> all(plane);
  for (std::size_t i = 0; i < plane; ++i) all[i] = {spectra.data()[i], spectra.data()[plane + i]};
  return all;
}

std::vector<test_exact> exact_powers(const stft_problem& s, const array<float, 2>& x) {
  std::vector<test_exact> all = exact_spectra(s, x);
  for (test_exact& v : all) v = std::norm(v);
  return all;
}

std::vector<test_exact> exact_mel(const stft_problem& s, const std::vector<test_exact>& powers) {
  const std::size_t bins = s.bins(), mels = s.bands();
  std::vector<test_exact> all;
  for (std::size_t row = 0; row < powers.size() / bins; ++row)
    for (std::size_t m = 0; m < mels; ++m) {
      long double sum = 0;
      for (std::size_t k = 0; k < bins; ++k)
        sum += s.mel[m * bins + k] * powers[row * bins + k].real();
      all.emplace_back(sum);
    }
  return all;
}

}  // namespace papilio::kernels::test
