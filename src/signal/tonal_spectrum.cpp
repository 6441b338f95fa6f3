#include "signal/tonal_spectrum.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "papilio/fft/rfft_plan.hpp"

namespace papilio::signal_detail {
namespace {

bool has_small_factors(std::size_t n) {
  for (const std::size_t factor : {2, 3, 5, 7})
    while (n % factor == 0) n /= factor;
  return n == 1;
}

/// Windowed samples of one channel to its half spectrum, in place: the reals lie where the bins
/// will.
void transform(const rfft_plan<double>& plan, std::span<const float> samples,
               std::span<const double> window, std::span<std::complex<double>> bins) {
  const std::span<double> line(reinterpret_cast<double*>(bins.data()), plan.size());
  for (std::size_t i = 0; i < window.size(); ++i)
    line[i] = window[i] * static_cast<double>(samples[i]);
  std::fill(line.begin() + static_cast<std::ptrdiff_t>(window.size()), line.end(), 0.0);
  plan.forward(line, bins);
}

/// The phase of a tone that stands between bins, from the bin next to it: a window that is
/// symmetric about sample c turns the phase by 2 pi c / n_fft for each bin of distance.
double phase_of(const tonal_spectrum& s, const window_spec& window, double frequency_hz) {
  const double position = frequency_hz / s.frequency_hz(1);
  const double bin = std::min(std::round(position), static_cast<double>(s.bins.size() - 1));
  const double centre = 0.5 * static_cast<double>(window == window_spec(window_kind::rectangular)
                                                      ? s.window_length - 1
                                                      : s.window_length);
  const double turn = 2 * std::numbers::pi * centre / static_cast<double>(s.n_fft);
  return std::remainder(std::arg(s.bins[static_cast<std::size_t>(bin)]) - turn * (position - bin),
                        2 * std::numbers::pi);
}

void find_tones(std::span<const double> power, const tone_options& of, tonal_spectrum& s) {
  const stft_options options{
      .n_fft = s.n_fft, .hop = 1, .window_length = s.window_length, .window = of.window};
  for (const spectral_peak& peak :
       find_peaks(power, options, s.rate_hz, of.count, of.separation_hz, of.range_db)) {
    tone t{peak.frequency_hz, std::sqrt(peak.power), std::nullopt};
    if (!s.bins.empty()) t.phase_radians = phase_of(s, of.window, peak.frequency_hz);
    s.tones.push_back(t);
  }
}

}  // namespace

std::size_t tonal_n_fft(std::size_t samples) {
  if (samples <= std::size_t{1} << 20) return samples;
  std::size_t n = samples + samples % 2;
  while (!has_small_factors(n)) n += 2;
  return n;
}

tonal_spectrum tonal_spectrum_of(
    view<const float, 2> samples, double rate_hz, std::size_t n_fft, const tone_options& of,
    function_ref<void(std::span<const std::complex<double>> bins)> each_channel) {
  const std::size_t channels = samples.extent(0), length = samples.extent(1);
  const rfft_plan<double> plan(n_fft);
  const array<double, 1> window = make_window<double>(of.window, length);
  tonal_spectrum s{.rate_hz = rate_hz,
                   .window_length = length,
                   .n_fft = n_fft,
                   .scale = 2 / window_sum<double>(window.flat()),
                   .recipe = to_string(plan.design())};
  array<std::complex<double>, 1> bins(plan.bins());
  array<double, 1> power(plan.bins());
  const double factor = s.scale * s.scale / static_cast<double>(channels);
  for (std::size_t c = 0; c < channels; ++c) {
    transform(plan, {&samples(c, 0u), length}, window.flat(), bins.flat());
    for (std::size_t k = 0; k < bins.size(); ++k) power[k] += factor * std::norm(bins[k]);
    each_channel(bins.flat());
  }
  if (channels == 1) s.bins = std::move(bins);
  find_tones(power.flat(), of, s);
  for (double& p : power) p = std::sqrt(p);
  power[0] /= 2;
  if (n_fft % 2 == 0) power[n_fft / 2] /= 2;
  s.amplitude = std::move(power);
  return s;
}

}  // namespace papilio::signal_detail
