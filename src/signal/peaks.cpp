#include "papilio/signal/spectral_features.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <numbers>

#include "papilio/base/error.hpp"
#include "papilio/transform.hpp"
#include "signal/stft_options.hpp"
#include "signal/window_parameter.hpp"

namespace papilio {
namespace {

// Magnitude of a window's transform x bins of its own length from the centre, 1 at the centre.
class window_response {
 public:
  window_response(window_spec window, std::size_t length) : kind_(window.kind) {
    if (has_closed_form()) return;
    // The response hardly depends on the length: this many weights give it within 1e-5.
    constexpr std::size_t most_weights = 1024;
    const double few = window.kind == window_kind::dpss ? 8 * window.parameter.value_or(0) : 0;
    const std::size_t n =
        std::min(length, std::max(most_weights, static_cast<std::size_t>(std::ceil(few))));
    if (window.kind == window_kind::gaussian && window.parameter)
      window.parameter = *window.parameter * static_cast<double>(n) / static_cast<double>(length);
    weights_ = make_window<double>(window, n);
  }

  double operator()(double x) const {
    const double angle = std::numbers::pi * x;
    if (has_closed_form()) {
      // sinc(x) for the rectangle; its three shifted copies sum to sinc(x) / (1 - x^2) for Hann.
      const double sinc = std::abs(x) < 1e-9 ? 1 : std::sin(angle) / angle;
      if (kind_ == window_kind::rectangular) return std::abs(sinc);
      const double rest = 1 - x * x;
      return std::abs(rest) < 1e-9 ? 0.5 : std::abs(sinc / rest);
    }
    const double step = 2 * angle / static_cast<double>(weights_.size());
    std::complex<double> sum = 0;
    for (std::size_t k = 0; k < weights_.size(); ++k)
      sum += std::polar(1.0, step * static_cast<double>(k)) * weights_[k];
    return std::abs(sum) / window_sum<double>(weights_.flat());
  }

  // The magnitude from a distance on, each an eighth of a bin of its own length further.
  std::vector<double> side_lobes() const {
    const array<double, 1> weights =
        has_closed_form() ? make_window<double>(kind_, 1024) : weights_;
    const auto bins = rfft(weights, {.n = 8 * weights.size()});
    std::vector<double> reach(bins.size());
    double highest = 0;
    for (std::size_t k = reach.size(); k-- > 0;)
      reach[k] = highest = std::max(highest, std::abs(bins[k]) / std::abs(bins[0]));
    return reach;
  }

  // Width of the main lobe in whole bins: to where the response turns up again, or lies below the
  // least relative power that is reported beside it.
  std::size_t lobe_bins(double least_power) const {
    if (kind_ == window_kind::rectangular) return 2;
    if (kind_ == window_kind::hann) return 4;
    constexpr double step = 1.0 / 16;
    double x = 0, last = 1;
    for (double next = 1; x < 64 && next * next > least_power; x += step) {
      next = (*this)(x + step);
      if (next > last && last < 0.5) break;
      last = next;
    }
    return static_cast<std::size_t>(std::ceil(2 * x));
  }

 private:
  bool has_closed_form() const {
    return kind_ == window_kind::rectangular || kind_ == window_kind::hann;
  }
  window_kind kind_;
  array<double, 1> weights_;
};

// The offset of a tone from bin k, where the response is flat about its maximum (and ripples, so
// that bin k need not be the nearest): from the two bins that stand on its slopes.
double offset_by_slopes(const window_response& response, double bin, std::span<const double> power,
                        std::size_t k) {
  const auto distance = static_cast<std::size_t>(std::max(1.0, std::round(2 / bin)));
  if (k < distance || k + distance >= power.size()) return 0;
  const double share = power[k + distance] / power[k - distance];
  double low = -1 / bin, high = 1 / bin;
  for (int i = 0; i < 50; ++i) {
    const double middle = (low + high) / 2, d = static_cast<double>(distance);
    const double ratio = response((d - middle) * bin) / response((d + middle) * bin);
    (ratio * ratio < share ? low : high) = middle;
  }
  return low;
}

// Distance from bin k towards its higher neighbour, 0 ... 0.5 bins, at which a tone gives the
// neighbour this share of bin k's power. The share grows with the distance.
double offset_for(const window_response& response, double bin, double share) {
  double low = 0, high = 0.5;
  for (int i = 0; i < 50; ++i) {
    const double middle = (low + high) / 2;
    const double ratio = response((1 - middle) * bin) / response(middle * bin);
    (ratio * ratio < share ? low : high) = middle;
  }
  return low;
}

spectral_peak interpolated(std::span<const double> power, std::size_t k, const stft_options& stft,
                           const window_response& response, double bin_hz) {
  // A constant, and an alternating sign, stand in one bin with the whole of their power, where a
  // sine has half of its own at the negative frequency.
  if (k == 0 || 2 * k == stft.n_fft) return {static_cast<double>(k) * bin_hz, power[k] / 4};
  const double bin =  // in bins of the window's length
      static_cast<double>(stft.window_length) / static_cast<double>(stft.n_fft);
  const double left = power[k - 1], right = k + 1 < power.size() ? power[k + 1] : 0;
  double offset = 0;
  if (stft.window.kind == window_kind::flat_top)
    offset = offset_by_slopes(response, bin, power, k);
  else
    offset = offset_for(response, bin, std::max(left, right) / power[k]) * (right > left ? 1 : -1);
  const double gain = response(offset * bin);
  return {(static_cast<double>(k) + offset) * bin_hz, power[k] / (gain * gain)};
}

}  // namespace

std::vector<spectral_peak> find_peaks(std::span<const double> power, const stft_options& options,
                                      double rate_hz, std::size_t count, double separation_hz,
                                      double range_db) {
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
  if (!(range_db >= 0))
    throw invalid_argument(
        base_detail::message("find_peaks: range_db must be at least 0, got ", range_db));
  signal_detail::window_parameter("find_peaks", stft.window, stft.window_length);
  const double bin_hz = rate_hz / static_cast<double>(stft.n_fft);
  std::vector<std::size_t> maxima;
  for (std::size_t k = 0; k < power.size(); ++k) {
    const bool rises = k == 0 || power[k] > power[k - 1];
    const bool falls = k + 1 == power.size() || power[k] >= power[k + 1];
    if (power[k] > 0 && rises && falls) maxima.push_back(k);
  }
  std::stable_sort(maxima.begin(), maxima.end(),
                   [&](std::size_t a, std::size_t b) { return power[a] > power[b]; });
  const double least_power = std::pow(10, -range_db / 10);
  const window_response response(stft.window, stft.window_length);
  const auto separation = static_cast<double>(
      (response.lobe_bins(least_power) * stft.n_fft + stft.window_length - 1) / stft.window_length);
  const double apart_bins = std::max(separation, separation_hz / bin_hz);
  // Zeros behind the window show its side lobes between the bins of its length.
  const double bin = static_cast<double>(stft.window_length) / static_cast<double>(stft.n_fft);
  const std::vector<double> side_lobes = bin < 1 ? response.side_lobes() : std::vector<double>();
  const auto lobe = [&](std::size_t bins_away) {
    const double at = 8 * bin * static_cast<double>(bins_away);
    const double last = static_cast<double>(side_lobes.size() - 1);
    // No window's fall by less than the distance, beyond.
    return at <= last ? side_lobes[static_cast<std::size_t>(at)] : side_lobes.back() * last / at;
  };
  const auto is_side_lobe = [&](std::size_t k, const std::vector<std::size_t>& of_any) {
    double explained = 0;
    for (const std::size_t of : of_any) {
      const double magnitude = lobe(std::max(k, of) - std::min(k, of)) + lobe(k + of);
      explained += power[of] * magnitude * magnitude;
    }
    return power[k] < 2 * explained;
  };
  std::vector<spectral_peak> peaks;
  std::vector<std::size_t> taken;
  for (const std::size_t k : maxima) {
    if (peaks.size() == count || power[k] < least_power * power[maxima[0]]) break;
    const bool apart = std::ranges::all_of(taken, [&](std::size_t other) {
      return static_cast<double>(std::max(k, other) - std::min(k, other)) > apart_bins;
    });
    if (!apart) continue;
    if (bin < 1 && is_side_lobe(k, taken)) continue;
    taken.push_back(k);
    peaks.push_back(interpolated(power, k, stft, response, bin_hz));
  }
  std::ranges::stable_sort(peaks, std::ranges::greater(), &spectral_peak::power);
  return peaks;
}

}  // namespace papilio
