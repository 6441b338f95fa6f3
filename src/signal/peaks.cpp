#include "papilio/signal/peaks.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "papilio/base/error.hpp"
#include "signal/stft_options.hpp"

namespace papilio {
namespace {

constexpr double least_relative_power = 1e-6;

// Magnitude of the window's transform x bins of its own length from the centre, 1 at the centre:
// sinc(x) for the rectangle; its three shifted copies sum to sinc(x) / (1 - x^2) for Hann.
double response(window_kind kind, double x) {
  const double angle = std::numbers::pi * x;
  const double sinc = std::abs(x) < 1e-9 ? 1 : std::sin(angle) / angle;
  if (kind == window_kind::rectangular) return std::abs(sinc);
  const double rest = 1 - x * x;
  return std::abs(rest) < 1e-9 ? 0.5 : std::abs(sinc / rest);
}

// Distance from bin k towards its higher neighbour, 0 ... 0.5 bins, at which a tone gives the
// neighbour this share of bin k's power. The share grows with the distance.
double offset_for(window_kind kind, double bin, double share) {
  double low = 0, high = 0.5;
  for (int i = 0; i < 50; ++i) {
    const double middle = (low + high) / 2;
    const double ratio = response(kind, (1 - middle) * bin) / response(kind, middle * bin);
    (ratio * ratio < share ? low : high) = middle;
  }
  return low;
}

spectral_peak interpolated(std::span<const double> power, std::size_t k, const stft_options& stft,
                           double bin_hz) {
  // A constant, and an alternating sign, stand in one bin with the whole of their power, where a
  // sine has half of its own at the negative frequency.
  if (k == 0 || 2 * k == stft.n_fft) return {static_cast<double>(k) * bin_hz, power[k] / 4};
  const double bin =  // in bins of the window's length
      static_cast<double>(stft.window_length) / static_cast<double>(stft.n_fft);
  const double left = power[k - 1], right = k + 1 < power.size() ? power[k + 1] : 0;
  const double offset = offset_for(stft.window, bin, std::max(left, right) / power[k]);
  const double gain = response(stft.window, offset * bin);
  return {(static_cast<double>(k) + (right > left ? offset : -offset)) * bin_hz,
          power[k] / (gain * gain)};
}

}  // namespace

std::vector<spectral_peak> find_peaks(std::span<const double> power, const stft_options& options,
                                      double rate_hz, std::size_t count, double separation_hz) {
  const stft_options stft = signal_detail::checked(options);
  if (power.size() != stft.n_fft / 2 + 1)
    throw shape_error(base_detail::message("find_peaks: power must hold ", stft.n_fft / 2 + 1,
                                           " elements, got ", power.size()));
  if (!(rate_hz > 0 && std::isfinite(rate_hz)))
    throw invalid_argument(
        base_detail::message("find_peaks: rate_hz must be positive and finite, got ", rate_hz));
  if (!(separation_hz >= 0))
    throw invalid_argument(
        base_detail::message("find_peaks: separation_hz must be at least 0, got ", separation_hz));
  const double bin_hz = rate_hz / static_cast<double>(stft.n_fft);
  std::vector<std::size_t> maxima;
  for (std::size_t k = 0; k < power.size(); ++k) {
    const bool rises = k == 0 || power[k] > power[k - 1];
    const bool falls = k + 1 == power.size() || power[k] >= power[k + 1];
    if (power[k] > 0 && rises && falls) maxima.push_back(k);
  }
  std::stable_sort(maxima.begin(), maxima.end(),
                   [&](std::size_t a, std::size_t b) { return power[a] > power[b]; });
  const std::size_t lobes = stft.window == window_kind::hann ? 4 : 2;
  const auto separation =
      static_cast<double>((lobes * stft.n_fft + stft.window_length - 1) / stft.window_length);
  const double apart_bins = std::max(separation, separation_hz / bin_hz);
  std::vector<spectral_peak> peaks;
  std::vector<std::size_t> taken;
  for (const std::size_t k : maxima) {
    if (peaks.size() == count || power[k] < least_relative_power * power[maxima[0]]) break;
    const bool apart = std::ranges::all_of(taken, [&](std::size_t other) {
      return static_cast<double>(std::max(k, other) - std::min(k, other)) > apart_bins;
    });
    if (!apart) continue;
    taken.push_back(k);
    peaks.push_back(interpolated(power, k, stft, bin_hz));
  }
  std::ranges::stable_sort(peaks, std::ranges::greater(), &spectral_peak::power);
  return peaks;
}

}  // namespace papilio
